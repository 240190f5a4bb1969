import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { type Page, parseId, type SessionKey } from '../events/index.ts';
import type { MemoryEntry, SearchResponse } from '../memory/service/index.ts';
import type { CreateSession, Session, SessionInfo, SessionService } from '../sessions/index.ts';
import type { RecallOptions, User } from './palimpsest.ts';
import { SessionHandle, type UserParts } from './session-handle.ts';

interface Who {
  readonly userId: string;
  readonly projectId?: string;
}

/** A handle on one user, optionally within a project. Throws INVALID_ID. */
export function createUser(parts: UserParts, who: Who): User {
  const userId = parseId(who.userId, 'userId');
  const project = who.projectId === undefined ? {} : { projectId: parseId(who.projectId, 'projectId') };
  const { appName, sessions, memory } = parts;
  const scope = { appName, userId, ...project };
  return {
    userId,
    ...project,
    project: (projectId) => createUser(parts, { userId, projectId }),
    session: async (sessionId, options) =>
      new SessionHandle(parts, await openOrCreate(sessions, { ...options, ...scope, sessionId })),
    sessions: (options): Promise<Page<SessionInfo>> => sessions.list({ ...scope, ...options }),
    remember: async (text, options): Promise<MemoryEntry> => {
      const [entry] = await memory.add(scope, [{ text, ...(options?.labels ? { labels: options.labels } : {}) }]);
      if (entry === undefined)
        throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'text', reason: 'was not stored' });
      return entry;
    },
    recall: (query: string, options?: RecallOptions): Promise<SearchResponse> =>
      memory.search({ scope, query, ...options }),
    memories: (options): Promise<Page<MemoryEntry>> => memory.list(scope, options),
    forget: (selector): Promise<number> => memory.delete(scope, selector),
    erase: () => parts.eraseUser(userId),
  };
}

async function openOrCreate(sessions: SessionService, wanted: CreateSession & SessionKey): Promise<Session> {
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
