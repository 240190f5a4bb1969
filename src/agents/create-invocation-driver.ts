import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import {
  beginsInvocation,
  type Clock,
  type CountTokens,
  type Event,
  type EventInput,
  estimateTokens,
  foldCoverage,
  type SessionKey,
} from '../events/index.ts';
import { uuidV4, uuidV7 } from '../internal/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import { type Logger, type Span, silentLogger, silentTelemetry, type Telemetry } from '../models/index.ts';
import type { Lease, Session, SessionService } from '../sessions/index.ts';
import { guardedLogger } from './guarded-logger.ts';
import { guardedTelemetry } from './guarded-telemetry.ts';
import type { HeldEvents } from './held-events.ts';
import { HeldLease } from './held-lease.ts';
import type { BeginInvocation, Invocation, InvocationDriver } from './invocation-driver.ts';
import { unwantedResult } from './late-results.ts';
import { LogCache } from './log-cache.ts';
import { matchPrompt } from './match-prompt.ts';
import { matchWholePrompt } from './match-whole-prompt.ts';
import { withMemorySources } from './memory-sources.ts';
import { nextRequest, type SentInput } from './next-request.ts';
import { answersCalls, idsAnswered, type OpenCall, OpenCalls, stoppedAnswer } from './open-calls.ts';
import { openOrCreate } from './open-or-create.ts';
import { type OpenRun, OpenRuns } from './open-runs.ts';
import type { CachePolicy } from './plan-cache.ts';
import { promptEvents } from './prompt-events.ts';
import { type CheckedBegin, readBegin } from './read-begin.ts';
import { RecentMap } from './recent-map.ts';
import { RequestCaching } from './request-caching.ts';
import type { RunCompaction } from './run-compaction.ts';
import { RunningInvocation } from './running-invocation.ts';
import { SessionLine } from './session-line.ts';
import type { SessionLog } from './session-log.ts';
import { appendHeld, type HeldSession, type SharedParts } from './shared-parts.ts';

/** What an invocation driver is made of. */
export interface DriverParts {
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly clock: Clock;
  /** Counts what a request has besides the log. Default: an estimate. */
  readonly countTokens?: CountTokens;
  /** Where work is timed that begins without a span of its caller's. */
  readonly telemetry?: Telemetry;
  readonly logger?: Logger;
  /** How requests are cached whose senders ask for that. Default: not at all. */
  readonly cache?: CachePolicy;
  /** Folds logs. Default: they are not folded. */
  readonly compaction?: RunCompaction;
  /** Told when an invocation is over and its session given back. */
  readonly afterRun?: (key: SessionKey) => void;
  /** Stands in the leases. Default: a name of this driver's own. */
  readonly owner?: string;
}

/** Sessions and invocations of which a driver remembers what its next request needs. */
const mostRemembered = 2000;

/** A driver, and what whoever has made it does with it. */
export interface ClosableDriver extends InvocationDriver {
  /** The request that an agent would send next, for a summary that shares its prefix. */
  nextRequest(key: SessionKey, agentName: string): ReturnType<typeof nextRequest>;
  /** Drops what it keeps of a session that was erased. */
  forget(key: SessionKey): void;
  /** Stops what is under way, waits a few seconds for it to end, and leaves no session held. */
  close(): Promise<void>;
}

/**
 * Makes the driver that joins a loop which calls models to the log: it holds the session for the loop, finds out what is
 * new, builds requests and stores what comes back.
 */
export function createInvocationDriver(parts: DriverParts): ClosableDriver {
  return new SessionDriver(parts);
}

/** A session that a run has just got. */
interface TakenSession {
  readonly held: HeldLease;
  readonly opened: Session;
  readonly run: OpenRun;
}

class SessionDriver implements ClosableDriver {
  readonly #clock: Clock;
  readonly #owner: string;
  readonly #root: Span;
  readonly #shared: SharedParts;
  readonly #runs = new OpenRuns();
  readonly #line: SessionLine;

  constructor(parts: DriverParts) {
    const {
      sessions,
      memory,
      clock,
      countTokens = estimateTokens,
      logger = silentLogger,
      telemetry,
      cache,
      compaction,
      afterRun,
      owner,
    } = parts;
    this.#clock = clock;
    this.#line = new SessionLine(() => clock.now());
    this.#owner = owner ?? `driver ${uuidV4()}`;
    this.#root = rootOf(telemetry === undefined ? silentTelemetry : guardedTelemetry(telemetry));
    const guarded = guardedLogger(logger);
    this.#shared = {
      sessions,
      memory,
      countTokens,
      logger: guarded,
      ...(cache ? { caching: new RequestCaching(cache, { clock, logger: guarded }) } : {}),
      logs: new LogCache(),
      recalls: new RecentMap<readonly MemoryEntry[]>(mostRemembered),
      sent: new RecentMap<SentInput>(mostRemembered),
      refused: new RecentMap<number>(mostRemembered),
      ...(compaction ? { compaction } : {}),
      ...(afterRun ? { afterRun } : {}),
    };
  }

  async begin(input: BeginInvocation): Promise<Invocation> {
    const given = readBegin(input);
    refuseAborted(given);
    const run = this.#runs.enter(given.signal);
    const wanted = { ...given, signal: run.signal };
    try {
      const { opened, lease } = await this.#takeSession(wanted);
      const held = new HeldLease(this.#shared, lease, run.signal);
      run.holds(held);
      try {
        refuseAborted(wanted);
        return await this.#start(wanted, { held, opened, run });
      } catch (error) {
        await held.release();
        throw error;
      }
    } catch (error) {
      run.leave();
      throw isPalimpsestError(run.signal.reason, 'CLOSED') ? run.signal.reason : error;
    }
  }

  nextRequest(key: SessionKey, agentName: string): ReturnType<typeof nextRequest> {
    return nextRequest(this.#shared, key, agentName);
  }

  async close(): Promise<void> {
    await this.#runs.close();
    await this.#shared.caching?.close();
  }

  /** Also what was recalled for other sessions of the user may quote the one that is gone. */
  forget({ appName, userId, sessionId }: SessionKey): void {
    this.#shared.logs.forget({ appName, userId, sessionId });
    this.#shared.recalls.deleteBelow(appName, userId);
    this.#shared.sent.deleteBelow(appName, userId, sessionId);
    this.#shared.refused.deleteBelow(appName, userId, sessionId);
    this.#shared.caching?.forget({ appName, userId, sessionId });
  }

  /** The place in the line is taken before anything else is waited for. */
  async #takeSession(
    wanted: CheckedBegin & { readonly signal: AbortSignal },
  ): Promise<{ readonly opened: Session; readonly lease: Lease }> {
    const { sessions } = this.#shared;
    const { key, projectId, signal } = wanted;
    const place = this.#line.enter(key, wanted);
    try {
      const opened = await openOrCreate(sessions, { ...key, ...(projectId === undefined ? {} : { projectId }) });
      const waitMs = await place.turn();
      return { opened, lease: await sessions.acquireLease(key, this.#owner, { waitMs, signal }) };
    } finally {
      place.leave();
    }
  }

  async #start(wanted: CheckedBegin, { held, opened, run }: TakenSession): Promise<Invocation> {
    const { key, agentName, span = this.#root } = wanted;
    const { logs } = this.#shared;
    const now = opened.incarnation === held.lease.incarnation ? opened : await this.#reopen(key);
    const log = logs.take(now);
    const begun = await this.#append({ held, log, span }, wanted, now);
    logs.keep(log);
    const session = await this.#reopen(key);
    const asked = begun.findLast((event) => beginsInvocation(event.origin, event));
    return new RunningInvocation(this.#shared, {
      held,
      log,
      span,
      begun,
      leave: run.leave,
      agentName,
      session,
      invocationId: asked?.invocationId ?? session.invocationId ?? uuidV7(this.#clock.now()),
    });
  }

  /** Appends what is new, and before that answers to calls that a dead run has left and nobody answers now. */
  async #append(session: HeldSession, wanted: CheckedBegin, info: Session): Promise<readonly Event[]> {
    return wanted.prompt === undefined
      ? this.#appendEvents(session, wanted.events ?? [])
      : this.#appendPrompt(session, { ...wanted, prompt: wanted.prompt }, info);
  }

  async #appendEvents(session: HeldSession, events: readonly EventInput[]): Promise<readonly Event[]> {
    const held = await this.#logBehind(session.log, events);
    // On their own: the caller's events may bear ids and be stored already, which holds for a whole batch or not at all.
    const answers = await appendHeld(this.#shared, session, answersTo(held.openCalls(), events));
    return [...answers, ...(await appendHeld(this.#shared, session, events))];
  }

  /** The log before these events. Throws INVALID_ARGUMENT for a result that no call waits for. */
  async #logBehind(log: SessionLog, events: readonly EventInput[]): Promise<HeldEvents> {
    const held = await log.read(this.#shared.sessions);
    if (!answersCalls(events) || unwantedResult(held.live(), events) === undefined) return held;
    // The call may be one that a summary stands for.
    const reason = unwantedResult(await this.#exchanges(log.key, idsAnswered(events)), events);
    if (reason !== undefined) throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'message', reason });
    return held;
  }

  /** The live events that make or answer calls of these ids. */
  async #exchanges(key: SessionKey, ids: ReadonlySet<string>): Promise<readonly Event[]> {
    const { sessions } = this.#shared;
    const { isLive } = foldCoverage(await sessions.readBookkeeping(key));
    const bySeq = new Map<number, Event>();
    for (const id of ids) for (const event of await sessions.readCall(key, id)) bySeq.set(event.seq, event);
    return [...bySeq.values()].filter(({ seq }) => isLive(seq)).sort((a, b) => a.seq - b.seq);
  }

  async #appendPrompt(
    session: HeldSession,
    { prompt, promptIs, agentName }: CheckedBegin & Required<Pick<CheckedBegin, 'prompt'>>,
    info: Session,
  ): Promise<readonly Event[]> {
    const live = (await session.log.read(this.#shared.sessions, 'whole')).live();
    const { rewindBefore, fresh } = promptIs === 'whole' ? matchWholePrompt(live, prompt) : matchPrompt(live, prompt);
    const kept = rewindBefore === undefined ? live : eventsBefore(live, rewindBefore);
    const told = promptEvents(fresh, agentName, kept);
    const news = await withMemorySources(told, (id) => this.#memoryOf(info, id));
    const rewind: EventInput[] =
      rewindBefore === undefined
        ? []
        : [{ author: 'system', actions: { rewind: { beforeInvocationId: rewindBefore } } }];
    return appendHeld(this.#shared, session, [...rewind, ...answersTo(new OpenCalls(kept).list(), news), ...news]);
  }

  /** What a memory is, for marking where an answer's words come from: an answer is stored whether that can be said or not. */
  async #memoryOf({ key, projectId }: Session, id: string): Promise<MemoryEntry | undefined> {
    const { memory, logger } = this.#shared;
    const { appName, userId, sessionId } = key;
    try {
      return await memory.get({ appName, userId, ...(projectId === undefined ? {} : { projectId }) }, id);
    } catch (error) {
      logger.warn('The sources of a quoted memory could not be read.', { sessionId, error: String(error) });
      return undefined;
    }
  }

  async #reopen(key: SessionKey): Promise<Session> {
    const session = await this.#shared.sessions.open(key);
    if (session === undefined) throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: key.sessionId });
    return session;
  }
}

function answersTo(open: readonly OpenCall[], news: readonly EventInput[]): readonly EventInput[] {
  const answered = idsAnswered(news);
  return open.filter(({ id }) => !answered.has(id)).map(stoppedAnswer);
}

function eventsBefore(live: readonly Event[], invocationId: string): readonly Event[] {
  return live.slice(
    0,
    live.findIndex((event) => event.invocationId === invocationId),
  );
}

function refuseAborted({ signal }: CheckedBegin): void {
  if (signal?.aborted) throw new PalimpsestError('ABORTED', { what: 'The invocation' }, { cause: signal.reason });
}

/** Stands above the spans of callers who have none; it is no span itself. */
function rootOf(telemetry: Telemetry): Span {
  return {
    child: (name, attributes) => telemetry.span(name, attributes),
    set: () => undefined,
    run: (work) => work(),
    end: () => undefined,
  };
}
