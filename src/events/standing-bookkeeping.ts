import { type Coverage, foldCoverage } from './coverage.ts';
import { type Compaction, type Event, isBookkeeping } from './event.ts';
import { normalizeRanges, rangeAt, type SeqRange, subtractRanges } from './ranges.ts';

/** What of a log's bookkeeping still says something about the conversation. */
export interface StandingBookkeeping {
  /** In order of seq: summaries in force, rewinds in effect, marks of events that are to be seen. */
  readonly events: readonly Event[];
  /** Says of every event of the conversation what the fold of all bookkeeping would. */
  readonly coverage: Coverage;
  /** Trims in force of events that summaries cover, which matter only to who reads one of those. */
  readonly dormant: readonly Event[];
  /** Bookkeeping that says nothing any more, where it stands between uncovered events: sorted, disjoint. */
  readonly idle: readonly SeqRange[];
}

/** The bookkeeping of a log that has none. */
export const noBookkeeping: StandingBookkeeping = Object.freeze({
  events: [],
  coverage: foldCoverage([]),
  dormant: [],
  idle: [],
});

/**
 * Adds bookkeeping events, given in order, to what stands of those before them: superseded summaries, ended marks and
 * session ends are dropped. Answers `undefined` if a rewind reaches back above one of them, and so may bring back what
 * was dropped: then it has to be worked out from all of them. Takes time in the number of events that stand.
 */
export function standingBookkeeping(
  added: readonly Event[],
  { before, throughSeq }: { readonly before: StandingBookkeeping; readonly throughSeq: number },
): StandingBookkeeping | undefined {
  if (added.length === 0) return before;
  if (added.some(({ actions }) => actions.rewind !== undefined && actions.rewind.fromSeq <= throughSeq))
    return undefined;
  const all = [...before.events, ...before.dormant, ...added.filter(isBookkeeping)].sort((a, b) => a.seq - b.seq);
  const coverage = foldCoverage(all);
  const covered = normalizeRanges(coverage.summaries.flatMap(({ compaction }) => compaction.covers));
  const sleeps = (event: Event): boolean =>
    event.actions.trim?.seqs.every((seq) => rangeAt(covered, seq) !== -1) === true && coverage.isLive(event.seq);
  const standing = chooseStanding(all, coverage, sleeps);
  const dropped = all.filter((event) => !standing.has(event) && !sleeps(event));
  const own = dropped.map(({ seq }): SeqRange => [seq, seq]);
  return Object.freeze({
    events: all.filter((event) => standing.has(event)),
    coverage,
    dormant: all.filter((event) => !standing.has(event) && sleeps(event)),
    idle: subtractRanges(normalizeRanges([...before.idle, ...own]), covered),
  });
}

function chooseStanding(all: readonly Event[], coverage: Coverage, sleeps: (event: Event) => boolean): Set<Event> {
  const inForce = new Set(coverage.summaries.map(({ seq }) => seq));
  const areRivals = hasRivals(all, coverage, inForce);
  const standing = new Set<Event>();
  const pinnedOnce = new Set<number>();
  const kept = new Set<number>();
  for (const event of all) {
    const { compaction, rewind, pin, unpin, trim } = event.actions;
    const isLive = coverage.isLive(event.seq);
    // In a rewound span even what says nothing counts: a summary whose range runs over it does not die of it.
    let stands = rangeAt(coverage.hidden, event.seq) !== -1;
    if (compaction !== undefined)
      stands ||= inForce.has(event.seq) || (isLive && (areRivals || replacesAny(compaction, kept)));
    else if (rewind !== undefined) stands ||= isLive;
    else if (trim !== undefined) stands ||= isLive && !sleeps(event);
    else if (pin !== undefined) stands ||= isLive && pin.seqs.some((seq) => coverage.pinned.has(seq));
    else if (unpin !== undefined) stands ||= isLive && unpin.seqs.some((seq) => pinnedOnce.has(seq));
    if (!stands) continue;
    standing.add(event);
    kept.add(event.seq);
    for (const seq of pin?.seqs ?? []) pinnedOnce.add(seq);
  }
  return standing;
}

/** True for a summary that took the place of one that is kept, which would be in force again without it. */
function replacesAny({ supersedes = [] }: Compaction, kept: ReadonlySet<number>): boolean {
  return supersedes.some((seq) => kept.has(seq));
}

/** True if a summary gave way to another that it does not supersede: then each of them counts for the others. */
function hasRivals(all: readonly Event[], { isLive }: Coverage, inForce: ReadonlySet<number>): boolean {
  const live = all.filter(({ seq, actions }) => actions.compaction !== undefined && isLive(seq));
  if (live.length === inForce.size) return false;
  const superseded = new Set(live.flatMap(({ actions }) => actions.compaction?.supersedes ?? []));
  return live.some(({ seq }) => !inForce.has(seq) && !superseded.has(seq));
}
