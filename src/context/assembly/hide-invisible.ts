import { type Compaction, type Event, hiddenFrom, textOf, type View } from '../../events/index.ts';
import { leaveOut } from './leave-out.ts';
import type { PlacementTable } from './placement-table.ts';

/** Whether the agent of a branch has ended. */
export type HasEnded = (branch: string) => boolean;

/** Stage 2: leaves out what the view's branch and isolation scope do not see, and summaries that say nothing. */
export function hideInvisible(live: readonly Event[], view: View, placements: PlacementTable): readonly Event[] {
  const ended = new Set<string>();
  for (const event of live) {
    const branch = endedBranch(event, view);
    if (branch !== undefined) ended.add(branch);
  }
  const hasEnded: HasEnded = (branch) => ended.has(branch);
  return leaveOut(live, placements, (event) => whyInvisible(event, view, hasEnded));
}

/** The branch whose agent an event ends, if that can matter to the view. */
export function endedBranch({ actions, branch }: Event, view: View): string | undefined {
  return view.branch !== undefined && actions.endOfAgent === true ? branch : undefined;
}

/** Why a view does not see an event. */
export function whyInvisible(event: Event, view: View, hasEnded: HasEnded): 'branch' | 'scope' | 'empty' | undefined {
  const { compaction } = event.actions;
  return compaction === undefined ? hiddenFrom(event, view, hasEnded) : whySummaryInvisible(compaction, view, hasEnded);
}

/** Why a view does not see a summary. */
export function whySummaryInvisible(
  compaction: Compaction,
  view: View,
  hasEnded: HasEnded,
): 'branch' | 'scope' | 'empty' | undefined {
  const saysNothing = textOf(compaction.content).trim() === '';
  return hiddenFrom(compaction, view, hasEnded) ?? (saysNothing ? 'empty' : undefined);
}
