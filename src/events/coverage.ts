import { type Compaction, type Event, isBookkeeping } from './event.ts';
import { intersectRanges, normalizeRanges, rangeAt, type SeqRange, subtractRanges } from './ranges.ts';

type Logged = Pick<Event, 'seq' | 'actions'>;

/** A summary that no live one supersedes. */
export interface SummaryInForce {
  readonly seq: number;
  readonly compaction: Compaction;
}

/** What the bookkeeping events of a log say about its other events. */
export interface Coverage {
  /** What rewinds hide: sorted, disjoint. Bookkeeping that stays in force inside them is not taken out; ask isLive. */
  readonly hidden: readonly SeqRange[];
  /** Summaries in force, by seq; no two of them name one event. */
  readonly summaries: readonly SummaryInForce[];
  /** Seqs named by a pin in force. */
  readonly pinned: ReadonlySet<number>;
  /** Seqs whose tool payload is shown cut, with how many characters are kept. */
  readonly trimmed: ReadonlyMap<number, number>;
  /** True if no rewind hides the event. */
  isLive(seq: number): boolean;
  /** Seq of the summary in force that names the event, or, for an older summary, of the one that took its place. */
  coveredBy(seq: number): number | undefined;
}

/**
 * The one rule for what is live and what is covered, from a log's bookkeeping events in order of seq (others are
 * ignored). A rewind that lies in a later rewind's span has no effect. Costs time in the number of bookkeeping events.
 */
export function foldCoverage(bookkeeping: Iterable<Logged>): Coverage {
  const events = [...bookkeeping].filter(isBookkeeping);
  const hidden = foldRewinds(events);
  const own = normalizeRanges(events.map((event): SeqRange => [event.seq, event.seq]));
  const dead = new Set<number>();
  for (const event of events) if (isDead(event, hidden, own)) dead.add(event.seq);
  const live = events.filter((event) => !dead.has(event.seq));
  const bookkeepingSeqs = new Set(events.map((event) => event.seq));
  const { summaries, successors } = foldSummaries(live);
  const { pinned, trimmed } = foldMarks(live);
  const index = indexCovers(summaries);
  return {
    hidden,
    summaries,
    pinned,
    trimmed,
    isLive: (seq) => (bookkeepingSeqs.has(seq) ? !dead.has(seq) : rangeAt(hidden, seq) === -1),
    coveredBy: (seq) => newestSuccessor(successors, seq) ?? index(seq),
  };
}

/** Seqs that a pin, unpin or trim speaks about, or that a compaction covers; `undefined` for other events. */
export function namedBy(event: Pick<Event, 'actions'>): readonly SeqRange[] | undefined {
  const { compaction, pin, unpin, trim } = event.actions;
  if (compaction !== undefined) return compaction.covers;
  const marks = pin ?? unpin ?? trim;
  return marks && normalizeRanges(marks.seqs.map((seq): SeqRange => [seq, seq]));
}

function foldRewinds(events: readonly Logged[]): SeqRange[] {
  const spans: SeqRange[] = [];
  let reach = Number.POSITIVE_INFINITY;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    const rewind = event?.actions.rewind;
    if (event === undefined || rewind === undefined || event.seq >= reach) continue;
    spans.push([rewind.fromSeq, event.seq - 1]);
    reach = rewind.fromSeq;
  }
  return normalizeRanges(spans);
}

/** A compaction dies with any event it names; a mark inside a hidden span dies unless all it names stay live. */
function isDead(event: Logged, hidden: readonly SeqRange[], bookkeeping: readonly SeqRange[]): boolean {
  const inSpan = rangeAt(hidden, event.seq) !== -1;
  const named = namedBy(event);
  if (named === undefined) return inSpan;
  if (!inSpan && event.actions.compaction === undefined) return false;
  return subtractRanges(intersectRanges(named, hidden), bookkeeping).length > 0;
}

interface Summaries {
  readonly summaries: SummaryInForce[];
  readonly successors: Map<number, number>;
}

/**
 * A rewind of a rewind can bring back a summary beside one that was made meanwhile of the same events. The older one
 * stays in force then, since the rewind takes back what came after it, so that no event is ever covered twice.
 */
function foldSummaries(live: readonly Logged[]): Summaries {
  const folded = supersede(live, () => false);
  const ranges = folded.summaries.flatMap(({ compaction }) => compaction.covers).sort((a, b) => a[0] - b[0]);
  const isDisjoint = ranges.every(([from], at) => from > (ranges[at - 1]?.[1] ?? 0));
  return isDisjoint ? folded : supersede(live, meetsOther);
}

function supersede(
  live: readonly Logged[],
  isRefused: (compaction: Compaction, inForce: Iterable<SummaryInForce>) => boolean,
): Summaries {
  const inForce = new Map<number, SummaryInForce>();
  const successors = new Map<number, number>();
  for (const { seq, actions } of live) {
    if (actions.compaction === undefined || isRefused(actions.compaction, inForce.values())) continue;
    for (const older of actions.compaction.supersedes ?? []) {
      // Append lets no other through; a circle would have no newest.
      if (older >= seq) continue;
      inForce.delete(older);
      successors.set(older, seq);
    }
    inForce.set(seq, { seq, compaction: actions.compaction });
  }
  return { summaries: [...inForce.values()], successors };
}

/** True if a summary names an event of one in force that it does not supersede. */
function meetsOther({ covers, supersedes }: Compaction, inForce: Iterable<SummaryInForce>): boolean {
  for (const { seq, compaction } of inForce) {
    if (supersedes?.includes(seq) !== true && intersectRanges(covers, compaction.covers).length > 0) return true;
  }
  return false;
}

/** Follows a chain of summaries that took each other's place to its end, and shortens it for the next to ask. */
function newestSuccessor(successors: Map<number, number>, seq: number): number | undefined {
  let newest = successors.get(seq);
  for (let next = newest; next !== undefined; next = successors.get(next)) newest = next;
  if (newest === undefined) return undefined;
  for (let at: number | undefined = seq; at !== undefined && at !== newest; ) {
    const next = successors.get(at);
    successors.set(at, newest);
    at = next;
  }
  return newest;
}

function foldMarks(live: readonly Logged[]): { pinned: Set<number>; trimmed: Map<number, number> } {
  const pinned = new Set<number>();
  const trimmed = new Map<number, number>();
  for (const { actions } of live) {
    for (const seq of actions.pin?.seqs ?? []) pinned.add(seq);
    for (const seq of actions.unpin?.seqs ?? []) pinned.delete(seq);
    for (const seq of actions.trim?.seqs ?? []) trimmed.set(seq, actions.trim?.keepChars ?? 0);
  }
  return { pinned, trimmed };
}

function indexCovers(summaries: readonly SummaryInForce[]): (seq: number) => number | undefined {
  const owned = summaries.flatMap(({ seq, compaction }) => compaction.covers.map((range) => ({ range, by: seq })));
  owned.sort((a, b) => a.range[0] - b.range[0]);
  const ranges = owned.map(({ range }) => range);
  return (seq) => owned[rangeAt(ranges, seq)]?.by;
}
