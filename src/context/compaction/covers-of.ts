import {
  type Event,
  isBookkeeping,
  normalizeRanges,
  rangesMeet,
  type SeqRange,
  type SummaryInForce,
} from '../../events/index.ts';
import type { FoldWindow } from './fold-window.ts';

/**
 * The ranges of a summary of these events in place of these older ones. They run over bookkeeping, read or not, and over
 * nothing else: what a window leaves out is bookkeeping unless a rewind hides it or another summary covers it.
 */
export function coversOf(
  folded: readonly Event[],
  superseded: readonly SummaryInForce[],
  { events, coverage }: FoldWindow,
): readonly SeqRange[] {
  const own = normalizeRanges([...folded.map(rangeOf), ...superseded.flatMap(({ compaction }) => compaction.covers)]);
  const [first, last] = [own[0]?.[0] ?? 0, own.at(-1)?.[1] ?? 0];
  const others = coverage.summaries.filter((summary) => !superseded.includes(summary));
  const foreign = normalizeRanges([
    ...events.filter((event) => event.seq >= first && event.seq <= last && !isBookkeeping(event)).map(rangeOf),
    ...coverage.hidden,
    ...others.flatMap(({ compaction }) => compaction.covers),
  ]);
  const covers: SeqRange[] = [];
  for (const range of own) {
    const before = covers.at(-1);
    if (before === undefined || rangesMeet(foreign, [before[1] + 1, range[0] - 1])) covers.push(range);
    else covers[covers.length - 1] = [before[0], range[1]];
  }
  return covers;
}

function rangeOf({ seq }: Event): SeqRange {
  return [seq, seq];
}
