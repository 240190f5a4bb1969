/** Lets one fold at a time go on for each session, in the order in which they were asked for. */
export class FoldLine {
  /** What waits behind the fold that goes on, by session. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** What work comes to when its turn has come; `undefined` if the signal aborts before that. */
  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    if (!(await this.#turn(name, signal))) return undefined;
    try {
      return await work();
    } finally {
      this.#next(name);
    }
  }

  /** True while a fold of the session goes on. */
  isBusy(name: string): boolean {
    return this.#waiting.has(name);
  }

  #turn(name: string, signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) {
      this.#waiting.set(name, []);
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        resolve(false);
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(begin);
    });
  }

  #next(name: string): void {
    const begin = this.#waiting.get(name)?.shift();
    if (begin === undefined) this.#waiting.delete(name);
    else begin();
  }
}
