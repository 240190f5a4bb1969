import { observedTokens, recalledBlock, recallMemories } from '../agents/index.ts';
import {
  type Assembly,
  assemble,
  buildRequest,
  estimateRequest,
  explainRequest,
  type RequestExplanation,
} from '../context/assembly/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import {
  type Block,
  type CountTokens,
  type Event,
  type ModelRequest,
  type Page,
  placeEvent,
  prepareEvent,
  type SessionKey,
  toInstant,
  type View,
} from '../events/index.ts';
import { uuidV7 } from '../internal/index.ts';
import type { MemoryService } from '../memory/service/index.ts';
import { maxPageSize, type SessionInfo, type SessionService } from '../sessions/index.ts';
import { readView } from './context-options.ts';
import type { ContextOptions, ContextRequest } from './palimpsest.ts';

/** What a context is built from. */
export interface ContextParts {
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly countTokens: CountTokens;
  readonly now: () => number;
}

/** A request, and what it was made of. */
export interface MadeRequest {
  readonly request: ModelRequest;
  readonly blocks: readonly Block[];
  readonly assembly: Assembly;
  readonly events: readonly Event[];
  readonly view: View;
  readonly counter: CountTokens;
}

/** The next request of a session: its log as the agent sees it, and what memory recalls for the newest question. */
export async function buildContext(
  parts: ContextParts,
  key: SessionKey,
  options: ContextOptions = {},
): Promise<ContextRequest> {
  const view = readView(options);
  const session = await parts.sessions.open(key);
  if (session === undefined) throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: key.sessionId });
  const { question, throughSeq, recall = throughSeq === undefined } = options;
  const stored =
    throughSeq === undefined
      ? await parts.sessions.readLive(key, view)
      : { events: await readThrough(parts.sessions, session, throughSeq), version: throughSeq };
  const asked =
    question === undefined ? [] : [questionEvent(question, { view, now: parts.now(), after: stored.version })];
  const events = [...stored.events, ...asked];
  const assembly = assemble(events, view);
  const memories = await recallMemories(parts.memory, session, { events, assembly, recall });
  const instruction: Block[] = options.instruction === undefined ? [] : [instructionBlock(options.instruction)];
  const transient = memories.length === 0 ? [] : [recalledBlock(memories)];
  const request = buildRequest({ instruction, tools: [], assembly, transient }, view.provider);
  const blocks = [...instruction, ...transient];
  const explanation = explainMade({ request, blocks, assembly, events, view, counter: parts.countTokens });
  return { ...request, assembly, events, memories, explanation, explain: (seq) => assembly.placement(seq) };
}

/** Explains a request, with tokens as the run of an agent would count them. */
export function explainMade({ request, blocks, assembly, events, view, counter }: MadeRequest): RequestExplanation {
  const { provider } = view;
  const observed = observedTokens(events, view);
  const counted = { provider, counter, events, blocks };
  const tokens = estimateRequest(request, { ...counted, ...(observed === undefined ? {} : { observed }) });
  return explainRequest({ ...counted, request, assembly, tokens });
}

/** The log as it stood when that event was its newest. Throws INVALID_ARGUMENT if there is no such event. */
async function readThrough(
  sessions: SessionService,
  { key, version }: SessionInfo,
  throughSeq: number,
): Promise<readonly Event[]> {
  if (throughSeq > version) {
    const reason =
      version === 0 ? 'is given, but the session has no events' : `must be from 1 to ${version}, the session's version`;
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'throughSeq', reason });
  }
  return readLog(sessions, key, throughSeq);
}

/** All events of a log through a seq, as far as they still stand. */
export async function readLog(sessions: SessionService, key: SessionKey, throughSeq: number): Promise<Event[]> {
  if (throughSeq === 0) return [];
  return readAll((cursor) =>
    sessions.read(key, { toSeq: throughSeq, limit: maxPageSize, ...(cursor ? { cursor } : {}) }),
  );
}

/** All items of a paged list. */
export async function readAll<T>(readPage: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(cursor);
    items.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === undefined) return items;
  }
}

/** A question that nobody has appended yet, in the place that it would get. */
function questionEvent(
  question: string,
  { view, now, after }: { readonly view: View; readonly now: number; readonly after: number },
): Event {
  const { isolationScope } = view;
  const sealed = isolationScope === undefined ? {} : { isolationScope };
  const { draft } = prepareEvent({ author: 'user', content: question, ...sealed }, 'question');
  const placed = {
    seq: after + 1,
    id: uuidV7(now),
    invocationId: uuidV7(now),
    origin: 'user',
    recordedAt: toInstant(now),
  } as const;
  return placeEvent(draft, placed);
}

function instructionBlock(text: string): Block {
  return { kind: 'instruction', stable: true, content: { role: 'user', parts: [{ text }] } };
}
