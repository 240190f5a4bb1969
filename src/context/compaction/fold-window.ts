import { type Coverage, type Event, hiddenFrom } from '../../events/index.ts';

/** What of a log a fold is planned from: its live window, as it stood at one moment. */
export interface FoldWindow {
  /** In order of seq: standing bookkeeping and what no summary covers; covered events may be among them. */
  readonly events: readonly Event[];
  readonly coverage: Coverage;
  /** Seq of the newest event of the log. */
  readonly version: number;
  /** Events below what is to be folded, covered ones too, as far as they were read: where an overlap is taken from. */
  readonly earlier?: readonly Event[];
}

/** The branch and isolation scope that all events of one summary share; absent equals absent. */
export interface FoldPlace {
  readonly branch?: string;
  readonly isolationScope?: string;
}

/** The branch and isolation scope of an event or a compaction, and nothing else of it. */
export function foldPlaceOf({ branch, isolationScope }: FoldPlace): FoldPlace {
  return {
    ...(branch === undefined ? {} : { branch }),
    ...(isolationScope === undefined ? {} : { isolationScope }),
  };
}

/** True if both are of one branch and one isolation scope. */
export function isSamePlace(a: FoldPlace, b: FoldPlace): boolean {
  return a.branch === b.branch && a.isolationScope === b.isolationScope;
}

/** True if a reader there sees what stands here; what is below its own branch counts as ended. */
export function isSeenFrom(reader: FoldPlace, place: FoldPlace): boolean {
  return hiddenFrom(place, reader, () => true) === undefined;
}

/** A text that two places share exactly if they are the same; ids have no line breaks in them. */
export function keyOfPlace({ branch = '', isolationScope = '' }: FoldPlace): string {
  return `${isolationScope}\n${branch}`;
}
