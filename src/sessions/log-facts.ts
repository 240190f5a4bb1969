import { type Event, isBookkeeping, isPassive } from '../events/index.ts';
import type { SessionHead } from './session-store.ts';

/** What the head of a session tells about its events. */
export type LogFacts = Pick<SessionHead, 'contentVersion' | 'invocationId'>;

/** The facts about a log without events. */
export const noFacts: LogFacts = { contentVersion: 0, invocationId: undefined };

/** The facts once one more event stands behind the others. */
export function addToFacts(facts: LogFacts, event: Event, isLive: boolean): LogFacts {
  return {
    contentVersion: isPassive(event) ? facts.contentVersion : event.seq,
    invocationId: isLive && !isBookkeeping(event) && event.content ? event.invocationId : facts.invocationId,
  };
}
