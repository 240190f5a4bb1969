import type { RequestTokens } from '../context/assembly/index.ts';
import { type Breakpoint, type CacheRules, cacheRulesFor } from '../context/prompt-cache/index.ts';
import {
  type Clock,
  isPlainObject,
  type JsonMap,
  type ModelRequest,
  type RequestJournal,
  type SessionKey,
} from '../events/index.ts';
import type { CacheDirections, Logger } from '../models/index.ts';
import type { HeldView } from './held-events.ts';
import type { RequestInput } from './invocation-driver.ts';
import { type CachePolicy, planCounted, planDirections } from './plan-cache.ts';
import { PromptCacheObjects } from './prompt-cache-objects.ts';

/** A request that is about to be sent. */
export interface CachedRequest {
  /** As the log gives it. */
  readonly request: ModelRequest;
  /** The same with the bytes of media. */
  readonly filled: ModelRequest;
  readonly input: RequestInput;
  readonly tokens: RequestTokens;
  readonly journal: RequestJournal;
  /** Of the request before. */
  readonly previous: RequestJournal | undefined;
  readonly seen: HeldView;
  /** Session, life of it, agent and provider, as `nameOf` writes them. */
  readonly name: string;
  readonly session: SessionKey;
  readonly invocationId: string;
  readonly signal: AbortSignal;
}

/** Decides what providers are told about caching the requests of one driver, by one policy. */
export class RequestCaching {
  readonly #policy: CachePolicy;
  readonly #objects: PromptCacheObjects | undefined;

  constructor(policy: CachePolicy, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    const { client, ttlSeconds, reuseLimit } = policy;
    this.#policy = policy;
    this.#objects = client && new PromptCacheObjects({ client, clock, logger, ttlSeconds, reuseLimit });
  }

  /** What is sent with a request; nothing where its sender did not ask for it. */
  async directionsFor(cached: CachedRequest): Promise<CacheDirections | undefined> {
    const { request, input, tokens, journal, seen, session } = cached;
    if (input.cacheFor === undefined) return undefined;
    const rules = cacheRulesFor(input, this.#policy.rules);
    if (rules.basis === 'default') return undefined;
    const plan = planCounted(request, tokens);
    const { agentName } = journal.view;
    const previous = marksBefore(cached);
    const policy = this.#policy;
    const directions = planDirections({ request, plan, rules, policy, session, agentName, previous });
    seen.marked = { prefixFingerprint: journal.prefixFingerprint, breakpoints: directions.breakpoints ?? [] };
    const cachedContent = await this.#objectFor(cached, { plan, rules });
    const all = { ...directions, ...(cachedContent && { cachedContent }) };
    return Object.keys(all).length === 0 ? undefined : all;
  }

  /** What a summary is asked for with that shares the agent's prefix: the same, without objects, and nothing is noted. */
  marksFor(
    shared: Pick<CachedRequest, 'request' | 'input' | 'tokens' | 'seen' | 'session'> & { readonly agentName: string },
  ): CacheDirections | undefined {
    const { request, input, tokens, seen, session, agentName } = shared;
    const rules = cacheRulesFor(input, this.#policy.rules);
    if (input.cacheFor === undefined || rules.basis === 'default') return undefined;
    const plan = planCounted(request, tokens);
    const previous = seen.marked?.breakpoints;
    return planDirections({ request, plan, rules, policy: this.#policy, session, agentName, previous });
  }

  /** A request with these directions has failed: an object that it named may be the reason. */
  noteFailure(name: string): void {
    this.#objects?.drop(name);
  }

  /** Lets go of all that quotes a session. */
  forget(key: SessionKey): void {
    this.#objects?.forget(key);
  }

  /** Deletes what was made in caches. Never throws. */
  async close(): Promise<void> {
    await this.#objects?.close();
  }

  async #objectFor(
    { filled, input, journal, name, invocationId, signal }: CachedRequest,
    { plan, rules }: { readonly plan: ReturnType<typeof planCounted>; readonly rules: CacheRules },
  ): Promise<CacheDirections['cachedContent']> {
    if (!rules.holdsObjects || !isFreeOfChoice(input.config)) return undefined;
    return this.#objects?.directionsFor({
      name,
      invocationId,
      request: filled,
      plan,
      rules,
      scope: { model: input.model, ...(input.cacheFor && { backend: input.cacheFor }) },
      declaredBreak: journal.breaks.length > 0,
      signal,
    });
  }
}

/** The marks of the request before, if this one begins with its stable part and it was planned here. */
function marksBefore({ journal, previous, seen }: CachedRequest): readonly Breakpoint[] | undefined {
  const isKept = journal.breaks.length === 0 && previous?.prefixFingerprint === seen.marked?.prefixFingerprint;
  return isKept ? seen.marked?.breakpoints : undefined;
}

/** An object holds the tools, and a choice among them cannot be told beside it. */
function isFreeOfChoice(config: JsonMap = {}): boolean {
  const { settings } = config;
  return !isPlainObject(settings) || settings.toolChoice === undefined || settings.toolChoice === 'auto';
}
