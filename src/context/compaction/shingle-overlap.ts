import { ScriptCount } from './script-count.ts';

const codeUnits = 0x10000;
const base = 0x01000193;

/** A letter, a number, or half of one of the rarer ideographs. */
const letter = /[\p{L}\p{N}\ud840-\ud88d\udc00-\udfff]/u;

/** A shingle of Chinese or Japanese is so many characters long, any other so many words. */
const sizes = { characters: 16, words: 8 } as const;

/**
 * Which part of a text's shingles, from 0 to 1, stands in the sources word for word: eight words, or sixteen characters
 * of Chinese and Japanese, letters and numbers alone counting. `undefined` for a text that is too short to have one.
 * Takes time in the length of all; shingles are compared by a hash of 32 bits.
 */
export function shingleOverlap(text: string, sources: Iterable<string>): number | undefined {
  const isInSigns = new ScriptCount([text]).leading() === 'cjk';
  const reader = new ShingleReader(isInSigns ? 'characters' : 'words');
  const own = new Set<number>();
  reader.learn(text);
  reader.read(text, (hash) => own.add(hash));
  if (own.size === 0) return undefined;
  const found = new Set<number>();
  for (const source of sources) reader.read(source, (hash) => own.has(hash) && found.add(hash));
  return found.size / own.size;
}

/** Reads texts as shingles of the units that it has learnt; a run ends where another unit stands. */
class ShingleReader {
  readonly #isInWords: boolean;
  readonly #size: number;
  /** The power of the base by which a unit counts when it leaves a shingle. */
  readonly #leaving: number;
  /** For each code unit: 1 if it is a letter, 2 if not, 0 if nobody has asked. */
  readonly #letters = new Uint8Array(codeUnits);
  readonly #characterIds = new Uint16Array(codeUnits);
  readonly #wordIds = new Map<string, number>();

  constructor(unit: keyof typeof sizes) {
    this.#isInWords = unit === 'words';
    this.#size = sizes[unit];
    let leaving = 1;
    for (let index = 0; index < this.#size; index++) leaving = Math.imul(leaving, base);
    this.#leaving = leaving;
  }

  learn(text: string): void {
    const lower = text.toLowerCase();
    let next = 1;
    this.#eachUnit(lower, (from, to) => {
      if (this.#idOf(lower, from, to) > 0) return;
      if (this.#isInWords) this.#wordIds.set(lower.slice(from, to), next++);
      else this.#characterIds[lower.charCodeAt(from)] = next++;
    });
  }

  read(text: string, take: (hash: number) => void): void {
    const lower = text.toLowerCase();
    const run = new Int32Array(this.#size);
    let [length, hash] = [0, 0];
    this.#eachUnit(lower, (from, to) => {
      const id = this.#idOf(lower, from, to);
      if (id === 0) {
        if (length > 0) run.fill(0);
        [length, hash] = [0, 0];
        return;
      }
      const at = length % this.#size;
      hash = (Math.imul(hash, base) + id - Math.imul(this.#leaving, run[at] ?? 0)) | 0;
      run[at] = id;
      length++;
      if (length >= this.#size) take(hash);
    });
  }

  #eachUnit(text: string, take: (from: number, to: number) => void): void {
    let from = 0;
    for (let index = 0; index <= text.length; index++) {
      const isLetter = index < text.length && this.#isLetter(text.charCodeAt(index));
      if (isLetter && this.#isInWords) continue;
      if (isLetter) take(index, index + 1);
      else if (this.#isInWords && from < index) take(from, index);
      from = index + 1;
    }
  }

  #isLetter(unit: number): boolean {
    const known = this.#letters[unit] ?? 0;
    if (known > 0) return known === 1;
    const isLetter = letter.test(String.fromCharCode(unit));
    this.#letters[unit] = isLetter ? 1 : 2;
    return isLetter;
  }

  #idOf(text: string, from: number, to: number): number {
    if (this.#isInWords) return this.#wordIds.get(text.slice(from, to)) ?? 0;
    return this.#characterIds[text.charCodeAt(from)] ?? 0;
  }
}
