import { type BreakReason, closes, type Event, opens, type RequestJournal } from '../events/index.ts';

type Told = Pick<RequestJournal, 'model' | 'blocks' | 'view'>;

/** The log of a request, as far as it may tell why that does not begin with the one before. */
export interface BreakingLog {
  /** What was at hand of the conversation. */
  readonly events: readonly Event[];
  /** All bookkeeping since the request before, or more of it. */
  readonly bookkeeping: readonly Event[];
}

/**
 * Why a request does not begin with the one before it, as far as the two journals and the log since tell. What nothing
 * else explains is told as an erasure.
 */
export function findBreaks(before: RequestJournal, now: Told, log: BreakingLog): readonly BreakReason[] {
  const since = log.bookkeeping.filter(({ seq }) => seq > before.throughSeq);
  const reasons: readonly (BreakReason | false)[] = [
    before.model !== now.model && 'model',
    differ(before, now, ['instruction', 'example', 'document', 'memory', 'state']) && 'instruction',
    differ(before, now, ['profile']) && 'profile',
    differ(before, now, ['tools']) && 'tools',
    // A pin shows again what a summary stands for; without it that goes back.
    since.some(({ actions }) => actions.compaction ?? actions.pin ?? actions.unpin) && 'compaction',
    since.some(({ actions }) => (actions.rewind?.fromSeq ?? Number.POSITIVE_INFINITY) <= before.throughSeq) && 'rewind',
    since.some(({ actions }) => actions.trim !== undefined) && 'trim',
  ];
  const found = reasons.filter((reason) => reason !== false);
  return found.length > 0 ? found : [unannounced(before, now, log.events)];
}

function unannounced(before: RequestJournal, now: Told, events: readonly Event[]): BreakReason {
  if (now.view.history !== 'full' || before.view.history !== 'full') return 'window';
  const [older, since] = [[] as Event[], [] as Event[]];
  for (const event of events) (event.seq <= before.throughSeq ? older : since).push(event);
  const opened = new Set(older.flatMap(opens));
  if (since.some((event) => closes(event).some((id) => opened.has(id)))) return 'lateResponse';
  return since.some(({ branch }) => branch !== undefined && branch !== before.view.branch) ? 'branchJoined' : 'erasure';
}

function differ(before: Told, now: Told, kinds: readonly string[]): boolean {
  const hashes = ({ blocks }: Told) =>
    blocks.flatMap(({ kind, stable, hash }) => (stable && kinds.includes(kind) ? hash : [])).join();
  return hashes(before) !== hashes(now);
}
