import type { Coverage, Event } from '../../events/index.ts';
import { insertByPlace } from './place-order.ts';
import type { StageFacts } from './stage-facts.ts';

/**
 * Stage 3: a summary in force takes the place of what it names, where the last of that stood. What a summary names that
 * this view does not see is left raw, so that nothing gets lost.
 */
export function maskCompacted(visible: readonly Event[], facts: StageFacts): readonly Event[] {
  const { coverage, kept, placements } = facts;
  if (coverage.summaries.length === 0) return visible;
  const inForce = new Set(coverage.summaries.map(({ seq }) => seq));
  const summaries = visible.filter(({ seq }) => inForce.has(seq));
  const shown = new Set(summaries.map(({ seq }) => seq));
  for (const seq of shown) placements.summarize(seq);
  const raw: Event[] = [];
  for (const event of visible) {
    if (shown.has(event.seq)) continue;
    const by = shownSummaryOf(event.seq, coverage, shown);
    if (event.actions.compaction !== undefined) {
      if (by === undefined) placements.hide(event.seq, 'bookkeeping');
      else placements.mask(event.seq, by);
    } else if (by !== undefined && !kept.has(event.seq)) placements.mask(event.seq, by);
    else raw.push(event);
  }
  return insertByPlace(raw, summaries);
}

/** Seq of the summary that covers an event, if it is one of those shown. */
export function shownSummaryOf(seq: number, coverage: Coverage, shown: ReadonlySet<number>): number | undefined {
  const by = coverage.coveredBy(seq);
  return by !== undefined && shown.has(by) ? by : undefined;
}
