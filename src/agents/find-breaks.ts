import { type BreakReason, closes, type Event, opens, type RequestJournal } from '../events/index.ts';

type Told = Pick<RequestJournal, 'model' | 'blocks' | 'view'>;

/**
 * Why a request does not begin with the one before it, as far as the two journals and the log since tell. What nothing
 * else explains is told as an erasure.
 */
export function findBreaks(before: RequestJournal, now: Told, events: readonly Event[]): readonly BreakReason[] {
  const since = eventsAfter(events, before.throughSeq);
  const reasons: readonly (BreakReason | false)[] = [
    before.model !== now.model && 'model',
    differ(before, now, ['instruction', 'example', 'document']) && 'instruction',
    differ(before, now, ['profile']) && 'profile',
    differ(before, now, ['tools']) && 'tools',
    since.some(({ actions }) => actions.compaction !== undefined) && 'compaction',
    since.some(({ actions }) => (actions.rewind?.fromSeq ?? Number.POSITIVE_INFINITY) <= before.throughSeq) && 'rewind',
    since.some(({ actions }) => actions.trim !== undefined) && 'trim',
  ];
  const found = reasons.filter((reason) => reason !== false);
  return found.length > 0 ? found : [unannounced(before, now, events, since)];
}

function unannounced(
  before: RequestJournal,
  now: Told,
  events: readonly Event[],
  since: readonly Event[],
): BreakReason {
  if (now.view.history !== 'full') return 'window';
  const opened = new Set(events.slice(0, events.length - since.length).flatMap(opens));
  if (since.some((event) => closes(event).some((id) => opened.has(id)))) return 'lateResponse';
  return since.some(({ branch }) => branch !== undefined && branch !== before.view.branch) ? 'branchJoined' : 'erasure';
}

function differ(before: Told, now: Told, kinds: readonly string[]): boolean {
  const hashes = ({ blocks }: Told) =>
    blocks.flatMap(({ kind, stable, hash }) => (stable && kinds.includes(kind) ? hash : [])).join();
  return hashes(before) !== hashes(now);
}

function eventsAfter(events: readonly Event[], seq: number): readonly Event[] {
  return events.slice(events.findLastIndex((event) => event.seq <= seq) + 1);
}
