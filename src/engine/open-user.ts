import { openOrCreate, type RecallOptions } from '../agents/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import { type Page, parseId } from '../events/index.ts';
import type { MemoryEntry, SearchResponse } from '../memory/service/index.ts';
import type { SessionInfo } from '../sessions/index.ts';
import { forgetMemories } from './forget-memories.ts';
import type { OpenSession, User } from './palimpsest.ts';
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
    project: (projectId) => createUser(parts, { userId, projectId: parseId(projectId, 'projectId') }),
    session: async <State extends object>(sessionId: string, options?: object) => {
      const session = await openOrCreate(sessions, { ...options, ...scope, sessionId });
      // What is in state is known to the caller, and to the schemas that were checked when it was written.
      return new SessionHandle(parts, session) as object as OpenSession<State>;
    },
    sessions: (options): Promise<Page<SessionInfo>> => sessions.list({ ...options, ...scope }),
    remember: async (text, options): Promise<MemoryEntry> => {
      const [entry] = await memory.add(scope, [{ text, ...(options?.labels ? { labels: options.labels } : {}) }]);
      if (entry === undefined)
        throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'text', reason: 'was not stored' });
      return entry;
    },
    recall: (query: string, options?: RecallOptions): Promise<SearchResponse> =>
      memory.search({ ...options, scope, query }),
    memories: (options): Promise<Page<MemoryEntry>> => memory.list(scope, options),
    forget: (selector): Promise<number> => forgetMemories(parts, scope, selector),
    usage: () => sessions.usageOfUser(scope),
    erase: () => parts.eraseUser(userId),
  };
}
