import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meanScores, percentile, scoreRanking } from './metrics.ts';

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 30 });
const gold = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { minLength: 1, maxLength: 15 });

describe('scores of a ranking', () => {
  it('are those of a worked case', () => {
    const scores = scoreRanking(['a', '乙', 'c', 'd', 'e', '己'], new Set(['乙', '己', 'z']));
    expect(scores.recall).toEqual({ 1: 0, 5: 1 / 3, 10: 2 / 3 });
    expect(scores.hit).toEqual({ 1: 0, 5: 1, 10: 1 });
    expect(scores.reciprocalRank).toBe(1 / 2);
    const [second, sixth] = [1 / Math.log2(3), 1 / Math.log2(7)];
    expect(scores.ndcg10).toBeCloseTo((second + sixth) / (1 + second + 1 / Math.log2(4)), 12);
  });

  it('stay from 0 to 1, grow with depth, and are all 1 where the gold comes first', () => {
    fc.assert(
      fc.property(ids, gold, (ranked, wanted) => {
        const scores = scoreRanking(ranked, new Set(wanted));
        for (const value of [...Object.values(scores.recall), ...Object.values(scores.hit), scores.ndcg10]) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-12);
        }
        const [one = 0, five = 0, ten = 0] = [1, 5, 10].map((k) => scores.recall[k]);
        expect(one <= five && five <= ten).toBe(true);
        expect(scores.hit[10] === 1).toBe(ten > 0);
        const best = scoreRanking([...wanted, ...ranked.filter((id) => !wanted.includes(id))], new Set(wanted));
        expect([best.reciprocalRank, best.hit[1]]).toEqual([1, 1]);
        expect(best.ndcg10).toBeCloseTo(1, 12);
      }),
    );
  });

  it('need gold', () => expect(() => scoreRanking(['a'], new Set())).toThrow(/gold must not be empty/));

  it('have a mean', () => {
    const [none, all] = [scoreRanking(['x'], new Set(['a'])), scoreRanking(['a'], new Set(['a']))];
    expect(meanScores([none, all])).toMatchObject({ recall: { 1: 0.5 }, hit: { 10: 0.5 }, reciprocalRank: 0.5 });
    expect(meanScores([]).ndcg10).toBe(0);
  });

  it('have percentiles', () => {
    expect([0.5, 0.95, 1].map((share) => percentile([5, 1, 3, 2, 4], share))).toEqual([3, 5, 5]);
    expect(percentile([], 0.5)).toBe(0);
  });
});
