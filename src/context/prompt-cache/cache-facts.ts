import type { Provider } from '../../events/index.ts';
import type { UsageConvention } from './normalize-usage.ts';

/** What a provider is known to do with the prefixes of a model's requests. */
export interface CacheFacts {
  /** Shorter prefixes are not cached. */
  readonly minimumTokens: number;
  /** A prefix is cached in whole steps of so many tokens. */
  readonly stepTokens: number;
  /** How long a prefix is kept after its last use, as can be chosen, shortest first. */
  readonly ttlSeconds: readonly number[];
  /** How many places of a request can be marked to be written; 0: the provider takes no marks. */
  readonly mostBreakpoints: number;
  /** How many blocks, from a mark backwards and its own included, are looked up; absent: all. */
  readonly lookBackBlocks?: number;
  /** Where only marked places are looked up: how many of them, the last ones. */
  readonly readBreakpoints?: number;
  /** Takes a key that leads requests with one prefix to one machine. */
  readonly takesKey: boolean;
  /** Prefixes are held as objects of their own, made by a call and named in requests. */
  readonly holdsObjects: boolean;
  /** How the provider reports usage. */
  readonly usage: UsageConvention;
  /** Price of a token that is read from the cache, in prices of one that is not. */
  readonly readFactor: number;
  /** The same for one that is written, with the shortest ttl. */
  readonly writeFactor: number;
  /** The same with a longer ttl; absent: not known, so that a call that wrote so has no known cost. */
  readonly longWriteFactor?: number;
  /** USD per million tokens; absent: not known. */
  readonly prices?: ListPrices;
}

/** List prices of a model, in USD per million tokens. */
export interface ListPrices {
  readonly input: number;
  readonly output: number;
  /** Prices of requests with more input tokens than `above`, all of their tokens, by rising `above`. */
  readonly tiers?: readonly { readonly above: number; readonly input: number; readonly output: number }[];
}

/** Where facts were read, and when. */
export interface CacheSource {
  readonly source: string;
  /** The day, such as `2026-11-30`. */
  readonly date: string;
}

/**
 * Some facts about some models. `model` is a model's name, which covers its dated versions and previews, or the beginning
 * of names with a `*` behind it.
 */
export interface CacheRuleRow extends Partial<CacheFacts>, CacheSource {
  readonly provider: Provider;
  readonly model: string;
}
