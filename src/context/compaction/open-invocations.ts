import { answers, asks, type Event, isBookkeeping, openObligations } from '../../events/index.ts';
import type { FoldWindow } from './fold-window.ts';
import { tellEvent } from './tell-event.ts';

const noInvocations: ReadonlySet<string> = new Set();

/**
 * Invocations that may be under way: those of the newest question and of what was said last, unless a final event ended
 * them and nothing in them is open. Older ones are over, since a later one has begun.
 */
export function openInvocations({ events, coverage }: FoldWindow): ReadonlySet<string> {
  const live = events.filter((event) => !isBookkeeping(event) && coverage.isLive(event.seq));
  const newest = [live.findLast(asks), live.findLast(speaks)].flatMap((event) => event?.invocationId ?? []);
  const open = newest.filter((id) => isUnderWay(live.filter(({ invocationId }) => invocationId === id)));
  return open.length === 0 ? noInvocations : new Set(open);
}

function isUnderWay(events: readonly Event[]): boolean {
  const last = events.findLast(speaks);
  return last === undefined || !answers(last) || openObligations(events).length > 0;
}

function speaks(event: Event): boolean {
  return tellEvent(event).length > 0;
}
