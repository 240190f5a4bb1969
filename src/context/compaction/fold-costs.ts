import type { FoldTokens } from './plan-fold.ts';

/** Prices a fold is weighed with. One token that the agent's model reads uncached costs 1. */
export interface FoldPrices {
  /** Price of a token that is read from the provider's cache. */
  readonly readFactor: number;
  /** Price of a token that is written to it. */
  readonly writeFactor: number;
  /** How long a prefix is kept after its last use; 0: not at all. */
  readonly ttlSeconds: number;
  /** Price of a token that the summariser reads. */
  readonly summarizerFactor: number;
  /** Price of a token that it writes, in prices of one that it reads. */
  readonly outputFactor: number;
}

/** Tokens of what a summariser is told besides the conversation. */
const instructionTokens = 400;

/** Summaries are expected to be no shorter. */
export const shortestSummary = 250;

/** What a fold is expected to be, before its summary is written. */
export interface ExpectedFold {
  readonly tokens: FoldTokens;
  /** Tokens of the summary. */
  readonly summary: number;
  /** Tokens by which the summary grows with each more that is folded: none where it has its least or its full length. */
  readonly growth: number;
}

/** The fold to expect where a summary has so many tokens for each that it stands for, and no more than `most`. */
export function expectFold(
  tokens: FoldTokens,
  summaryShare: number,
  most: number = Number.POSITIVE_INFINITY,
): ExpectedFold {
  const share = Math.round(summaryShare * (tokens.folded + tokens.merged));
  const summary = Math.min(most, Math.max(shortestSummary, share));
  return { tokens, summary, growth: summary === share ? summaryShare : 0 };
}

/** Tokens of which a fold would spare each further request. */
export function sparedBy({ tokens, summary }: ExpectedFold): number {
  return Math.max(0, tokens.folded + tokens.merged - summary);
}

/**
 * What speaks against folding now rather than later. A fold costs the summariser's call, the new summary in the prefix
 * and, while the provider still holds the prefix, writing anew what stands behind the summary instead of reading it. What
 * each folded token adds to that is paid once, now or later, so it is no reason to wait, as far as it is no more than the
 * token has cost already when it was sent the first time, which is 1 or more. What is left is the price of folding at
 * all; a schedule that pays it as soon as the rent has reached it costs at most twice as much as any other, since rent and
 * first sending together have then reached what the fold costs.
 */
export function buyingPrice(fold: ExpectedFold, prices: FoldPrices): number {
  const { writeFactor, readFactor, summarizerFactor, outputFactor } = prices;
  const { folded, merged, stays } = fold.tokens;
  const perToken = summarizerFactor + fold.growth * (summarizerFactor * outputFactor + writeFactor);
  const whole = coldPrice(fold, prices) + Math.max(0, writeFactor - readFactor) * stays;
  return whole - Math.min(1, perToken) * (folded + merged);
}

/** True if a fold makes the next request cheaper at once, where the whole prefix has to be written again anyway. */
export function paysWhenCold(fold: ExpectedFold, prices: FoldPrices): boolean {
  const { folded, merged } = fold.tokens;
  return coldPrice(fold, prices) < prices.writeFactor * (folded + merged);
}

/** True if a fold spares more than it leaves: the summary is less than half of what it stands for. */
export function isWorthwhile({ tokens, summary }: ExpectedFold): boolean {
  return tokens.folded + tokens.merged > 2 * summary;
}

function coldPrice({ tokens, summary }: ExpectedFold, prices: FoldPrices): number {
  const { writeFactor, summarizerFactor, outputFactor } = prices;
  const read = tokens.folded + tokens.merged + instructionTokens;
  return summarizerFactor * (read + outputFactor * summary) + writeFactor * summary;
}
