import type { Palimpsest } from '../../../engine/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import { type SessionKey, toInstant } from '../../../events/index.ts';
import { systemClock, uuidV4 } from '../../../internal/index.ts';
import { chooseSession, chooseUser, listUsers } from '../choose-session.ts';

/** The session that a chat goes on in. */
export interface ChatSession {
  readonly key: SessionKey;
  /** Its newest event, 0 for a new one. */
  readonly version: number;
}

/** Which session is wanted. */
export interface WantedSession {
  readonly user?: string;
  readonly session?: string;
}

/** The user where there is none yet. */
const firstUser = 'user';

/**
 * The session that is named, whole or by how its id begins; a new one of that id if there is none, or of an id made here.
 * Nothing is stored. Throws INVALID_ARGUMENT if several fit.
 */
export async function chooseChatSession(palimpsest: Palimpsest, wanted: WantedSession): Promise<ChatSession> {
  const userId = await userOf(palimpsest, wanted);
  if (wanted.session === undefined) return newSession(palimpsest, userId, newSessionId());
  try {
    const { key, version } = await chooseSession(palimpsest, { session: wanted.session, userId });
    return { key, version };
  } catch (error) {
    if (!isPalimpsestError(error, 'SESSION_NOT_FOUND')) throw error;
    return newSession(palimpsest, userId, wanted.session);
  }
}

async function userOf(palimpsest: Palimpsest, { user }: WantedSession): Promise<string> {
  if (user === undefined && (await listUsers(palimpsest)).length === 0) return firstUser;
  return chooseUser(palimpsest, user);
}

function newSession({ appName }: Palimpsest, userId: string, sessionId: string): ChatSession {
  return { key: { appName, userId, sessionId }, version: 0 };
}

function newSessionId(): string {
  const day = toInstant(systemClock.now()).slice(0, '2026-01-31'.length);
  return `chat-${day}-${uuidV4().slice(0, 6)}`;
}
