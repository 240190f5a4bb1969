import { type Event, isBookkeeping, type SessionKey } from '../../events/index.ts';
import type { CompactionLog } from './compactor.ts';
import { type FoldPlace, type FoldWindow, isSamePlace } from './fold-window.ts';

const pageSize = 100;

/** An overlap is for a summariser to find its way in; who wants more of it reads on till here. */
const mostPages = 10;

/** What of a log is read along before a fold. */
export interface OverlapQuery {
  readonly window: FoldWindow;
  readonly place: FoldPlace;
  /** Seq of the first event that is folded. */
  readonly beforeSeq: number;
  readonly invocations: number;
}

/** The events before a fold as they stand in the log, back to where so many invocations of its place have been met. */
export async function readOverlap(
  log: Pick<CompactionLog, 'read'>,
  key: SessionKey,
  { window, place, beforeSeq, invocations }: OverlapQuery,
): Promise<readonly Event[]> {
  if (beforeSeq <= 1) return [];
  const events: Event[] = [];
  const met = new Set<string>();
  const range = { fromSeq: 1, toSeq: beforeSeq - 1, limit: pageSize, newestFirst: true };
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await log.read(key, { ...range, ...(cursor === undefined ? {} : { cursor }) });
    for (const event of page.items) {
      events.push(event);
      const isOfPlace = isSamePlace(event, place) && window.coverage.isLive(event.seq);
      if (isOfPlace && !isBookkeeping(event)) met.add(event.invocationId);
    }
    cursor = page.nextCursor;
    // The last one met may have more events further down.
    if (cursor === undefined || met.size > invocations + 1) break;
  }
  return events.reverse();
}
