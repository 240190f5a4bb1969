import { PalimpsestError } from '../errors/index.ts';
import type { Event, SessionKey } from '../events/index.ts';

/** The event that a call has stored. Throws SESSION_NOT_FOUND if there is none. */
export function requireEvent(event: Event | undefined, key: SessionKey): Event {
  if (event === undefined) throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: key.sessionId });
  return event;
}
