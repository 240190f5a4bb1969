/**
 * Lets one piece of work at a time run for each name, in the order they were asked for. Spares writers of one process
 * the retries that the store would cost them; writers elsewhere are kept apart by the store itself.
 */
export class KeyLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(name);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#tails.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(name) === mine) this.#tails.delete(name);
    }
  }
}
