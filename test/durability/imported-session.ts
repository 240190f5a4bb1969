import type { ImportSession } from '../../src/index.ts';

/** How many events an imported session has: more than three batches of an import and of ingestion. */
export const importedEvents = 1_700;

/** One long session of another system, the same at every call. */
export function importedSession({ userId, sessionId }: { userId: string; sessionId: string }): ImportSession {
  const events = Array.from({ length: importedEvents }, (_, index) => ({
    id: `e${index + 1}`,
    invocationId: `i${Math.floor(index / 2)}`,
    author: index % 2 === 0 ? 'user' : 'assistant',
    timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    content: `said ${index + 1} 说了`,
  }));
  return { userId, sessionId, events };
}
