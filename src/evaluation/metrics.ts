import { PalimpsestError } from '../index.ts';

/** How well one ranking answers one question. All from 0 to 1. */
export interface RankingScores {
  /** Share of the gold among the first k. */
  readonly recall: Readonly<Record<number, number>>;
  /** Whether any of it is among the first k: 0 or 1. */
  readonly hit: Readonly<Record<number, number>>;
  /** One over the rank of the first that is gold, 0 if none is. */
  readonly reciprocalRank: number;
  /** Discounted gain of the first ten over the best possible, each gold counting alike. */
  readonly ndcg10: number;
}

/** The depths that are measured. A larger one says little where a user has thirty sessions. */
export const depths = [1, 5, 10] as const;

/** Scores a ranking of distinct ids. Throws INVALID_ARGUMENT for a question without gold. */
export function scoreRanking(ranked: readonly string[], gold: ReadonlySet<string>): RankingScores {
  if (gold.size === 0) throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'gold', reason: 'must not be empty' });
  const found = (k: number) => ranked.slice(0, k).filter((id) => gold.has(id)).length;
  const first = ranked.findIndex((id) => gold.has(id));
  return {
    recall: byDepth((k) => found(k) / gold.size),
    hit: byDepth((k) => (found(k) > 0 ? 1 : 0)),
    reciprocalRank: first === -1 ? 0 : 1 / (first + 1),
    ndcg10: gain(ranked.slice(0, 10).map((id) => gold.has(id))) / gain(Array(Math.min(10, gold.size)).fill(true)),
  };
}

/** The mean of scores; of none, all is 0. */
export function meanScores(scores: readonly RankingScores[]): RankingScores {
  const mean = (of: (one: RankingScores) => number) =>
    scores.length === 0 ? 0 : scores.reduce((sum, one) => sum + of(one), 0) / scores.length;
  return {
    recall: byDepth((k) => mean(({ recall }) => recall[k] ?? 0)),
    hit: byDepth((k) => mean(({ hit }) => hit[k] ?? 0)),
    reciprocalRank: mean(({ reciprocalRank }) => reciprocalRank),
    ndcg10: mean(({ ndcg10 }) => ndcg10),
  };
}

/** The value below which such a share of the values lies; of none, 0. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function byDepth(measure: (k: number) => number): Readonly<Record<number, number>> {
  return Object.fromEntries(depths.map((k) => [k, measure(k)]));
}

function gain(isGold: readonly boolean[]): number {
  return isGold.reduce((sum, one, index) => sum + (one ? 1 / Math.log2(index + 2) : 0), 0);
}
