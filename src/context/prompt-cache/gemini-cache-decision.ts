import { type Instant, toMillis } from '../../events/index.ts';
import type { CacheReason } from './cache-reason.ts';
import type { CacheRules } from './cache-rules.ts';
import { fingerprintPrefix, isExtensionOf, type PrefixFingerprint, type ScopedPrefix } from './fingerprint-prefix.ts';

/** A prefix that an earlier request had, and the object that holds it, if there is one. */
export interface HeldPrefix {
  readonly fingerprint: PrefixFingerprint;
  readonly object?: {
    /** What the provider calls it. */
    readonly name: string;
    readonly expiresAt: Instant;
  };
}

/** How objects are to be made and used. */
export interface GeminiCacheOptions {
  /** How long an object is kept. Default 1,800. */
  readonly ttlSeconds?: number;
  /** An object that expires within so many seconds is not used any more. Default 30. */
  readonly marginSeconds?: number;
  /** In how many invocations an object is used before a longer one takes its place. Default 10. */
  readonly mostUses?: number;
  /** Shorter prefixes are not held, even where the provider would. Default 0. */
  readonly minimumTokens?: number;
}

/** What a decision is made from. */
export interface GeminiCacheInput extends ScopedPrefix {
  readonly rules: CacheRules;
  /** What the agent's request before left; absent: there is none. */
  readonly held?: HeldPrefix | undefined;
  /** In how many invocations before this one that prefix was sent. */
  readonly uses: number;
  readonly now: Instant;
  /** The request does not begin with the one before, and a declared reason says why. */
  readonly declaredBreak?: boolean;
  readonly options?: GeminiCacheOptions;
}

/** What to do before a request is sent. */
export type GeminiCacheDecision =
  /** Send it whole. */
  | {
      readonly action: 'none';
      readonly reason: CacheReason;
      /** The prefix to be compared with the next one. */
      readonly seen: PrefixFingerprint;
      /** An object that is of no use any more, to be deleted. */
      readonly release?: string;
    }
  /** Name the object and leave out instruction, tools and that many contents. */
  | { readonly action: 'reuse'; readonly reason: CacheReason; readonly name: string; readonly contents: number }
  /** Make an object of instruction, tools and that many contents, then go on as with `reuse`. */
  | ({ readonly action: 'create'; readonly reason: CacheReason } & NewObject)
  /** The same; afterwards delete another one. */
  | ({ readonly action: 'replace'; readonly reason: CacheReason; readonly release: string } & NewObject);

/** An object to be made. */
interface NewObject {
  /** With 0 it is made of instruction and tools alone. */
  readonly contents: number;
  readonly ttlSeconds: number;
  readonly fingerprint: PrefixFingerprint;
}

const defaults = Object.freeze({ ttlSeconds: 1800, marginSeconds: 30, mostUses: 10, minimumTokens: 0 });

/**
 * Whether a request to a Gemini model goes out with a cached object, and with which. An object is made in the second
 * invocation with the same prefix, not in the first; it never holds all contents of a request. Limits as in ADK's context
 * cache (`cache_intervals`, `ttl_seconds`, `min_tokens`), but a prefix that is broken for a declared reason is held again
 * at once, and an object is not made anew where it would hold the same.
 */
export function geminiCacheDecision(input: GeminiCacheInput): GeminiCacheDecision {
  const { plan, scope, lineOf, rules, held, uses, options = {} } = input;
  const { ttlSeconds, mostUses, minimumTokens } = { ...defaults, ...options };
  const object = held?.object;
  // Goes through all contents, and what is held is mostly used as it is.
  const seen = () => fingerprintPrefix(plan, scope, lineOf);
  const none = (reason: CacheReason): GeminiCacheDecision =>
    Object.freeze({ action: 'none', reason, seen: seen(), ...(object ? { release: object.name } : {}) });
  const make = (reason: CacheReason): GeminiCacheDecision => {
    if (plan.tokens < Math.max(rules.minimumTokens, minimumTokens)) return none('tooSmall');
    const made = { reason, contents: plan.contents.length, ttlSeconds, fingerprint: seen() };
    return Object.freeze(object ? { action: 'replace', release: object.name, ...made } : { action: 'create', ...made });
  };
  if (!rules.holdsObjects) return none(rules.basis === 'default' ? 'unknownModel' : 'notSupported');
  if (held === undefined) return none('firstTurn');
  if (!isExtensionOf(input, held.fingerprint))
    return object && input.declaredBreak === true ? make('declaredBreak') : none('prefixChanged');
  if (object === undefined) return uses < 1 ? none('firstTurn') : make('seenBefore');
  if (isOver(object.expiresAt, input)) return make('expired');
  const isNew = plan.contents.length > held.fingerprint.contents;
  if (uses >= mostUses && isNew) return make('usesSpent');
  const reason = uses >= mostUses ? 'nothingNew' : 'held';
  return Object.freeze({ action: 'reuse', reason, name: object.name, contents: held.fingerprint.contents });
}

/** True unless an object surely lasts until a request arrives. */
function isOver(expiresAt: Instant, { now, options }: GeminiCacheInput): boolean {
  const margin = (options?.marginSeconds ?? defaults.marginSeconds) * 1000;
  return !(toMillis(now) + margin < toMillis(expiresAt));
}
