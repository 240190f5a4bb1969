import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import type { Page } from '../../../events/index.ts';
import type { MemoryEntry } from '../../../memory/service/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { listSessions } from '../choose-session.ts';
import { countText } from '../display/index.ts';

/** How much an erasure removes. */
export interface EraseExtent {
  readonly sessions: number;
  readonly events: number;
  readonly memories: number;
}

const pageSize = 1000;

/** What erasing a user, or one session of that user, would remove. Throws SESSION_NOT_FOUND. */
export async function extentOf(
  palimpsest: Palimpsest,
  { user, session }: { readonly user: string; readonly session?: string | undefined },
): Promise<EraseExtent> {
  const sessions: SessionInfo[] = [];
  for await (const info of listSessions(palimpsest, user)) {
    if (session === undefined || info.key.sessionId === session) sessions.push(info);
  }
  if (session !== undefined && sessions.length === 0) {
    throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: session });
  }
  let events = 0;
  for (const { key } of sessions) {
    for await (const page of pagesOf((at) => palimpsest.sessions.read(key, at))) events += page.length;
  }
  const memories = await memoriesOf(palimpsest, { user, session, sessions });
  return { sessions: sessions.length, events, memories };
}

/** The extent in words. */
export function extentText({ sessions, events, memories }: EraseExtent): string {
  return `${countText(sessions, 'session')}, ${countText(events, 'event')}, ${countText(memories, 'memory', 'memories')}`;
}

async function memoriesOf(
  palimpsest: Palimpsest,
  of: { readonly user: string; readonly session?: string | undefined; readonly sessions: readonly SessionInfo[] },
): Promise<number> {
  // A scope sees what belongs to no project and to its own, so each project has to be asked for.
  const projects = new Set(of.sessions.map(({ projectId }) => projectId).concat(undefined));
  const ids = new Set<string>();
  for (const projectId of projects) {
    const project = projectId === undefined ? {} : { projectId };
    const inSession = of.session === undefined ? {} : { sessionId: of.session };
    const scope = { appName: palimpsest.appName, userId: of.user, ...project, ...inSession };
    for await (const page of pagesOf((at) => palimpsest.memory.list(scope, at))) {
      for (const memory of page) if (of.session === undefined || isOnlyOf(memory, of.session)) ids.add(memory.id);
    }
  }
  return ids.size;
}

/** A memory with other sources stays, without this one. */
function isOnlyOf({ provenance }: MemoryEntry, session: string): boolean {
  return (
    provenance.length > 0 && provenance.every((source) => source.kind !== 'direct' && source.sessionId === session)
  );
}

async function* pagesOf<T>(
  read: (at: { readonly limit: number; readonly cursor?: string }) => Promise<Page<T>>,
): AsyncIterable<readonly T[]> {
  let cursor: string | undefined;
  do {
    const page = await read({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
