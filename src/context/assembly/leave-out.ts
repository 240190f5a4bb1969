import type { Event } from '../../events/index.ts';
import type { HiddenWhy } from './assembly.ts';
import type { PlacementTable } from './placement-table.ts';

/** The events without those that there is a reason to hide; the list itself if there is none. */
export function leaveOut(
  events: readonly Event[],
  placements: PlacementTable,
  whyHidden: (event: Event, index: number) => HiddenWhy | undefined,
): readonly Event[] {
  let kept: Event[] | undefined;
  for (let index = 0; index < events.length; index++) {
    const event = events[index];
    if (event === undefined) continue;
    const why = whyHidden(event, index);
    if (why === undefined) kept?.push(event);
    else {
      kept ??= events.slice(0, index);
      placements.hide(event.seq, why);
    }
  }
  return kept ?? events;
}
