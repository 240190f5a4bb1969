import assert from 'node:assert/strict';
import { assemble } from '../../../src/context/assembly/index.ts';
import { createInMemorySessionStore, createSessionService } from '../../../src/sessions/index.ts';
import { replayLog } from '../../logs/replay-log.ts';
import type { ContextProperty } from '../context-case.ts';

const key = { appName: 'context', userId: 'u', sessionId: 's' };

/** What a session hands out as its live window assembles to what its whole log assembles to. */
export const liveWindowSuffices: ContextProperty = async ({ story, view }) => {
  const sessions = createSessionService({ store: createInMemorySessionStore() });
  try {
    await sessions.create(key);
    const all = await replayLog(sessions, key, story.inputs);
    const window = await sessions.readLive(key, view);
    assert.equal(window.version, all.length);
    const [partial, whole] = [assemble(window.events, view), assemble(all, view)];
    assert.deepEqual(partial.contents, whole.contents);
    assert.deepEqual(partial.sources, whole.sources);
    assert.deepEqual(partial.question, whole.question);
  } finally {
    await sessions.close();
  }
};
