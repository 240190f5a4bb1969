import { isPalimpsestError } from '../errors/index.ts';
import type { SessionKey } from '../events/index.ts';
import type { CreateSession, Session, SessionService } from '../sessions/index.ts';

/** The session of that key, made if it is new; when several callers make it at once, all get the one. */
export async function openOrCreate(sessions: SessionService, wanted: CreateSession & SessionKey): Promise<Session> {
  const { appName, userId, sessionId } = wanted;
  const key = { appName, userId, sessionId };
  for (;;) {
    const open = await sessions.open(key);
    if (open) return open;
    try {
      return await sessions.create(wanted);
    } catch (error) {
      if (!isPalimpsestError(error, 'SESSION_EXISTS')) throw error;
    }
  }
}
