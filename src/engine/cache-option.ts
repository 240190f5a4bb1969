import type { CachePolicy } from '../agents/index.ts';
import type { CacheRuleRow } from '../context/prompt-cache/index.ts';
import type { PromptCacheClient } from '../models/index.ts';

/**
 * How requests are cached by providers. `auto`: places are marked for Anthropic's models, and OpenAI's are given a key for
 * each session and agent, from GPT-5.6 on marks as well. `off`: providers are told nothing.
 */
export type CacheOption = 'auto' | 'off' | CacheOptions;

/** The same as `auto`, and what is to be different. */
export interface CacheOptions {
  /** What is known of models beyond what the library knows, or against it; prices too. */
  readonly rules?: readonly CacheRuleRow[];
  /**
   * How long what is cached is kept at least, by Anthropic's marks and Gemini's objects: an hour costs more where it is written.
   * Default: the shortest time.
   */
  readonly ttl?: '5m' | '1h';
  /** Mark the end of each request to a model of Anthropic's, or of OpenAI's from GPT-5.6 on, too: it pays where runs call tools and recall memories. */
  readonly moreSteps?: boolean;
  /** Holds the prefixes of Gemini's models as objects, from the second invocation on. None: none are made. */
  readonly client?: PromptCacheClient;
  /** In how many invocations an object is used before a longer one takes its place. Default 10. */
  readonly reuseLimit?: number;
}

const seconds = { '5m': 300, '1h': 3600 } as const;

/** The rows of the option. */
export function cacheRulesIn(option: CacheOption = 'auto'): readonly CacheRuleRow[] {
  return typeof option === 'string' ? [] : (option.rules ?? []);
}

/** What a driver is given for the option; `undefined` where nothing is to be cached. */
export function cachePolicyOf(option: CacheOption = 'auto'): CachePolicy | undefined {
  if (option === 'off') return undefined;
  if (option === 'auto') return {};
  const { ttl, ...rest } = option;
  return { ...rest, ...(ttl === undefined ? {} : { ttlSeconds: seconds[ttl] }) };
}
