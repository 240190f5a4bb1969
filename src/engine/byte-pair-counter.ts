import type { CountTokens } from '../events/index.ts';

/** A vocabulary, in order of rank: texts, and bytes where they are no text; some ranks may be free. */
export type TokenRanks = readonly (string | readonly number[] | undefined)[];

/** Texts up to this many UTF-16 code units are counted whole; of longer ones as many, in samples spread evenly. */
const mostCounted = 262_144;

/** Code units that the pattern is given at once. */
const sliceLength = 4096;

/** How far before its end a slice may be cut, to cut where a word ends. */
const longestLookBack = 512;

/** Bytes that are merged at once: merging takes time with the square of their number. */
const longestMerge = 1024;

const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const lead = String.raw`[^\r\n\p{L}\p{N}]?`;
const ending = "(?:'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]))?";

/** How o200k_base parts a text into words, digits, marks and blanks; tokens never reach over these. */
const words = new RegExp(
  [
    `${lead}${upper}*${lower}+${ending}`,
    `${lead}${upper}+${lower}*${ending}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
);

/** Two code units between which a word surely ends. */
const wordEnd = /[\p{L}\p{N}][^\p{L}\p{M}\p{N}\p{Cs}']/u;

const wide = /[^\0-\x7f]/;

/**
 * Counts tokens of the encoding o200k_base, as its tokenizer would part a text, without making the tokens: what looks
 * like a special token is text. Takes time with the length of the text and with nothing else. Two bounds keep it so:
 * runs of letters or marks beyond 1,024 bytes are counted in slices, and of texts beyond 262,144 code units as many are
 * counted, in 64 samples. Both are right within about 1 %; shorter texts and runs are counted exactly.
 */
export class BytePairCounter implements CountTokens {
  readonly name = 'o200k_base';
  /** Rank by bytes, each as a character of its own. */
  readonly #ranks = new Map<string, number>();
  readonly #starts = new Int32Array(longestMerge + 1);
  readonly #pairRanks = new Int32Array(longestMerge + 1);
  #longestToken = 0;

  constructor(ranks: TokenRanks) {
    for (const [rank, token] of ranks.entries()) if (token !== undefined) this.#learn(token, rank);
  }

  /** How many tokens it knows. */
  get size(): number {
    return this.#ranks.size;
  }

  count(text: string): number {
    if (text.length <= mostCounted) return this.#countSlices(text);
    const samples = mostCounted / sliceLength;
    const step = (text.length - sliceLength) / (samples - 1);
    let counted = 0;
    for (let sample = 0; sample < samples; sample++) {
      const from = Math.floor(sample * step);
      counted += this.#countWords(text.slice(from, from + sliceLength));
    }
    return Math.round((counted / mostCounted) * text.length);
  }

  #learn(token: string | readonly number[], rank: number): void {
    const bytes = typeof token === 'string' ? bytesOf(token) : String.fromCharCode(...token);
    this.#longestToken = Math.max(this.#longestToken, bytes.length);
    this.#ranks.set(bytes, rank);
  }

  #countSlices(text: string): number {
    if (text.length <= sliceLength) return this.#countWords(text);
    let counted = 0;
    for (let from = 0; from < text.length; ) {
      const to = endOfSlice(text, from);
      counted += this.#countWords(text.slice(from, to));
      from = to;
    }
    return counted;
  }

  #countWords(text: string): number {
    let counted = 0;
    for (const word of text.match(words) ?? []) {
      const bytes = bytesOf(word);
      counted += this.#ranks.has(bytes) ? 1 : this.#countMerged(bytes);
    }
    return counted;
  }

  #countMerged(bytes: string): number {
    let counted = 0;
    for (let from = 0; from < bytes.length; ) {
      const to = endOfMerge(bytes, from);
      counted += this.#merge(bytes.slice(from, to));
      from = to;
    }
    return counted;
  }

  /** Joins the neighbours of the lowest rank until none is left that joins; says how many remain. */
  #merge(bytes: string): number {
    const starts = this.#starts;
    const ranks = this.#pairRanks;
    let count = bytes.length;
    for (let index = 0; index <= count; index++) starts[index] = index;
    for (let index = 0; index < count; index++) ranks[index] = this.#rankOfPair(bytes, index, count);
    for (;;) {
      let lowest = unranked;
      let at = -1;
      for (let index = 0; index < count - 1; index++) {
        const rank = ranks[index] ?? unranked;
        if (rank >= lowest) continue;
        lowest = rank;
        at = index;
      }
      if (at < 0) return count;
      starts.copyWithin(at + 1, at + 2, count + 1);
      ranks.copyWithin(at + 1, at + 2, count);
      count--;
      ranks[at] = this.#rankOfPair(bytes, at, count);
      if (at > 0) ranks[at - 1] = this.#rankOfPair(bytes, at - 1, count);
    }
  }

  /** Rank of what the parts at an index and after it make together. */
  #rankOfPair(bytes: string, index: number, count: number): number {
    const from = this.#starts[index] ?? 0;
    const to = index + 2 <= count ? (this.#starts[index + 2] ?? 0) : 0;
    if (to === 0 || to - from > this.#longestToken) return unranked;
    return this.#ranks.get(bytes.slice(from, to)) ?? unranked;
  }
}

const unranked = 0x7fffffff;

/** The UTF-8 bytes of a text, each as a character. */
function bytesOf(text: string): string {
  return wide.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** Where a slice ends that starts there: where a word ends, else anywhere but inside a character. */
function endOfSlice(text: string, from: number): number {
  const limit = from + sliceLength;
  if (limit >= text.length) return text.length;
  for (let end = limit; end > limit - longestLookBack; end--)
    if (wordEnd.test(text.slice(end - 1, end + 1))) return end;
  return isLowSurrogate(text.charCodeAt(limit)) ? limit - 1 : limit;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The same for bytes. */
function endOfMerge(bytes: string, from: number): number {
  let end = from + longestMerge;
  if (end >= bytes.length) return bytes.length;
  while (isContinuation(bytes.charCodeAt(end))) end--;
  return end;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
