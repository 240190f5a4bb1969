import type { Event } from '../../../events/index.ts';

/** The agent that a log is most likely read for: the one that spoke last, else `assistant`. */
export function agentOf(events: readonly Event[]): string {
  return events.findLast((event) => event.origin === 'agent')?.author ?? 'assistant';
}
