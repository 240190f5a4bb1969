import type { MemoryEntry } from '../../memory/service/index.ts';
import type { RunState, ToolContext } from './tool.ts';

const nothing = (): void => undefined;

/** A context for tests of tools: no state, artifacts or memories, unless given. */
export function sampleContext(given: Partial<ToolContext> = {}): ToolContext {
  const state: RunState = {
    get: () => undefined,
    has: () => false,
    set: nothing,
    delete: nothing,
    all: () => ({}),
  };
  return {
    sessionKey: { appName: 'weather', userId: 'u1', sessionId: 's1' },
    invocationId: 'i1',
    agentName: 'assistant',
    callId: 'c1',
    signal: new AbortController().signal,
    state,
    artifacts: { save: async () => 0, load: async () => undefined, list: async () => [] },
    memory: {
      search: async () => ({ memories: [], mode: 'keyword', truncated: false, degraded: [], tookMs: 0 }),
      remember: async (text) => sampleMemory({ text }),
      forget: async () => 0,
    },
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    skipSummarization: nothing,
    completeTask: nothing,
    ...given,
  };
}

/** A memory for tests of tools. */
export function sampleMemory(given: Partial<MemoryEntry> = {}): MemoryEntry {
  const at = '2026-03-01T08:00:00.000Z';
  return {
    id: 'm1',
    text: '用户喜欢摄氏度',
    kind: 'fact',
    author: 'user',
    timestamp: at,
    recordedAt: at,
    provenance: [{ kind: 'direct', source: 'api', id: 'm1', at }],
    sourceTrust: 'userStated',
    revision: 1,
    ...given,
  };
}
