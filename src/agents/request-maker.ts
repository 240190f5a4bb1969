import { type Assembly, buildRequest, estimateRequest, type RequestTokens } from '../context/assembly/index.ts';
import type { Block, ModelRequest, RequestJournal, SessionKey, View } from '../events/index.ts';
import type { MemoryEntry } from '../memory/service/index.ts';
import { inChild } from '../models/index.ts';
import type { RequestText } from '../sessions/index.ts';
import { closeRequest } from './close-request.ts';
import type { HeldEvents, HeldView } from './held-events.ts';
import type { PreparedRequest, RequestInput } from './invocation-driver.ts';
import { InvocationRecall } from './invocation-recall.ts';
import { observedTokens } from './observed-tokens.ts';
import { recalledBlock } from './recalled-block.ts';
import { nameOf } from './recent-map.ts';
import { newestJournal, writeJournal } from './request-journal.ts';
import { RequestMedia } from './request-media.ts';
import { attributesOf, type BegunInvocation, type SharedParts } from './shared-parts.ts';

/** In so many of the newest events the request before is looked for, in a process that has not read it before. */
const mostRead = 2000;
const pageRead = 200;

/** A request that is counted and has its journal, and what it was made of. */
export interface MadeRequest {
  /** As the log gives it: media that the session keeps as artifacts are references. */
  readonly request: ModelRequest;
  readonly input: RequestInput;
  readonly view: View;
  readonly held: HeldEvents;
  readonly seen: HeldView;
  readonly assembly: Assembly;
  readonly memories: readonly MemoryEntry[];
  readonly tokens: RequestTokens;
  readonly journal: RequestJournal;
  /** What the journal names by hash. */
  readonly texts: readonly RequestText[];
  /** Of the request before. */
  readonly previous: RequestJournal | undefined;
  /** Under which its cached prefix is remembered. */
  readonly name: string;
}

/** Its parts, before they are counted. */
type BuiltRequest = Pick<MadeRequest, 'request' | 'input' | 'view' | 'held' | 'seen'> & {
  readonly blocks: readonly Block[];
};

/** Makes the requests of one invocation: out of its log, of what memory recalls, and of what the caller gives. */
export class RequestMaker {
  readonly #shared: SharedParts;
  readonly #begun: BegunInvocation;
  readonly #key: SessionKey;
  readonly #media: RequestMedia;
  readonly #recall: InvocationRecall;

  constructor(shared: SharedParts, begun: BegunInvocation) {
    const { session, invocationId, span, held } = begun;
    const { memory, logger, recalls, sessions } = shared;
    this.#shared = shared;
    this.#begun = begun;
    this.#key = session.key;
    this.#media = new RequestMedia(sessions.artifacts, session.key);
    this.#recall = new InvocationRecall({
      memory,
      logger,
      recalls,
      session,
      invocationId,
      span,
      signal: held.signal,
    });
  }

  /** Makes a request of the log as it stands, seen by that view. */
  async make(input: RequestInput, view: View): Promise<MadeRequest> {
    const { log, span } = this.#begun;
    const { sessions, logs } = this.#shared;
    const { held, seen } = await inChild(span, 'palimpsest.assemble', attributesOf(this.#key), async (timed) => {
      const read = await log.readView(sessions, view);
      timed.set({ 'palimpsest.events.count': read.held.events.length });
      return read;
    });
    logs.keep(log);
    const { assembly } = seen;
    const { recall } = input;
    const memories = await this.#recall.about({
      events: held.events,
      assembly,
      ...(recall !== undefined && { recall }),
    });
    const given = input.transient?.map((block) => (block.stable ? { ...block, stable: false } : block)) ?? [];
    const transient = [...(memories.length === 0 ? [] : [recalledBlock(memories)]), ...given];
    const { request, blocks } = buildSeen(seen, { ...input, transient }, view);
    const built = { request: closeRequest(request), blocks, input, view, held, seen };
    return { ...built, assembly, memories, ...(await this.#journal(built)) };
  }

  /** The request as it is sent: with the bytes of media, and with what its provider is told about caching. */
  async complete(made: MadeRequest): Promise<PreparedRequest> {
    const { request, held, seen, assembly, memories, journal, tokens } = made;
    const { session, invocationId, held: lease } = this.#begun;
    const filled = await this.#media.fill(request, held.events, seen.references);
    const cache = await this.#shared.caching?.directionsFor({
      ...made,
      filled,
      invocationId,
      session: session.key,
      signal: lease.signal,
    });
    return { request: filled, journal, tokens, ...(cache && { cache }), assembly, memories };
  }

  /** Counts a request and writes its journal. */
  async #journal(
    built: BuiltRequest,
  ): Promise<Pick<MadeRequest, 'tokens' | 'journal' | 'texts' | 'previous' | 'name'>> {
    const { request, blocks, view, input, held, seen } = built;
    const { sessions, countTokens: counter } = this.#shared;
    const { events, version: throughSeq } = held;
    const { provider, agentName } = view;
    const { appName, userId, sessionId } = this.#key;
    const name = nameOf(appName, userId, sessionId, this.#begun.session.incarnation, agentName, provider);
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
    const written = await writeJournal({
      request,
      blocks,
      view,
      model: input.model,
      config: input.config,
      tokens,
      events,
      throughSeq,
      previous,
      readBookkeeping: (fromSeq) => sessions.readBookkeeping(this.#key, { fromSeq }),
      hashes: seen.hashes,
    });
    return { ...written, tokens, previous, name };
  }

  /** The agent's newest journal below a seq, in the log as it stands: its event may be hidden or covered by now. */
  async #journalBelow(seq: number, view: View): Promise<RequestJournal | undefined> {
    let toSeq = seq - 1;
    for (let read = 0; read < mostRead && toSeq > 0; read += pageRead) {
      const { items } = await this.#shared.sessions.read(this.#key, { toSeq, newestFirst: true, limit: pageRead });
      const found = newestJournal(items.toReversed(), view);
      if (found !== undefined || items.length < pageRead) return found;
      toSeq = (items.at(-1)?.seq ?? 1) - 1;
    }
    return undefined;
  }
}

/** A request of what a view shows and of blocks, which are interned so that they are hashed once. */
export function buildSeen(
  { assembly, blocks: known }: HeldView,
  input: Pick<RequestInput, 'instruction' | 'tools' | 'examples' | 'documents' | 'transient'>,
  { provider }: View,
): { readonly request: ModelRequest; readonly blocks: readonly Block[] } {
  const interned = (some: readonly Block[] = []) => some.map((block) => known.intern(block));
  const instruction = interned(input.instruction);
  const examples = interned(input.examples);
  const documents = interned(input.documents);
  const transient = interned(input.transient);
  const { tools = [] } = input;
  const parts = { instruction, tools, examples, documents, assembly, transient };
  return { request: buildRequest(parts, provider), blocks: [...instruction, ...examples, ...documents, ...transient] };
}
