import { recalledBlock, recallMemories } from '../agents/index.ts';
import { assemble, buildRequest } from '../context/assembly/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import {
  type Block,
  type Event,
  type Page,
  placeEvent,
  prepareEvent,
  type SessionKey,
  toInstant,
  type View,
} from '../events/index.ts';
import { uuidV7 } from '../internal/index.ts';
import type { MemoryService } from '../memory/service/index.ts';
import type { SessionService } from '../sessions/index.ts';
import { readView } from './context-options.ts';
import type { ContextOptions, ContextRequest } from './palimpsest.ts';

const pageSize = 1000;

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
  const { recall } = options;
  const memories = await recallMemories(parts.memory, session, {
    events,
    assembly,
    ...(recall === undefined ? {} : { recall }),
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
