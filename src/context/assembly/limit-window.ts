import type { Event } from '../../events/index.ts';
import { HistoryWindow, isInside } from './history-window.ts';
import { leaveOut } from './leave-out.ts';
import type { StageFacts } from './stage-facts.ts';

/**
 * Stage 5: leaves out what the view's history does not take in. For the current invocation: all but its events and the
 * summaries behind its beginning. For a window: what stands before its start. What is kept verbatim stays, uncounted.
 */
export function limitWindow(spoken: readonly Event[], facts: StageFacts): readonly Event[] {
  const { view, links, kept, placements } = facts;
  if (view.history === 'full') return spoken;
  const window = new HistoryWindow(view.history, links);
  for (const event of spoken) window.add(event);
  const start = window.start();
  return leaveOut(spoken, placements, (event) =>
    isInside(event, start) || kept.has(event.seq) ? undefined : 'window',
  );
}
