import { beginsInvocation, type Event, isBookkeeping, isPassive } from '../events/index.ts';
import type { SessionHead } from './session-store.ts';

/** What the head of a session tells about its events, worked out from the events in order. */
export class LogFacts {
  readonly #met = new Set<string>();
  #contentVersion = 0;
  #invocationId: string | undefined;

  add(event: Event, isLive: boolean): void {
    if (!isPassive(event)) this.#contentVersion = event.seq;
    if (isLive && movesOn(event, this.#met.has(event.invocationId))) this.#invocationId = event.invocationId;
    this.#met.add(event.invocationId);
  }

  /** The part of a head that says so. */
  get ofHead(): Pick<SessionHead, 'contentVersion' | 'invocationId'> {
    return { contentVersion: this.#contentVersion, invocationId: this.#invocationId };
  }
}

/**
 * True if an event makes its invocation the newest one, which those without an invocation join: it asks something, or
 * is the first of its invocation. A late answer to an older question does not.
 */
export function movesOn(event: Pick<Event, 'origin' | 'content' | 'actions'>, isMet: boolean): boolean {
  if (isBookkeeping(event) || (event.origin === 'system' && event.content === undefined)) return false;
  return beginsInvocation(event.origin, event) || !isMet;
}
