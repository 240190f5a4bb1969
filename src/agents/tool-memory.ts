import { PalimpsestError } from '../errors/index.ts';
import type { SessionKey } from '../events/index.ts';
import type { MemoryService } from '../memory/service/index.ts';
import type { ToolMemory } from './tools/index.ts';

/** The memory of one user, optionally within a project, as tools are given it. */
export function toolMemory(
  memory: MemoryService,
  { appName, userId }: SessionKey,
  projectId: string | undefined,
): ToolMemory {
  const scope = { appName, userId, ...(projectId === undefined ? {} : { projectId }) };
  return {
    search: (query, options) => memory.search({ ...options, scope, query }),
    remember: async (text, options) => {
      const [entry] = await memory.add(scope, [{ text, ...(options?.labels ? { labels: options.labels } : {}) }]);
      if (entry === undefined)
        throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'text', reason: 'was not stored' });
      return entry;
    },
    forget: (id) => memory.delete(scope, { id }),
  };
}
