import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import type { SessionKey } from '../events/index.ts';
import type { CreateSession, Session, SessionService } from '../sessions/index.ts';

/** The session of that key, made if it is new; when several callers make it at once, all get the one. */
export async function openOrCreate(sessions: SessionService, wanted: CreateSession & SessionKey): Promise<Session> {
  const { appName, userId, sessionId } = wanted;
  const key = { appName, userId, sessionId };
  for (;;) {
    const open = await sessions.open(key);
    if (open) return inProject(open, wanted.projectId);
    try {
      return await sessions.create(wanted);
    } catch (error) {
      if (!isPalimpsestError(error, 'SESSION_EXISTS')) throw error;
    }
  }
}

/** A session keeps its project for life; opened from another one, what is said there would land in the wrong memory. */
function inProject(session: Session, projectId: string | undefined): Session {
  if (projectId === undefined || session.projectId === projectId) return session;
  const where = session.projectId === undefined ? 'no project' : `project ${JSON.stringify(session.projectId)}`;
  const reason = `is ${JSON.stringify(projectId)}, but session ${JSON.stringify(session.key.sessionId)} belongs to ${where}`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'projectId', reason });
}
