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
import { type RequestText, type Session, type SessionService, textProblem } from '../sessions/index.ts';
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
import type { RequestCaching } from './request-caching.ts';
import { namedHashes, newestJournal, writeJournal } from './request-journal.ts';
import { RequestMedia } from './request-media.ts';
import type { SessionLog } from './session-log.ts';

/** In so many of the newest events the request before is looked for, in a process that has not read it before. */
const mostRead = 2000;
const pageRead = 200;

/** What the invocations of one driver share. */
export interface SharedParts {
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly countTokens: CountTokens;
  readonly logger: Logger;
  readonly logs: LogCache;
  /** What was recalled for an invocation, so that it stays the same from step to step. */
  readonly recalls: RecentMap<readonly MemoryEntry[]>;
  /** None: providers are told nothing about caching. */
  readonly caching?: RequestCaching;
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

/** What is known of a request once it is counted. */
interface JournaledRequest extends Pick<PreparedRequest, 'journal' | 'tokens'> {
  /** Of the request before. */
  readonly previous: RequestJournal | undefined;
  /** Under which its journal is remembered. */
  readonly name: string;
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
  /** What journals of this invocation name by hash and is not kept yet: stored with the events that these stand on. */
  readonly #texts = new Map<string, { readonly text: RequestText; readonly held: HeldEvents }>();
  /** The name, as in `journals`, under which the last request went out. */
  #sentAs: string | undefined;
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
    const interned = (some: readonly Block[] = []) => some.map((block) => seen.blocks.intern(block));
    const placed = interned([...(memories.length === 0 ? [] : [recalledBlock(memories)]), ...given]);
    const instruction = interned(input.instruction);
    const examples = interned(input.examples);
    const documents = interned(input.documents);
    const { tools = [] } = input;
    const parts = { instruction, tools, examples, documents, assembly, transient: placed };
    const request = closeRequest(buildRequest(parts, view.provider));
    const blocks = [...instruction, ...examples, ...documents, ...placed];
    const { previous, name, ...told } = await this.#journal({ request, blocks, view, input, held, seen });
    const filled = await this.#media.fill(request, events, seen.references);
    const { session, invocationId, signal } = this;
    const cache = await this.#shared.caching?.directionsFor({
      ...{ request, filled, input, seen, name, previous, invocationId, signal, session: session.key },
      ...told,
    });
    return { request: filled, ...told, ...(cache && { cache }), assembly, memories };
  }

  /** Counts a request and writes its journal, and remembers both for the next one. */
  async #journal(built: BuiltRequest): Promise<JournaledRequest> {
    const { request, blocks, view, input, held, seen } = built;
    const { sessions, countTokens: counter } = this.#shared;
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
    const previous = await held.lastJournal(view, (below) => this.#journalBelow(below, view));
    const { journal, texts } = await writeJournal({
      request,
      blocks,
      view,
      model: input.model,
      config: input.config,
      tokens,
      events,
      throughSeq,
      previous,
      readBookkeeping: (fromSeq) => sessions.readBookkeeping(this.key, { fromSeq }),
      hashes: seen.hashes,
    });
    for (const text of texts) if (!held.keptTexts.has(text.hash)) this.#texts.set(text.hash, { text, held });
    this.#sentAs = name;
    return { journal, tokens, previous, name };
  }

  /** The agent's newest journal below a seq, in the log as it stands: its event may be hidden or covered by now. */
  async #journalBelow(seq: number, view: View): Promise<RequestJournal | undefined> {
    let toSeq = seq - 1;
    for (let read = 0; read < mostRead && toSeq > 0; read += pageRead) {
      const { items } = await this.#shared.sessions.read(this.key, { toSeq, newestFirst: true, limit: pageRead });
      const found = newestJournal(items.toReversed(), view);
      if (found !== undefined || items.length < pageRead) return found;
      toSeq = (items.at(-1)?.seq ?? 1) - 1;
    }
    return undefined;
  }

  async record(events: readonly EventInput[]): Promise<readonly Event[]> {
    if (!Array.isArray(events))
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'events', reason: 'must be a list of events' });
    if (this.#sentAs !== undefined && events.some(({ errorCode }: EventInput) => errorCode === 'MODEL_FAILED'))
      this.#shared.caching?.noteFailure(this.#sentAs);
    const named = events.map((event: EventInput) =>
      isBookkeepingInput(event) ? event : { ...event, invocationId: event.invocationId ?? this.invocationId },
    );
    const texts = this.#textsOf(named);
    const stored = await appendHeld(this.#shared, this.#begun, named, texts);
    for (const { hash } of texts) {
      this.#texts.get(hash)?.held.keptTexts.add(hash);
      this.#texts.delete(hash);
    }
    return stored;
  }

  /** What is too large to be kept is left out: the answer is stored all the same. */
  #textsOf(events: readonly EventInput[]): readonly RequestText[] {
    const hashes = new Set(events.flatMap(({ request }) => namedHashes(request)));
    return [...hashes].flatMap((hash) => {
      const text = this.#texts.get(hash)?.text;
      return text === undefined || textProblem(text) !== undefined ? [] : text;
    });
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
