import { assemble, buildRequest } from '../context/assembly/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import {
  type Block,
  type Event,
  isBookkeeping,
  type Page,
  type ProvenanceRef,
  placeEvent,
  prepareEvent,
  type SessionKey,
  textOf,
  toInstant,
  type View,
} from '../events/index.ts';
import { uuidV7 } from '../internal/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import type { SessionInfo, SessionService } from '../sessions/index.ts';
import { readView } from './context-options.ts';
import type { ContextOptions, ContextRequest, RecallOptions } from './palimpsest.ts';
import { recalledBlock } from './recalled-block.ts';

const pageSize = 1000;
/** Of what scores less than this part of the best, nothing bears on the question. */
const weakestShare = 0.25;

/** What a context is built from. */
export interface ContextParts {
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly now: () => number;
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
  const stored = await readAll((cursor) =>
    parts.sessions.read(key, { limit: pageSize, ...(cursor ? { cursor } : {}) }),
  );
  const asked =
    options.question === undefined
      ? []
      : [questionEvent(options.question, { view, now: parts.now(), after: stored.at(-1)?.seq ?? 0 })];
  const events = [...stored, ...asked];
  const assembly = assemble(events, view);
  const memories = await recallFor(parts.memory, session, {
    events,
    isLive: (seq) => assembly.placement(seq),
    recall: options.recall,
  });
  const instruction: Block[] = options.instruction === undefined ? [] : [instructionBlock(options.instruction)];
  const transient = memories.length === 0 ? [] : [recalledBlock(memories)];
  const request = buildRequest({ instruction, tools: [], assembly, transient }, view.provider);
  return { ...request, assembly, events, memories, explain: (seq) => assembly.placement(seq) };
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

async function recallFor(
  memory: MemoryService,
  session: SessionInfo,
  about: {
    readonly events: readonly Event[];
    readonly isLive: (seq: number) => { readonly outcome: string };
    readonly recall: boolean | RecallOptions | undefined;
  },
): Promise<readonly MemoryEntry[]> {
  const { events, isLive, recall = true } = about;
  if (recall === false) return [];
  const newest = events.findLast(
    (event) => event.origin === 'user' && !isBookkeeping(event) && isLive(event.seq).outcome !== 'hidden',
  );
  const query = textOf(newest?.content);
  if (query.trim() === '') return [];
  const { appName, userId, sessionId } = session.key;
  const scope = { appName, userId, ...(session.projectId === undefined ? {} : { projectId: session.projectId }) };
  const limits = recall === true ? {} : recall;
  const { memories } = await memory.search({ ...limits, scope, query, filter: { notSessions: [sessionId] } });
  const isCopied = copiedInto(session, events);
  const weakest = weakestShare * (memories[0]?.score ?? 0);
  return memories.filter(({ provenance, score = 0 }) => score >= weakest && !provenance.every(isCopied));
}

/** Tells of a source whether it is an event that a fork has taken over, which the model sees in the fork's own log. */
function copiedInto({ forkedFrom }: SessionInfo, events: readonly Event[]): (source: ProvenanceRef) => boolean {
  const last = forkedFrom?.atSeq ?? 0;
  const copied = new Map(events.filter(({ seq }) => seq <= last).map(({ seq, id }) => [seq, id]));
  return (source) => source.kind === 'event' && copied.get(source.seq) === source.eventId;
}
