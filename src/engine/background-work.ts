/** Work that goes on after a call has returned; failures wait for whoever asks whether it is settled. */
export class BackgroundWork {
  readonly #running = new Set<Promise<void>>();
  readonly #onFailure: (error: unknown) => void;
  #failures: unknown[] = [];

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  start(work: () => Promise<unknown>): void {
    const running = work().then(
      () => undefined,
      (error: unknown) => {
        this.#failures.push(error);
        this.#onFailure(error);
      },
    );
    this.#running.add(running);
    running.finally(() => this.#running.delete(running));
  }

  /** Resolves when nothing is running any more; throws the first failure since it was last asked. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    const [first] = this.#failures;
    this.#failures = [];
    if (first !== undefined) throw first;
  }
}
