import type { Palimpsest } from '../../../engine/index.ts';
import type { Event, SessionKey } from '../../../events/index.ts';

const pageSize = 1000;

/** The newest events of a log in order, or the newest up to a seq; at most `limit`, 0 for all. */
export async function newestEvents(
  palimpsest: Palimpsest,
  key: SessionKey,
  { limit, toSeq }: { readonly limit: number; readonly toSeq?: number | undefined },
): Promise<Event[]> {
  const newest: Event[] = [];
  let cursor: string | undefined;
  do {
    const wanted = limit === 0 ? pageSize : Math.min(pageSize, limit - newest.length);
    const page = await palimpsest.sessions.read(key, {
      newestFirst: true,
      limit: wanted,
      ...(toSeq === undefined ? {} : { toSeq }),
      ...(cursor ? { cursor } : {}),
    });
    newest.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && (limit === 0 || newest.length < limit));
  return newest.reverse();
}
