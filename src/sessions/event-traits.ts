import type { Event } from '../events/index.ts';

/** True for an event that writes state or saves artifacts: what a rewind has to take back. */
export function changesState({ actions }: Pick<Event, 'actions'>): boolean {
  return actions.stateDelta !== undefined || actions.stateRemoved !== undefined || actions.artifactDelta !== undefined;
}

/** True if the event before it belongs to another invocation. Stores find an invocation by the starts of its runs. */
export function startsRun(event: Pick<Event, 'invocationId'>, previousInvocationId: string | undefined): boolean {
  return event.invocationId !== previousInvocationId;
}
