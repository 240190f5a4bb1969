import { PalimpsestError } from '../errors/index.ts';
import type { Event } from '../events/index.ts';
import type { MemoryService } from '../memory/service/index.ts';
import type { Session } from '../sessions/index.ts';
import type { ToolMemory } from './tools/index.ts';

/** Whose memory a tool is given. */
export interface MemoryOwner {
  readonly appName: string;
  readonly userId: string;
  readonly projectId?: string;
}

/** Where the memory of tools is kept, and how some of it is removed. */
export interface MemoryParts {
  readonly memory: MemoryService;
  readonly forget?: (scope: MemoryOwner, id: string) => Promise<number>;
}

/**
 * The memory of one user, optionally within a project, as the tools that an event calls are given it. What they remember
 * has that event as its source: erasing the session erases it.
 */
export function toolMemory(
  { memory, forget = (scope, id) => memory.delete(scope, { id }) }: MemoryParts,
  { key: { appName, userId, sessionId }, projectId, incarnation }: Pick<Session, 'key' | 'projectId' | 'incarnation'>,
  { author, seq, id }: Pick<Event, 'author' | 'seq' | 'id'>,
): ToolMemory {
  const scope: MemoryOwner = { appName, userId, ...(projectId === undefined ? {} : { projectId }) };
  const provenance = [{ kind: 'event', sessionId, incarnation, seq, eventId: id }] as const;
  return {
    search: (query, options) => memory.search({ ...options, scope, query }),
    remember: async (text, { labels } = {}) => {
      const [entry] = await memory.add(scope, [
        { text, author, sourceTrust: 'agent', provenance, ...(labels ? { labels } : {}) },
      ]);
      if (entry === undefined)
        throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'text', reason: 'was not stored' });
      return entry;
    },
    forget: (id) => forget(scope, id),
  };
}
