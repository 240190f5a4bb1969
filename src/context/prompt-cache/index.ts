/**
 * What of a request a provider can take from its cache: the prefix and its fingerprint, what is known of providers and
 * models as dated data, where to mark a request or when to hold its prefix, and what calls cost. Pure: no clock, no I/O,
 * no promise.
 */
export { anthropicBreakpoints } from './anthropic-breakpoints.ts';
export type { Breakpoint } from './breakpoint.ts';
export type { CacheFacts, CacheRuleRow, CacheSource, ListPrices } from './cache-facts.ts';
export { type CacheRules, cacheRulesFor } from './cache-rules.ts';
export {
  costOf,
  dollarsOf,
  pricesOf,
} from './cost-of.ts';
export type { PrefixScope } from './fingerprint-prefix.ts';
export {
  type GeminiCacheDecision,
  geminiCacheDecision,
  type HeldPrefix,
} from './gemini-cache-decision.ts';
export { longWriteTokensOf, normalizeUsage } from './normalize-usage.ts';
export { openAiBreakpoints, openAiCacheKey } from './openai-cache.ts';
export { type PrefixPlan, planPrefix } from './plan-prefix.ts';
