import { createHash, type Hash } from 'node:crypto';

/** SHA-256 of lines, one below the other, that can be taken while more lines come. */
export class LineHash {
  readonly #hash: Hash;
  #isEmpty: boolean;

  constructor(lines: readonly string[] = [], hash: Hash = createHash('sha256'), isEmpty = true) {
    this.#hash = hash;
    this.#isEmpty = isEmpty;
    for (const line of lines) this.add(line);
  }

  add(line: string): void {
    this.#hash.update(this.#isEmpty ? line : `\n${line}`);
    this.#isEmpty = false;
  }

  /** A hash that goes on from here on its own. */
  copy(): LineHash {
    return new LineHash([], this.#hash.copy(), this.#isEmpty);
  }

  /** Of the lines so far, as 64 lower-case hexadecimal digits. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}
