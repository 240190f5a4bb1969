import { type Event, hiddenFrom, textOf, type View } from '../../events/index.ts';
import { leaveOut } from './leave-out.ts';
import type { PlacementTable } from './placement-table.ts';

/** Stage 2: leaves out what the view's branch and isolation scope do not see, and summaries that say nothing. */
export function hideInvisible(live: readonly Event[], view: View, placements: PlacementTable): readonly Event[] {
  const hasEnded = endedBranches(live, view);
  return leaveOut(live, placements, (event) => {
    const { compaction } = event.actions;
    const why = hiddenFrom(compaction ?? event, view, hasEnded);
    const saysNothing = compaction !== undefined && textOf(compaction.content).trim() === '';
    return why ?? (saysNothing ? 'empty' : undefined);
  });
}

function endedBranches(live: readonly Event[], view: View): (branch: string) => boolean {
  const ended = new Set<string>();
  if (view.branch !== undefined) {
    for (const { actions, branch } of live) if (actions.endOfAgent === true && branch !== undefined) ended.add(branch);
  }
  return (branch) => ended.has(branch);
}
