import type { Content, Instant, ToolDeclaration } from '../events/index.ts';

/** What an object in a provider's cache is to hold: the beginning of requests to a model. */
export interface CachedPrefix {
  /** What the provider calls the model. */
  readonly model: string;
  readonly instruction: readonly string[];
  readonly tools: readonly ToolDeclaration[];
  /** None is a prefix too. */
  readonly contents: readonly Content[];
  /** How long it is to be kept. */
  readonly ttlSeconds: number;
}

/** An object in a provider's cache. */
export interface CachedObject {
  /** What requests name it by. */
  readonly name: string;
  readonly expiresAt: Instant;
}

/** Makes and removes objects in a provider's cache. Either call may fail; the request then goes out without one. */
export interface PromptCacheClient {
  create(prefix: CachedPrefix, options?: { readonly signal?: AbortSignal }): Promise<CachedObject>;
  /** An object that is gone already is no failure. */
  delete(name: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
}
