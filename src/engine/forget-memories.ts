import { type ProvenanceRef, parseId } from '../events/index.ts';
import type { MemoryEntry, MemoryService } from '../memory/service/index.ts';
import type { QuotesToErase, SessionService } from '../sessions/index.ts';
import type { User } from './palimpsest.ts';

/** Whose memories are forgotten. */
interface Owner {
  readonly appName: string;
  readonly userId: string;
  readonly projectId?: string;
}

/** One entry, or all that came from a session. */
type Forgotten = Parameters<User['forget']>[0];

const pageSize = 1000;

/**
 * Removes memories of a user, and the texts of requests that may quote them: those that quote any source of theirs.
 * Returns how many memories are gone.
 */
export async function forgetMemories(
  parts: { readonly sessions: SessionService; readonly memory: MemoryService },
  owner: Owner,
  selector: Forgotten,
): Promise<number> {
  const { sessions, memory } = parts;
  const sources = await sourcesOf(parts, owner, selector);
  const forgotten = await memory.delete(owner, selector);
  await sessions.eraseQuotes({ appName: owner.appName, userId: owner.userId, sources });
  return forgotten;
}

/** Read before the memories are gone. What is no selector has none: the deletion refuses it. */
async function sourcesOf(
  { sessions, memory }: { readonly sessions: SessionService; readonly memory: MemoryService },
  owner: Owner,
  selector: Forgotten,
): Promise<QuotesToErase['sources']> {
  if (typeof selector !== 'object' || selector === null) return [];
  if ('id' in selector) {
    const entry = await memory.get(owner, parseId(selector.id, 'selector.id'));
    return entry?.provenance.map(sourceOf) ?? [];
  }
  if (!('sessionId' in selector)) return [];
  const sessionId = parseId(selector.sessionId, 'selector.sessionId');
  const session = await sessions.open({ appName: owner.appName, userId: owner.userId, sessionId });
  const sources = session === undefined ? [] : [{ incarnation: session.incarnation }];
  return [...sources, ...(await sourcesInSession(memory, owner, sessionId))];
}

/** The sources of memories that came from a session, in whichever of its lives, or are found only from it. */
async function sourcesInSession(
  memory: MemoryService,
  owner: Owner,
  sessionId: string,
): Promise<readonly ReturnType<typeof sourceOf>[]> {
  const refs: ProvenanceRef[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.list({ ...owner, sessionId }, { limit: pageSize, ...(cursor ? { cursor } : {}) });
    for (const entry of page.items) if (isOf(entry, sessionId)) refs.push(...entry.provenance);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return refs.map(sourceOf);
}

function isOf({ sessionId, provenance }: MemoryEntry, wanted: string): boolean {
  return sessionId === wanted || provenance.some((ref) => ref.kind === 'event' && ref.sessionId === wanted);
}

function sourceOf(ref: ProvenanceRef): { readonly incarnation: string } | { readonly directId: string } {
  return ref.kind === 'event' ? { incarnation: ref.incarnation } : { directId: ref.id };
}
