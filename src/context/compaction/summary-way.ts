import type { FoldPrices } from './fold-costs.ts';

/** What the two ways of asking for a summary are weighed by. */
export interface WayFacts {
  /** Tokens of the agent's next request. */
  readonly requestTokens: number;
  /** Tokens of the conversation as it is rendered for a summariser, its instruction included. */
  readonly renderedTokens: number;
  /** Tokens of the instruction that is appended to the agent's request. */
  readonly appendedTokens: number;
  /** Tokens that the summary is expected to have. */
  readonly summaryTokens: number;
  /** Since the agent's last request; absent: not known. */
  readonly secondsSinceRequest?: number;
  readonly prices: FoldPrices;
}

/**
 * How to ask for a summary: `shared`, the agent's own request with the instruction appended, of which most is read from
 * the provider's cache if it is still there; or `own`, a request of its own to the summariser. The cheaper one.
 */
export function summaryWay(facts: WayFacts): 'shared' | 'own' {
  const { requestTokens, renderedTokens, appendedTokens, summaryTokens, secondsSinceRequest, prices } = facts;
  const { readFactor, writeFactor, ttlSeconds, summarizerFactor, outputFactor } = prices;
  const isWarm = secondsSinceRequest !== undefined && secondsSinceRequest < ttlSeconds;
  const prefixFactor = isWarm ? readFactor : Math.max(1, writeFactor);
  const written = outputFactor * summaryTokens;
  const shared = prefixFactor * requestTokens + appendedTokens + written;
  const own = summarizerFactor * (renderedTokens + written);
  return shared < own ? 'shared' : 'own';
}
