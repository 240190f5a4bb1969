import type { SummaryInForce } from '../../events/index.ts';
import { summaryTokens } from './event-tokens.ts';

/** How many tokens the summaries of one branch and scope hold together, unless told otherwise. */
export const defaultSummaryRegion = 8000;

/** A new summary holds at most this share of the region. */
const largestShare = 4;

/** Once the region is full it is emptied to this share, so that not every fold has to write old summaries anew. */
const emptiedTo = 2;

/** The most tokens that a new summary may hold, in a region of that size. */
export function largestSummary(region: number): number {
  return Math.floor(region / largestShare);
}

/**
 * Which of the summaries in force the next one takes the place of, given in any order: none while there is room for one
 * more, else the oldest, by where they stand, until what is left fills half of the region.
 */
export function summariesToMerge(summaries: readonly SummaryInForce[], region: number): readonly SummaryInForce[] {
  const inOrder = [...summaries].sort((a, b) => standsAt(a) - standsAt(b));
  let left = summaryTokens(inOrder);
  if (left + largestSummary(region) <= region) return [];
  const merged: SummaryInForce[] = [];
  for (const summary of inOrder) {
    if (left <= region / emptiedTo) break;
    merged.push(summary);
    left -= summaryTokens([summary]);
  }
  return merged;
}

function standsAt({ seq, compaction }: SummaryInForce): number {
  return compaction.covers.at(-1)?.[1] ?? seq;
}
