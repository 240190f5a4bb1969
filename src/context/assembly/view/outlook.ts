import {
  type Coverage,
  type Event,
  isBookkeeping,
  noBookkeeping,
  normalizeRanges,
  type SeqRange,
  type StandingBookkeeping,
  standingBookkeeping,
  subtractRanges,
  type View,
} from '../../../events/index.ts';
import { endedBranch, whySummaryInvisible } from '../hide-invisible.ts';
import { whyNotLive } from '../hide-rewound.ts';

/** What bookkeeping and ended agents say about the events of a log, for one view. */
export interface Outlook {
  readonly coverage: Coverage;
  /** Seqs of the summaries that stand for what they cover. */
  readonly shown: ReadonlySet<number>;
  /** Branches whose agent has ended. */
  readonly ended: ReadonlySet<string>;
  /** The bookkeeping that still says something. */
  readonly standing: StandingBookkeeping;
  /** Summaries that went with an event that they name. */
  readonly dead: ReadonlySet<number>;
}

/** The outlook from the turning events of a log, in order of seq. Takes time in their number. */
export function outlookOf(turning: readonly Event[], view: View): Outlook {
  const bookkeeping = turning.filter(isBookkeeping);
  const standing = standingBookkeeping(bookkeeping, { before: noBookkeeping, throughSeq: 0 }) ?? noBookkeeping;
  const isDead = ({ seq, actions }: Event) => actions.compaction !== undefined && !standing.coverage.isLive(seq);
  const dead = new Set(bookkeeping.filter(isDead).map(({ seq }) => seq));
  return outlookFrom({ standing, dead, ended: endedBranches(turning, standing.coverage, view) }, view);
}

/**
 * The outlook behind one more turning event. Takes time in the number of bookkeeping events that still say something, or
 * of all, if a rewind reaches back above one of them.
 */
export function outlookBehind(event: Event, before: Outlook, turning: readonly Event[], view: View): Outlook {
  const throughSeq = turning.findLast(isBookkeeping)?.seq ?? 0;
  const added = isBookkeeping(event) ? [event] : [];
  const standing = standingBookkeeping(added, { before: before.standing, throughSeq });
  const hidesEnding = event.actions.rewind !== undefined && before.ended.size > 0;
  if (standing === undefined || hidesEnding) return outlookOf([...turning, event], view);
  const isDead = event.actions.compaction !== undefined && !standing.coverage.isLive(event.seq);
  const dead = isDead ? new Set([...before.dead, event.seq]) : before.dead;
  const branches = endedBranches([event], standing.coverage, view);
  const ended = branches.size === 0 ? before.ended : new Set([...before.ended, ...branches]);
  return outlookFrom({ standing, dead, ended }, view);
}

function outlookFrom(known: Pick<Outlook, 'standing' | 'dead' | 'ended'>, view: View): Outlook {
  const { dead, ended } = known;
  const { coverage } = known.standing;
  const isShown = ({ compaction }: Coverage['summaries'][number]) =>
    whySummaryInvisible(compaction, view, (branch) => ended.has(branch)) === undefined;
  return {
    ...known,
    // What stands knows nothing of the summaries that do not.
    coverage: { ...coverage, isLive: (seq) => !dead.has(seq) && coverage.isLive(seq) },
    shown: new Set(coverage.summaries.filter(isShown).map(({ seq }) => seq)),
  };
}

function endedBranches(events: readonly Event[], coverage: Coverage, view: View): ReadonlySet<string> {
  const live = events.filter((event) => whyNotLive(event, coverage) === undefined);
  return new Set(live.flatMap((event) => endedBranch(event, view) ?? []));
}

/** True for the events on which the outlook of a view depends. */
export function isTurning(event: Event, view: View): boolean {
  return isBookkeeping(event) || endedBranch(event, view) !== undefined;
}

/** In what two outlooks of one log differ. */
export interface OutlookChange {
  /** Seqs that become live again. */
  readonly revealed: readonly SeqRange[];
  /** Seqs that no summary covers any longer. */
  readonly uncovered: readonly SeqRange[];
  /** Seqs that were covered, or live, and are not, or the other way round. */
  readonly turned: readonly SeqRange[];
  /** The lowest seq that a rewind hides or reveals. */
  readonly rewoundFrom: number;
  /** Summaries that stand now and did not, or the other way round. */
  readonly summaries: readonly number[];
  readonly pinned: readonly number[];
  readonly trimmed: readonly number[];
  /** Branches whose agent has ended, or has not after all. */
  readonly ended: readonly string[];
}

/** Compares the outlook before a bookkeeping event with that behind it. */
export function compareOutlooks(before: Outlook, after: Outlook): OutlookChange {
  const [old, now] = [before.coverage, after.coverage];
  const revealed = subtractRanges(old.hidden, now.hidden);
  const rewound = normalizeRanges([...revealed, ...subtractRanges(now.hidden, old.hidden)]);
  const [gone, come] = [coversOf(before, after.shown), coversOf(after, before.shown)];
  const uncovered = subtractRanges(gone, come);
  return {
    revealed,
    uncovered,
    turned: normalizeRanges([...uncovered, ...subtractRanges(come, gone)]),
    rewoundFrom: rewound[0]?.[0] ?? Number.POSITIVE_INFINITY,
    summaries: inOneOf(before.shown, after.shown),
    pinned: inOneOf(old.pinned, now.pinned),
    trimmed: [...new Set([...old.trimmed.keys(), ...now.trimmed.keys()])].filter(
      (seq) => old.trimmed.get(seq) !== now.trimmed.get(seq),
    ),
    ended: inOneOf(before.ended, after.ended),
  };
}

/** What the shown summaries cover that the other outlook does not show. */
function coversOf({ coverage, shown }: Outlook, others: ReadonlySet<number>): SeqRange[] {
  return normalizeRanges(
    coverage.summaries.flatMap(({ seq, compaction }) => (shown.has(seq) && !others.has(seq) ? compaction.covers : [])),
  );
}

function inOneOf<Item>(a: ReadonlySet<Item>, b: ReadonlySet<Item>): Item[] {
  return [...[...a].filter((item) => !b.has(item)), ...[...b].filter((item) => !a.has(item))];
}
