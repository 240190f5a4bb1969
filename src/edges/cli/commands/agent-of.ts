import type { Event } from '../../../events/index.ts';

/** The agent that a log is most likely read for: the one that spoke last, outside of sealed conversations, else `assistant`. */
export function agentOf(events: readonly Event[]): string {
  const spoken = events.findLast((event) => event.origin === 'agent' && event.isolationScope === undefined);
  return spoken?.author ?? 'assistant';
}
