import { type ProvenanceRef, parseId } from '../events/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import type { QuotesToErase, SessionService } from '../sessions/index.ts';
import type { User } from './palimpsest.ts';

/** Where memories are, and the texts that quote them. */
interface ForgettingParts {
  readonly sessions: Pick<SessionService, 'open' | 'eraseQuotes'>;
  readonly memory: Memories;
}

type Memories = Pick<MemoryService, 'get' | 'list' | 'delete'>;

/** Whose memories are forgotten; with `sessionId`, those that are found only from that session as well. */
interface Owner {
  readonly appName: string;
  readonly userId: string;
  readonly projectId?: string;
  readonly sessionId?: string;
}

/** One entry, or all that came from a session. */
type Forgotten = Parameters<User['forget']>[0];

/** What is to be forgotten. */
interface Found {
  /** From where the entries are seen. */
  readonly scope: Owner;
  readonly entries: readonly MemoryEntry[];
  readonly sources: QuotesToErase['sources'];
}

const pageSize = 1000;

/**
 * Removes memories of a user, and the texts of requests that may quote them: those that quote any source of theirs, and
 * those of the memories themselves that are yet to come. Returns how many memories are gone.
 */
export async function forgetMemories(parts: ForgettingParts, owner: Owner, selector: Forgotten): Promise<number> {
  const { sessions, memory } = parts;
  const { appName, userId } = owner;
  const { scope, entries, sources } = await find(parts, owner, selector);
  // Before the deletion too: should the process die after it, nobody knows any more what the memories came from.
  await sessions.eraseQuotes({ appName, userId, sources });
  const forgotten = await memory.delete(owner, selector);
  const gone = await goneOf(memory, scope, entries);
  await sessions.eraseQuotes({ appName, userId, sources: [...sources, ...gone] });
  return forgotten;
}

/** Read before the memories are gone. What is no selector finds nothing: the deletion refuses it. */
async function find({ sessions, memory }: ForgettingParts, owner: Owner, selector: Forgotten): Promise<Found> {
  if (typeof selector !== 'object' || selector === null) return { scope: owner, entries: [], sources: [] };
  if ('id' in selector) {
    const id = parseId(selector.id, 'selector.id');
    const entry = await memory.get(owner, id);
    const entries = entry === undefined ? [] : [entry];
    // Also where the memory is gone already: a text that quotes it may have come since.
    return { scope: owner, entries, sources: [{ directId: id }, ...sourcesOf(entries)] };
  }
  if (!('sessionId' in selector)) return { scope: owner, entries: [], sources: [] };
  const sessionId = parseId(selector.sessionId, 'selector.sessionId');
  const session = await sessions.open({ appName: owner.appName, userId: owner.userId, sessionId });
  const lives = session === undefined ? [] : [{ incarnation: session.incarnation }];
  const scope = { ...owner, sessionId };
  const entries = await entriesOf(memory, scope);
  return { scope, entries, sources: [...lives, ...sourcesOf(entries)] };
}

/** The memories that came from a session, in whichever of its lives, or are found only from it. */
async function entriesOf(
  memory: Memories,
  scope: Owner & { readonly sessionId: string },
): Promise<readonly MemoryEntry[]> {
  const found: MemoryEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.list(scope, { limit: pageSize, ...(cursor ? { cursor } : {}) });
    found.push(...page.items.filter((entry) => isOf(entry, scope.sessionId)));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

function isOf({ sessionId, provenance }: MemoryEntry, wanted: string): boolean {
  return sessionId === wanted || provenance.some((ref) => ref.kind === 'event' && ref.sessionId === wanted);
}

function sourcesOf(entries: readonly MemoryEntry[]): QuotesToErase['sources'] {
  return entries.flatMap(({ id, provenance }) => [{ directId: id }, ...provenance.map(sourceOf)]);
}

function sourceOf(ref: ProvenanceRef): QuotesToErase['sources'][number] {
  return ref.kind === 'event' ? { incarnation: ref.incarnation } : { directId: ref.id };
}

/** Those of the memories that the deletion took; what has other sources has stayed, and can be quoted again. */
async function goneOf(
  memory: Memories,
  scope: Owner,
  entries: readonly MemoryEntry[],
): Promise<QuotesToErase['sources']> {
  const gone: { readonly directId: string; readonly at: string }[] = [];
  for (const { id, recordedAt } of entries) {
    const left = await memory.get(scope, id);
    if (left?.recordedAt !== recordedAt) gone.push({ directId: id, at: recordedAt });
  }
  return gone;
}
