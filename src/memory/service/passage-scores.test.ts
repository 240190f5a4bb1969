import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { QueryTerm } from './analyzer.ts';
import { occurrences, PassageScores, weighTerms } from './passage-scores.ts';
import { blockOf, offsetOf, packedLength, packedOffset, packedTimes, packPosting } from './posting.ts';

const vocabulary = ['tea', 'coffee', 'milk', 'rain'];
const documents = fc.array(fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 40,
});
const query: readonly QueryTerm[] = ['tea', 'rain'].map((term) => ({ term, surface: term, cjk: false, role: 'find' }));

/** BM25 as in the book, over plain lists of words. */
function textbook(documents: readonly (readonly string[])[], document: readonly string[]): number {
  const average = documents.reduce((sum, words) => sum + words.length, 0) / documents.length;
  return query.reduce((score, { term }) => {
    const having = documents.filter((words) => words.includes(term)).length;
    const weight = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
    const times = document.filter((word) => word === term).length;
    return score + (weight * times * 1.9) / (times + 0.9 * (0.6 + (0.4 * document.length) / average));
  }, 0);
}

function postingsOf(documents: readonly (readonly string[])[], spread: number) {
  return query.map(({ term }) => {
    const blocks = new Map<number, number[]>();
    for (const [index, words] of documents.entries()) {
      const times = words.filter((word) => word === term).length;
      if (times === 0) continue;
      const packed = packPosting(offsetOf(index * spread), { times, length: words.length });
      const block = blockOf(index * spread);
      blocks.set(block, [...(blocks.get(block) ?? []), packed]);
    }
    return Array.from(blocks, ([block, list]) => ({ block, postings: Uint32Array.from(list) }));
  });
}

test('passage scores are BM25, wherever the passages lie', () => {
  fc.assert(
    fc.property(documents, fc.constantFrom(1, 7, 500, 5_000), (texts, spread) => {
      const weighed = weighTerms(query, postingsOf(texts, spread), texts.length);
      const length = texts.reduce((sum, words) => sum + words.length, 0);
      const scores = new PassageScores(weighed, length / texts.length);
      for (const [index, words] of texts.entries()) {
        expect(scores.of(index * spread)).toBeCloseTo(textbook(texts, words), 10);
      }
      const expected = texts
        .map((words, index) => ({ passage: index * spread, score: textbook(texts, words) }))
        .filter(({ score }) => score > 0);
      const { passages, all } = scores.best(3);
      expect(all).toBe(expected.length <= 3);
      const sorted = expected.map(({ score }) => score).sort((a, b) => b - a);
      for (const [rank, { score }] of passages.entries()) expect(score).toBeCloseTo(sorted[rank] ?? -1, 10);
      const found = occurrences(
        weighed,
        passages.map(({ passage }) => passage),
      );
      expect([...found.values()].every((terms) => terms.size > 0)).toBe(true);
    }),
  );
});

test('a posting is packed without loss up to its limits', () => {
  const arbitrary = fc.record({ offset: fc.nat(1023), times: fc.nat(255), length: fc.nat(16_383) });
  fc.assert(
    fc.property(arbitrary, ({ offset, times, length }) => {
      const packed = packPosting(offset, { times, length });
      expect([packedOffset(packed), packedTimes(packed), packedLength(packed)]).toEqual([offset, times, length]);
    }),
  );
  expect(packedTimes(packPosting(3, { times: 1000, length: 20_000 }))).toBe(255);
  expect(packedOffset(packPosting(3, { times: 1000, length: 20_000 }))).toBe(3);
});
