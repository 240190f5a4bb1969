import type { SessionKey } from '../../src/events/index.ts';
import type { SessionService } from '../../src/sessions/index.ts';

/** The ids of a whole log, each at its seq minus one; a hole in the seqs is a hole in the list. */
export async function readAllIds(sessions: Pick<SessionService, 'read'>, key: SessionKey): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await sessions.read(key, { limit: 1000, ...(cursor ? { cursor } : {}) });
    for (const { seq, id } of page.items) ids[seq - 1] = id;
    cursor = page.nextCursor;
    if (cursor === undefined) return ids;
  }
}
