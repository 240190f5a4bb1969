/** A map that keeps the entries used last, up to a number of them. */
export class RecentMap<Value> {
  readonly #values = new Map<string, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(name: string): Value | undefined {
    const value = this.#values.get(name);
    if (value !== undefined) this.set(name, value);
    return value;
  }

  set(name: string, value: Value): void {
    this.#values.delete(name);
    this.#values.set(name, value);
    if (this.#values.size <= this.#capacity) return;
    const oldest = this.#values.keys().next();
    if (!oldest.done) this.#values.delete(oldest.value);
  }

  /** Removes the entries whose names, made by nameOf(), start with these ids. */
  deleteBelow(...ids: readonly string[]): void {
    const start = `${nameOf(...ids).slice(0, -1)},`;
    for (const name of this.#values.keys()) if (name.startsWith(start)) this.#values.delete(name);
  }
}

/** One text for a list of ids. Ids may contain any separator, so it is JSON. */
export function nameOf(...ids: readonly string[]): string {
  return JSON.stringify(ids);
}
