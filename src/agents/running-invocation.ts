import { assemble, buildRequest, estimateRequest } from '../context/assembly/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import type { Block, CountTokens, Event, EventInput, RequestJournal, SessionKey, View } from '../events/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import { inChild, type Logger, type Span } from '../models/index.ts';
import type { Session, SessionService } from '../sessions/index.ts';
import { closeRequest } from './close-request.ts';
import type { HeldLease } from './held-lease.ts';
import type { Invocation, PreparedRequest, RequestInput } from './invocation-driver.ts';
import { InvocationRecall } from './invocation-recall.ts';
import { isBookkeepingInput } from './is-bookkeeping-input.ts';
import type { LogCache } from './log-cache.ts';
import { observedTokens } from './observed-tokens.ts';
import { recalledBlock } from './recalled-block.ts';
import { nameOf, type RecentMap } from './recent-map.ts';
import { newestJournal, writeJournal } from './request-journal.ts';
import { RequestMedia } from './request-media.ts';
import type { SessionLog } from './session-log.ts';

/** What the invocations of one driver share. */
export interface SharedParts {
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly countTokens: CountTokens;
  readonly logger: Logger;
  readonly logs: LogCache;
  /** What was recalled for an invocation, so that it stays the same from step to step. */
  readonly recalls: RecentMap<readonly MemoryEntry[]>;
  /** The newest journal of each session, agent and provider. */
  readonly journals: RecentMap<RequestJournal>;
  readonly afterRun?: (key: SessionKey) => void;
}

/** A session that is held, and what is at hand of it. */
export interface HeldSession {
  readonly held: HeldLease;
  readonly log: SessionLog;
  readonly span: Span;
}

/** What an invocation is once it has begun. */
export interface BegunInvocation extends HeldSession {
  readonly session: Session;
  readonly invocationId: string;
  readonly agentName: string;
  readonly begun: readonly Event[];
  /** Says that the invocation is over. */
  readonly leave: () => void;
}

/** An invocation from its beginning to its end. */
export class RunningInvocation implements Invocation {
  readonly key: SessionKey;
  readonly invocationId: string;
  readonly session: Session;
  readonly begun: readonly Event[];
  readonly signal: AbortSignal;
  readonly #shared: SharedParts;
  readonly #begun: BegunInvocation;
  readonly #media: RequestMedia;
  readonly #recall: InvocationRecall;
  #finishing: Promise<void> | undefined;

  constructor(shared: SharedParts, begun: BegunInvocation) {
    this.#shared = shared;
    this.#begun = begun;
    this.key = begun.session.key;
    this.#media = new RequestMedia(shared.sessions.artifacts, this.key);
    this.invocationId = begun.invocationId;
    this.session = begun.session;
    this.begun = begun.begun;
    this.signal = begun.held.signal;
    const { memory, logger, recalls } = shared;
    const { session, invocationId, span } = begun;
    const { signal } = this;
    this.#recall = new InvocationRecall({ memory, logger, recalls, session, invocationId, span, signal });
  }

  async request(input: RequestInput): Promise<PreparedRequest> {
    const view = this.#viewOf(input);
    const { log, span } = this.#begun;
    const events = await log.read(this.#shared.sessions);
    this.#shared.logs.keep(log);
    const attributes = { ...attributesOf(this.key), 'palimpsest.events.count': events.length };
    const assembly = await inChild(span, 'palimpsest.assemble', attributes, async () => assemble(events, view));
    const memories = await this.#recall.about({
      events,
      assembly,
      ...(input.recall === undefined ? {} : { recall: input.recall }),
    });
    const { instruction = [], tools = [], examples = [], documents = [], transient = [] } = input;
    const placed: Block[] = [...(memories.length === 0 ? [] : [recalledBlock(memories)]), ...transient];
    const parts = { instruction, tools, examples, documents, assembly, transient: placed };
    const asked = closeRequest(buildRequest(parts, view.provider));
    const blocks = [...instruction, ...examples, ...documents, ...placed];
    const { model, config } = input;
    const { appName, userId, sessionId } = this.key;
    const name = nameOf(appName, userId, sessionId, this.session.incarnation, view.agentName, view.provider);
    const previous = this.#shared.journals.get(name) ?? newestJournal(events, view);
    const observed = observedTokens(events, view);
    const tokens = estimateRequest(asked, {
      provider: view.provider,
      counter: this.#shared.countTokens,
      events,
      blocks,
      ...(observed === undefined ? {} : { observed }),
    });
    const journal = writeJournal({ request: asked, blocks, view, model, config, tokens, events, previous });
    this.#shared.journals.set(name, journal);
    return { request: await this.#media.fill(asked, events), journal, assembly, tokens, memories };
  }

  async record(events: readonly EventInput[]): Promise<readonly Event[]> {
    if (!Array.isArray(events))
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'events', reason: 'must be a list of events' });
    const named = events.map((event: EventInput) =>
      isBookkeepingInput(event) ? event : { ...event, invocationId: event.invocationId ?? this.invocationId },
    );
    return appendHeld(this.#shared, this.#begun, named);
  }

  finish(): Promise<void> {
    this.#finishing ??= this.#finish();
    return this.#finishing;
  }

  async #finish(): Promise<void> {
    const { logs, logger, afterRun } = this.#shared;
    logs.keep(this.#begun.log);
    await this.#begun.held.release();
    try {
      afterRun?.(this.key);
    } catch (error) {
      logger.error('What follows a run failed.', { sessionId: this.key.sessionId, error: String(error) });
    } finally {
      this.#begun.leave();
    }
  }

  #viewOf({ provider, history = 'full' }: RequestInput): View {
    if (provider !== 'gemini' && provider !== 'anthropic' && provider !== 'openai')
      throw new PalimpsestError('INVALID_ARGUMENT', {
        argument: 'provider',
        reason: 'must be gemini, anthropic or openai',
      });
    return { agentName: this.#begun.agentName, provider, history };
  }
}

/** Appends under a held lease and takes what was stored into the log at hand. */
export async function appendHeld(
  { sessions, logs }: Pick<SharedParts, 'sessions' | 'logs'>,
  { held, log, span }: HeldSession,
  events: readonly EventInput[],
): Promise<readonly Event[]> {
  if (events.length === 0) return [];
  const { key } = log;
  const attributes = { ...attributesOf(key), 'palimpsest.events.count': events.length };
  return inChild(span, 'palimpsest.append', attributes, async () => {
    try {
      const stored = await sessions.append(key, events, { lease: held.lease });
      log.add(stored.events);
      logs.keep(log);
      return stored.events;
    } catch (error) {
      held.noteLoss(error);
      throw error;
    }
  });
}

function attributesOf({ sessionId }: SessionKey): { readonly 'gen_ai.conversation.id': string } {
  return { 'gen_ai.conversation.id': sessionId };
}
