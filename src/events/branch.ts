import type { Event } from './event.ts';
import type { View } from './view.ts';

/** True if `ancestor` is `branch` or stands above it, compared segment by segment: `a.b` is above `a.b.c`, not `a.bc`. */
export function isSameOrAbove(ancestor: string, branch: string): boolean {
  return branch === ancestor || (branch.startsWith(ancestor) && branch.charCodeAt(ancestor.length) === 46);
}

/**
 * Why a reader does not see an event, or `undefined` if it does. A reader without a branch sees all; one on a branch
 * sees events without one, on an ancestor, on its own, and below its own where that branch's agent has ended.
 * Isolation scopes must be equal.
 */
export function hiddenFrom(
  event: Pick<Event, 'branch' | 'isolationScope'>,
  view: Pick<View, 'branch' | 'isolationScope'>,
  hasEnded: (branch: string) => boolean,
): 'branch' | 'scope' | undefined {
  if (event.isolationScope !== view.isolationScope) return 'scope';
  if (view.branch === undefined || event.branch === undefined || isSameOrAbove(event.branch, view.branch))
    return undefined;
  return isSameOrAbove(view.branch, event.branch) && hasEnded(event.branch) ? undefined : 'branch';
}
