import { analyze, type Token } from './analyzer.ts';
import type { MemoryEntry } from './memory-entry.ts';

/** What is indexed as one: a stretch of an entry's text, and how often each term is in it. */
export interface Passage {
  readonly terms: ReadonlyMap<string, number>;
  /** How many terms it has, repeated ones counted. */
  readonly length: number;
}

/** A passage is 75 words long and the next begins 60 words later; two characters without spaces count as a word. */
const passageHalfWords = 150;
const strideHalfWords = 120;

/** Of longer texts only the beginning is indexed, in UTF-16 code units; the text itself is kept whole. */
const longestIndexed = 262_144;

/**
 * The passages of an entry: one for most, overlapping ones for long texts, at least one. A turn's speaker is part of
 * each of its passages, because people ask who said something; `user` is nobody's name.
 */
export function passagesOf(entry: Pick<MemoryEntry, 'text' | 'kind' | 'author'>): Passage[] {
  const speaker = entry.kind === 'turn' && entry.author !== 'user' ? analyze(entry.author) : [];
  const tokens = analyze(entry.text.slice(0, longestIndexed));
  const end = tokens.at(-1)?.at ?? 0;
  const passages: Passage[] = [];
  let first = 0;
  for (let start = 0; ; start += strideHalfWords) {
    while ((tokens[first]?.at ?? start) < start) first++;
    passages.push(countTerms(speaker, tokens, first, start + passageHalfWords));
    if (start + passageHalfWords > end) return passages;
  }
}

function countTerms(speaker: readonly Token[], tokens: readonly Token[], first: number, end: number): Passage {
  const terms = new Map<string, number>();
  let length = speaker.length;
  for (const { term } of speaker) terms.set(term, (terms.get(term) ?? 0) + 1);
  for (let index = first; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.at >= end) break;
    terms.set(token.term, (terms.get(token.term) ?? 0) + 1);
    length++;
  }
  return { terms, length };
}
