/** Why a request is cached as it is, or is not: every decision of this folder gives one of these. */
export const cacheReasons = Object.freeze([
  /** Places are marked. */
  'marked',
  /** The provider caches without being told where. */
  'automatic',
  /** No rule tells of the model, so nothing is sent that it may refuse. */
  'unknownModel',
  /** The model does not take this. */
  'notSupported',
  /** The prefix is shorter than the provider caches, or than was asked for. */
  'tooSmall',
  /** The prefix was not seen in an earlier invocation: whether it comes again is to be shown. */
  'firstTurn',
  /** The prefix was seen in an earlier invocation, and nothing holds it yet. */
  'seenBefore',
  /** What is held begins this request as well. */
  'held',
  /** What is held has been used as often as it may, yet there is nothing more to hold. */
  'nothingNew',
  /** What is held has been used as often as it may, and more could be held now. */
  'usesSpent',
  /** What is held is gone, or will be before the request arrives. */
  'expired',
  /** The request does not begin with what is held, and nobody said why: it may be different again next time. */
  'prefixChanged',
  /** The request does not begin with what is held, for a declared reason: from now on it begins with this. */
  'declaredBreak',
] as const);

/** One of `cacheReasons`. */
export type CacheReason = (typeof cacheReasons)[number];
