import { PalimpsestError } from '../errors/index.ts';
import {
  type ArtifactStore,
  type Clock,
  type CountTokens,
  type EraseReceipt,
  type Event,
  type EventInput,
  estimateTokens,
  type Instant,
  type Page,
  parseId,
  parseInstant,
  parseSessionKey,
  type SeqRange,
  type SessionKey,
  toMillis,
  type View,
} from '../events/index.ts';
import { encodeCursor, systemClock } from '../internal/index.ts';
import { BookkeepingCache } from './bookkeeping-cache.ts';
import { commitLoop, requireHead } from './commit-loop.ts';
import { createSession } from './create-session.ts';
import { eraseExpired, eraseSession, eraseUserData } from './erase-session.ts';
import { forkSession } from './fork-session.ts';
import { HeadCache } from './head-cache.ts';
import { KeyLock } from './key-lock.ts';
import { readLiveWindow } from './live-window.ts';
import {
  parseAppendOptions,
  parseLease,
  parseListCursor,
  parseOptions,
  parseOrder,
  parseView,
  requireObject,
} from './parse-options.ts';
import { planAppend } from './plan-append.ts';
import { eraseQuotes } from './quoted-sources.ts';
import { parseLimit, readEffectiveEvents, readEvents } from './read-events.ts';
import { type ReadyEvent, readyEvent } from './ready-event.ts';
import { readText, refuseUnnamed } from './request-texts.ts';
import { requireEvent } from './require-event.ts';
import { acquireLease, releaseLease, renewLease } from './run-lease.ts';
import { findStored, refuseRepeatedIds } from './same-event.ts';
import { createSessionArtifacts } from './session-artifacts.ts';
import { hasExpired, infoOf } from './session-head.ts';
import type { BeforeAppend, SessionParts } from './session-parts.ts';
import type {
  AppendOptions,
  AppendResult,
  BeforeErase,
  CreateSession,
  Lease,
  LeaseOptions,
  ListOptions,
  LiveWindow,
  QuotesToErase,
  ReadOptions,
  Session,
  SessionInfo,
  SessionService,
} from './session-service.ts';
import type { SessionHead, SessionStore } from './session-store.ts';
import { mergeScopes, type StateMerges, scopeOf } from './state.ts';
import { unlessGone } from './unless-gone.ts';
import { type CostSum, readUsage, readUsageOfUser, type UsageOwner, type UsageReport } from './usage-report.ts';

/** What a session service is made of. */
export interface SessionServiceOptions {
  readonly store: SessionStore;
  readonly clock?: Clock;
  /** Counts tokens once, at append. Default: an estimate. */
  readonly countTokens?: CountTokens;
  /** How writes to a state key meet what stands there; keys that are not named are replaced. */
  readonly merges?: StateMerges;
  readonly beforeAppend?: BeforeAppend;
  /** Told before and after events are removed for good; if it throws before, nothing is removed. */
  readonly beforeErase?: BeforeErase;
  /** Makes what adds up the costs of calls for reports of usage. Default: reports have none. */
  readonly sumCosts?: () => CostSum;
}

const defaultListSize = 50;
const sweepBatch = 100;

/** Makes the service that keeps all rules about sessions, over a store that keeps none. */
export function createSessionService(options: SessionServiceOptions): SessionService {
  return new StoredSessions(options);
}

class StoredSessions implements SessionService {
  readonly artifacts: ArtifactStore;
  readonly #parts: SessionParts;

  #closed = false;

  constructor(options: SessionServiceOptions) {
    const openStore = () => this.#openStore(options.store);
    this.#parts = {
      get store() {
        return openStore();
      },
      clock: options.clock ?? systemClock,
      countTokens: options.countTokens ?? estimateTokens,
      merges: Object.freeze({ ...options.merges }),
      heads: new HeadCache(),
      bookkeeping: new BookkeepingCache(),
      locks: new KeyLock(),
      beforeAppend: options.beforeAppend,
      beforeErase: options.beforeErase,
      sumCosts: options.sumCosts,
    };
    this.artifacts = createSessionArtifacts(this.#parts);
  }

  async create(input: CreateSession): Promise<Session> {
    return this.#session(await createSession(this.#parts, requireObject(input, 'input')));
  }

  async open(key: SessionKey): Promise<Session | undefined> {
    const checked = parseSessionKey(key);
    for (let head = await this.#parts.store.head(checked); ; ) {
      if (head === undefined || hasExpired(head, this.#parts.clock.now())) return undefined;
      const session = await this.#session(head);
      const now = await this.#parts.store.head(checked);
      // Head and state are read apart; they belong together if nothing was written in between.
      if (now?.stamp === head.stamp && now.incarnation === head.incarnation) return session;
      head = now;
    }
  }

  async append(key: SessionKey, events: readonly EventInput[], options?: AppendOptions): Promise<AppendResult> {
    const checked = parseSessionKey(key);
    const how = parseAppendOptions(options, checked);
    if (!Array.isArray(events))
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'events', reason: 'must be a list of events' });
    const ready: ReadyEvent[] = [];
    for (const [index, input] of events.entries())
      ready.push(await readyEvent(this.#parts, input, `events[${index}]`, checked));
    const drafts = ready.map(({ draft }) => draft);
    refuseRepeatedIds(checked, drafts);
    refuseUnnamed(how.texts ?? [], drafts);
    const replacedSurrogates = ready.reduce((sum, item) => sum + item.replacedSurrogates, 0);
    if (ready.length === 0)
      return { events: [], version: (await requireHead(this.#parts, checked)).version, replacedSurrogates };
    const answer = async () => {
      const stored = await findStored(this.#parts.store, checked, drafts);
      if (stored === undefined) return undefined;
      const { version } = await requireHead(this.#parts, checked);
      return { events: stored, version, replacedSurrogates, repeated: true as const };
    };
    return commitLoop<AppendResult>(
      this.#parts,
      checked,
      async (head) => {
        const { commit, result } = await planAppend(this.#parts, head, ready, how);
        return {
          ...(commit ? { commit } : {}),
          result: { events: result, version: commit?.head.version ?? head.version, replacedSurrogates },
        };
      },
      answer,
    );
  }

  async read(key: SessionKey, options?: ReadOptions): Promise<Page<Event>> {
    return readEvents(this.#parts, parseSessionKey(key), parseOptions(options));
  }

  async readEffective(key: SessionKey, options?: ReadOptions): Promise<Page<Event>> {
    return readEffectiveEvents(this.#parts, parseSessionKey(key), parseOptions(options));
  }

  async readLive(key: SessionKey, view: View): Promise<LiveWindow> {
    return readLiveWindow(this.#parts, parseSessionKey(key), parseView(view));
  }

  async readBookkeeping(
    key: SessionKey,
    { fromSeq = 1 }: { readonly fromSeq?: number } = {},
  ): Promise<readonly Event[]> {
    const checked = parseSessionKey(key);
    const { version } = await requireHead(this.#parts, checked);
    if (!Number.isSafeInteger(fromSeq) || fromSeq < 1)
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'fromSeq', reason: 'must be a seq: 1, 2, 3 …' });
    if (fromSeq > version) return [];
    const ranges: readonly SeqRange[] = [[fromSeq, Number.MAX_SAFE_INTEGER]];
    return this.#parts.store.rows({ key: checked, kind: 'bookkeeping', ...(fromSeq === 1 ? {} : { ranges }) });
  }

  async readCall(key: SessionKey, callId: string): Promise<readonly Event[]> {
    const checked = parseSessionKey(key);
    await requireHead(this.#parts, checked);
    if (typeof callId !== 'string')
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'callId', reason: 'must be a text' });
    return this.#parts.store.rows({ key: checked, callId });
  }

  async readText(key: SessionKey, hash: string): Promise<string | undefined> {
    return readText(this.#parts, parseSessionKey(key), hash);
  }

  async eraseQuotes(quotes: QuotesToErase): Promise<number> {
    return eraseQuotes(this.#parts, quotes);
  }

  async list(options: ListOptions): Promise<Page<SessionInfo>> {
    const limit = parseLimit(requireObject(options, 'options').limit, defaultListSize);
    const oldestFirst = parseOrder(options.order) === 'oldestFirst';
    const after = options.cursor === undefined ? undefined : parseListCursor(options.cursor);
    const listed = await this.#parts.store.list({
      by: 'active',
      appName: parseId(options.appName, 'appName'),
      oldestFirst,
      limit: limit + 1,
      ...(options.userId === undefined ? {} : { userId: parseId(options.userId, 'userId') }),
      ...(options.projectId === undefined ? {} : { projectId: parseId(options.projectId, 'projectId') }),
      ...(after ? { after } : {}),
    });
    const now = this.#parts.clock.now();
    const page = listed.slice(0, limit);
    const items = page.filter(({ head }) => !hasExpired(head, now)).map(({ head }) => infoOf(head));
    const last = page.at(-1);
    return listed.length > limit && last ? { items, nextCursor: encodeCursor(last.position) } : { items };
  }

  async listBehind(options: { readonly appName: string; readonly limit?: number }): Promise<readonly SessionInfo[]> {
    const appName = parseId(options?.appName, 'appName');
    const listed = await this.#parts.store.list({
      by: 'behind',
      appName,
      liveAt: this.#parts.clock.now(),
      limit: parseLimit(options.limit, defaultListSize),
    });
    return listed.map(({ head }) => infoOf(head));
  }

  async noteIngested(key: SessionKey, incarnation: string, seq: number): Promise<void> {
    const checked = parseSessionKey(key);
    if (!Number.isSafeInteger(seq) || seq < 0) {
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'seq', reason: 'must be a seq: 0, 1, 2 …' });
    }
    await unlessGone(() =>
      commitLoop(this.#parts, checked, (head) => {
        if (head.incarnation !== incarnation || head.ingestedSeq >= seq) return { result: undefined };
        const moved = { ...head, stamp: head.stamp + 1, ingestedSeq: Math.min(seq, head.version) };
        return { commit: { expectedStamp: head.stamp, head: moved }, result: undefined };
      }),
    );
  }

  async fork(key: SessionKey, options: { readonly atSeq: number; readonly sessionId?: string }): Promise<Session> {
    return this.#session(await forkSession(this.#parts, parseSessionKey(key), requireObject(options, 'options')));
  }

  async rewind(
    key: SessionKey,
    options: {
      readonly beforeInvocationId: string;
      readonly shared?: boolean;
      readonly expectedVersion?: number | 'any';
    },
  ): Promise<Event> {
    const beforeInvocationId = parseId(requireObject(options, 'options').beforeInvocationId, 'beforeInvocationId');
    const rewind = { beforeInvocationId, ...(options.shared ? { shared: true as const } : {}) };
    const expected = options.expectedVersion === undefined ? {} : { expectedVersion: options.expectedVersion };
    const { events } = await this.append(key, [{ author: 'system', actions: { rewind } }], expected);
    return requireEvent(events[0], key);
  }

  async end(key: SessionKey): Promise<Event> {
    const checked = parseSessionKey(key);
    const ready = await this.#endEvent(checked);
    const events = await commitLoop(this.#parts, checked, async (head) => {
      if (!head.ended) return planAppend(this.#parts, head, [ready], {});
      return { result: await this.#parts.store.rows({ key: checked, ranges: [[head.version, head.version]] }) };
    });
    return requireEvent(events[0], checked);
  }

  async stateHistory(scope: { readonly appName: string; readonly userId?: string }, key: string) {
    const appName = parseId(scope?.appName, 'appName');
    const values = await this.#parts.store.states(
      scope.userId === undefined
        ? { kind: 'app', appName }
        : { kind: 'user', appName, userId: parseId(scope.userId, 'userId') },
      { history: true, keys: [key] },
    );
    return values.map(({ revision, value }) => ({ revision, value }));
  }

  async usage(key: SessionKey): Promise<UsageReport> {
    return readUsage(this.#parts, parseSessionKey(key));
  }

  async usageOfUser(user: UsageOwner): Promise<UsageReport> {
    return readUsageOfUser(this.#parts, requireObject(user, 'user'), (options) => this.list(options));
  }

  async acquireLease(key: SessionKey, owner: string, options?: LeaseOptions): Promise<Lease> {
    return acquireLease(this.#parts, key, owner, parseOptions(options));
  }

  async renewLease(lease: Lease, options?: { readonly seconds?: number }): Promise<Lease> {
    return renewLease(this.#parts, parseLease(lease), parseOptions(options).seconds);
  }

  async releaseLease(lease: Lease): Promise<void> {
    return releaseLease(this.#parts, parseLease(lease));
  }

  async delete(key: SessionKey): Promise<EraseReceipt> {
    return eraseSession(this.#parts, parseSessionKey(key));
  }

  async deleteUserData(scope: { readonly appName: string; readonly userId: string }): Promise<EraseReceipt> {
    return eraseUserData(this.#parts, {
      appName: parseId(scope?.appName, 'appName'),
      userId: parseId(scope?.userId, 'userId'),
    });
  }

  async sweepExpired(now: Instant): Promise<number> {
    const before = toMillis(parseInstant(now, 'now'));
    const failures = new Map<string, unknown>();
    for (let swept = 0; ; ) {
      // What cannot be removed stays in the list; it must not keep what stands behind it.
      const limit = sweepBatch + failures.size;
      const expired = await this.#parts.store.list({ by: 'expired', before, limit });
      const untried = expired.filter(({ head }) => !failures.has(head.incarnation));
      if (untried.length === 0) {
        for (const failure of failures.values()) throw failure;
        return swept;
      }
      for (const { head } of untried) {
        try {
          if ((await eraseExpired(this.#parts, head)) !== 'moved') swept++;
        } catch (error) {
          failures.set(head.incarnation, error);
        }
      }
    }
  }

  async endIdle(options: { readonly appName: string; readonly idleSince: Instant }): Promise<readonly SessionInfo[]> {
    const appName = parseId(options?.appName, 'appName');
    const before = Math.floor(toMillis(parseInstant(options.idleSince, 'idleSince')) / 1000);
    const idle = await this.#parts.store.list({
      by: 'idle',
      appName,
      before,
      liveAt: this.#parts.clock.now(),
      limit: sweepBatch,
    });
    const ended: SessionInfo[] = [];
    for (const { head } of idle) if (await this.#endIfIdle(head, before)) ended.push(infoOf(head));
    return ended;
  }

  async health(): Promise<void> {
    return this.#parts.store.health();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const { store } = this.#parts;
    this.#closed = true;
    await store.close();
  }

  #openStore(store: SessionStore): SessionStore {
    if (this.#closed) throw new PalimpsestError('CLOSED', { what: 'The session service' });
    return store;
  }

  /** What was appended or deleted since the list was read is left alone. */
  async #endIfIdle({ key, incarnation }: SessionHead, before: number): Promise<boolean> {
    const ready = await this.#endEvent(key);
    const ended = await unlessGone(() =>
      commitLoop(this.#parts, key, async (head) => {
        const isIdle = head.incarnation === incarnation && !head.ended && head.updatedAt < before * 1000;
        return isIdle ? { ...(await planAppend(this.#parts, head, [ready], {})), result: true } : { result: false };
      }),
    );
    return ended ?? false;
  }

  async #endEvent(key: SessionKey): Promise<ReadyEvent> {
    return readyEvent(this.#parts, { author: 'system', actions: { sessionEnd: true } }, 'event', key);
  }

  async #session(head: SessionHead): Promise<Session> {
    const kinds = ['session', 'user', 'app'] as const;
    const values = await Promise.all(kinds.map((kind) => this.#parts.store.states(scopeOf(kind, head.key))));
    const state = mergeScopes(kinds.map((kind, index) => ({ kind, values: values[index] ?? [] })));
    return Object.freeze({ ...infoOf(head), state });
  }
}
