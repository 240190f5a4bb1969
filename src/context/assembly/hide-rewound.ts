import { type Coverage, type Event, isBookkeeping } from '../../events/index.ts';
import { leaveOut } from './leave-out.ts';
import type { PlacementTable } from './placement-table.ts';

/**
 * Stage 1: leaves out what a rewind hides, and bookkeeping, which is no conversation. Compactions stay, since their
 * summaries may stand in the request; so does what the library itself said, but not its bare state.
 */
export function hideRewound(log: readonly Event[], coverage: Coverage, placements: PlacementTable): readonly Event[] {
  return leaveOut(log, placements, (event) => whyNotLive(event, coverage));
}

/** Why an event is no live part of the conversation. */
export function whyNotLive(event: Event, coverage: Coverage): 'rewound' | 'bookkeeping' | undefined {
  if (!coverage.isLive(event.seq)) return 'rewound';
  return event.actions.compaction === undefined && isAboutTheLog(event) ? 'bookkeeping' : undefined;
}

function isAboutTheLog(event: Event): boolean {
  return isBookkeeping(event) || (event.origin === 'system' && event.content === undefined);
}
