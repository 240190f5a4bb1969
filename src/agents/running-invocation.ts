import { buildRequest, estimateRequest } from '../context/assembly/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import type {
  Block,
  CountTokens,
  Event,
  EventInput,
  ModelRequest,
  RequestJournal,
  SessionKey,
  View,
} from '../events/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import { inChild, type Logger, type Span } from '../models/index.ts';
import type { RequestText, Session, SessionService } from '../sessions/index.ts';
import { closeRequest } from './close-request.ts';
import type { HeldEvents, HeldView } from './held-events.ts';
import type { HeldLease } from './held-lease.ts';
import type { Invocation, PreparedRequest, RequestInput } from './invocation-driver.ts';
import { InvocationRecall } from './invocation-recall.ts';
import { isBookkeepingInput } from './is-bookkeeping-input.ts';
import type { LogCache } from './log-cache.ts';
import { observedTokens } from './observed-tokens.ts';
import { recalledBlock } from './recalled-block.ts';
import { nameOf, type RecentMap } from './recent-map.ts';
import { namedHashes, newestJournal, writeJournal } from './request-journal.ts';
import { RequestMedia } from './request-media.ts';
import type { SessionLog } from './session-log.ts';

/** In so many of the newest events the request before is looked for, where this process has not made it. */
const newestRead = 200;

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

/** A request, and what it was made of. */
interface BuiltRequest {
  readonly request: ModelRequest;
  readonly blocks: readonly Block[];
  readonly view: View;
  readonly input: RequestInput;
  readonly held: HeldEvents;
  readonly seen: HeldView;
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
  /** What journals of this invocation name by hash: kept with the events that these stand on. */
  readonly #texts = new Map<string, RequestText>();
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
    const { sessions, logs } = this.#shared;
    const { held, seen } = await inChild(span, 'palimpsest.assemble', attributesOf(this.key), async (timed) => {
      const read = await log.readView(sessions, view);
      timed.set({ 'palimpsest.events.count': read.held.events.length });
      return read;
    });
    logs.keep(log);
    const { events } = held;
    const { assembly } = seen;
    const memories = await this.#recall.about({
      events,
      assembly,
      ...(input.recall === undefined ? {} : { recall: input.recall }),
    });
    const given = input.transient?.map((block) => (block.stable ? { ...block, stable: false } : block)) ?? [];
    const placed = [...(memories.length === 0 ? [] : [recalledBlock(memories)]), ...given];
    const { instruction = [], tools = [], examples = [], documents = [] } = input;
    const parts = { instruction, tools, examples, documents, assembly, transient: placed };
    const request = closeRequest(buildRequest(parts, view.provider));
    const blocks = [...instruction, ...examples, ...documents, ...placed];
    const sent = await this.#journal({ request, blocks, view, input, held, seen });
    return { request: await this.#media.fill(request, events, seen.references), ...sent, assembly, memories };
  }

  /** Counts a request and writes its journal, and remembers both for the next one. */
  async #journal(built: BuiltRequest): Promise<Pick<PreparedRequest, 'journal' | 'tokens'>> {
    const { request, blocks, view, input, held, seen } = built;
    const { sessions, journals, countTokens: counter } = this.#shared;
    const { events, version: throughSeq } = held;
    const { provider, agentName } = view;
    const { appName, userId, sessionId } = this.key;
    const name = nameOf(appName, userId, sessionId, this.session.incarnation, agentName, provider);
    const observed = observedTokens(events, view);
    const tokens = estimateRequest(request, {
      provider,
      counter,
      events,
      blocks,
      sums: seen.sums,
      ...(observed === undefined ? {} : { observed }),
    });
    const { journal, texts } = await writeJournal({
      request,
      blocks,
      view,
      model: input.model,
      config: input.config,
      tokens,
      events,
      throughSeq,
      previous: journals.get(name) ?? (await this.#storedJournal(view)) ?? newestJournal(events, view),
      readBookkeeping: () => sessions.readBookkeeping(this.key),
      hashes: seen.hashes,
    });
    journals.set(name, journal);
    for (const text of texts) this.#texts.set(text.hash, text);
    return { journal, tokens };
  }

  /** The newest journal of the agent's as the end of the log has it: its event may be hidden or covered since. */
  async #storedJournal(view: View): Promise<RequestJournal | undefined> {
    const page = await this.#shared.sessions.read(this.key, { newestFirst: true, limit: newestRead });
    return newestJournal(page.items.toReversed(), view);
  }

  async record(events: readonly EventInput[]): Promise<readonly Event[]> {
    if (!Array.isArray(events))
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'events', reason: 'must be a list of events' });
    const named = events.map((event: EventInput) =>
      isBookkeepingInput(event) ? event : { ...event, invocationId: event.invocationId ?? this.invocationId },
    );
    return appendHeld(this.#shared, this.#begun, named, this.#textsOf(named));
  }

  #textsOf(events: readonly EventInput[]): readonly RequestText[] {
    const hashes = new Set(events.flatMap(({ request }) => namedHashes(request)));
    return [...hashes].flatMap((hash) => this.#texts.get(hash) ?? []);
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
  texts: readonly RequestText[] = [],
): Promise<readonly Event[]> {
  if (events.length === 0) return [];
  const { key } = log;
  const attributes = { ...attributesOf(key), 'palimpsest.events.count': events.length };
  return inChild(span, 'palimpsest.append', attributes, async () => {
    try {
      const stored = await sessions.append(key, events, {
        lease: held.lease,
        ...(texts.length === 0 ? {} : { texts }),
      });
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
