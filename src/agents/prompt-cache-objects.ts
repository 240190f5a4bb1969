import {
  type CacheRules,
  type GeminiCacheDecision,
  geminiCacheDecision,
  type HeldPrefix,
  type PrefixPlan,
  type PrefixScope,
} from '../context/prompt-cache/index.ts';
import { type Clock, type ModelRequest, type SessionKey, toInstant } from '../events/index.ts';
import type { CacheDirections, CachedObject, Logger, PromptCacheClient } from '../models/index.ts';
import { contentHash } from './content-hashes.ts';
import { nameOf, RecentMap } from './recent-map.ts';
import { unlessAborted } from './until-aborted.ts';

/** Requests do not wait longer for an object to be made. */
const longestMakingMs = 10_000;
const longestDeletingMs = 5_000;
/** Conversations whose prefixes are remembered; objects of others end with their time. */
const mostRemembered = 2000;

/** What makes and keeps objects. */
export interface ObjectParts {
  readonly client: PromptCacheClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ttlSeconds?: number | undefined;
  readonly reuseLimit?: number | undefined;
}

/** A request that may go out with an object. */
export interface ObjectRequest {
  /** Whose prefix it is: session, life of it, agent, provider, as `nameOf` writes them. */
  readonly name: string;
  readonly invocationId: string;
  /** As it is sent. */
  readonly request: ModelRequest;
  readonly plan: PrefixPlan;
  readonly rules: CacheRules;
  readonly scope: PrefixScope;
  readonly declaredBreak: boolean;
  readonly signal: AbortSignal;
}

/** What is known of a conversation's prefix. */
interface Known {
  readonly held: HeldPrefix;
  /** In how many invocations before this one it was sent. */
  readonly uses: number;
  readonly invocationId: string;
}

type Making = Extract<GeminiCacheDecision, { readonly action: 'create' | 'replace' }>;

/**
 * The objects that this process has made in a provider's cache, and what it has seen of prefixes. An object is made when
 * a prefix comes in a second invocation, and deleted when another one takes its place, when its session is erased, when a
 * request with it fails, and at the end. Whatever fails here is logged, and the request goes without.
 */
export class PromptCacheObjects {
  readonly #parts: ObjectParts;
  readonly #known = new RecentMap<Known>(mostRemembered);
  /** By the names of conversations. */
  readonly #made = new Map<string, CachedObject>();
  readonly #deletions = new Set<Promise<void>>();

  constructor(parts: ObjectParts) {
    this.#parts = parts;
  }

  /** What to send the request with; `undefined`: send it whole. */
  async directionsFor(asked: ObjectRequest): Promise<CacheDirections['cachedContent']> {
    const { name, invocationId } = asked;
    const known = this.#known.get(name);
    const uses = known === undefined ? 0 : known.uses + (known.invocationId === invocationId ? 0 : 1);
    const decision = this.#decide(asked, known?.held, uses);
    const note = (held: HeldPrefix, since = uses) => this.#known.set(name, { held, uses: since, invocationId });
    if (decision.action === 'reuse') {
      if (known !== undefined) note(known.held);
      return { name: decision.name, contents: decision.contents };
    }
    const object = decision.action === 'none' ? undefined : await this.#make(asked, decision);
    if (decision.action !== 'create' && decision.release !== undefined) this.#release(name, decision.release);
    if (decision.action === 'none') note({ fingerprint: decision.seen });
    else note({ fingerprint: decision.fingerprint, ...(object && { object }) }, 0);
    if (object === undefined || decision.action === 'none') return undefined;
    this.#made.set(name, object);
    return { name: object.name, contents: decision.contents };
  }

  /** Lets go of a conversation's object: a request with it has failed, and it may be the reason. */
  drop(name: string): void {
    const object = this.#made.get(name);
    if (object === undefined) return;
    const known = this.#known.get(name);
    if (known !== undefined)
      this.#known.set(name, { ...known, held: { fingerprint: known.held.fingerprint }, uses: 0 });
    this.#release(name, object.name);
  }

  /** Lets go of all that quotes a session. */
  forget({ appName, userId, sessionId }: SessionKey): void {
    this.#known.deleteBelow(appName, userId, sessionId);
    const start = `${nameOf(appName, userId, sessionId).slice(0, -1)},`;
    for (const [name, object] of this.#made) if (name.startsWith(start)) this.#release(name, object.name);
  }

  /** Deletes all that is left. Never throws. */
  async close(): Promise<void> {
    for (const [name, object] of this.#made) this.#release(name, object.name);
    await Promise.all(this.#deletions);
  }

  #decide({ plan, scope, rules, declaredBreak }: ObjectRequest, held: HeldPrefix | undefined, uses: number) {
    const { clock, ttlSeconds, reuseLimit } = this.#parts;
    return geminiCacheDecision({
      plan,
      scope,
      rules,
      held,
      uses,
      declaredBreak,
      now: toInstant(clock.now()),
      lineOf: contentHash,
      options: {
        ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
        ...(reuseLimit === undefined ? {} : { mostUses: reuseLimit }),
      },
    });
  }

  async #make({ request, scope, signal }: ObjectRequest, decision: Making): Promise<CachedObject | undefined> {
    const { client, logger } = this.#parts;
    const { contents, ttlSeconds, reason } = decision;
    const { instruction, tools } = request;
    const prefix = {
      model: scope.model,
      instruction,
      tools,
      contents: request.contents.slice(0, contents),
      ttlSeconds,
    };
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(longestMakingMs)]);
    try {
      const object = await unlessAborted(() => client.create(prefix, { signal: inTime }), inTime);
      logger.debug('A prefix is held in the cache.', { object: object.name, contents, reason });
      return object;
    } catch (error) {
      if (!signal.aborted)
        logger.warn('A prefix could not be cached; the request goes without.', { reason, error: String(error) });
      return undefined;
    }
  }

  #release(name: string, objectName: string): void {
    if (this.#made.get(name)?.name === objectName) this.#made.delete(name);
    const deletion = this.#delete(objectName).finally(() => this.#deletions.delete(deletion));
    this.#deletions.add(deletion);
  }

  async #delete(objectName: string): Promise<void> {
    const { client, logger } = this.#parts;
    const signal = AbortSignal.timeout(longestDeletingMs);
    try {
      await unlessAborted(() => client.delete(objectName, { signal }), signal);
    } catch (error) {
      logger.warn('An object stays in the cache until its time is over.', { object: objectName, error: String(error) });
    }
  }
}
