import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { assemble } from '../../src/context/assembly/index.ts';
import { type Event, isBookkeeping, type View } from '../../src/events/index.ts';
import type { SessionSubject } from '../../src/testing/index.ts';
import { longRandomLog } from '../logs/random-log.ts';
import { replayLog } from '../logs/replay-log.ts';
import { inMemorySubject, sqliteSubject } from './session-subjects.ts';

const view: fc.Arbitrary<View> = fc.record(
  {
    agentName: fc.constantFrom('assistant', 'critic'),
    branch: fc.constantFrom('root', 'root.assistant', 'root.assistant.critic'),
    isolationScope: fc.constant('sealed'),
    history: fc.oneof(
      fc.constantFrom('full' as const, 'invocation' as const),
      fc.record({ window: fc.record({ invocations: fc.integer({ min: 1, max: 4 }) }) }),
      fc.record({ window: fc.record({ tokens: fc.integer({ min: 5, max: 200 }) }) }),
    ),
    provider: fc.constantFrom('gemini' as const, 'anthropic' as const, 'openai' as const),
  },
  { requiredKeys: ['agentName', 'history', 'provider'] },
);

/** Compares what is assembled from a window with what is assembled from the whole log. */
function expectSame(window: readonly Event[], all: readonly Event[], how: View): void {
  const [partial, whole] = [assemble(window, how), assemble(all, how)];
  expect(partial.contents).toEqual(whole.contents);
  expect(partial.sources).toEqual(whole.sources);
  expect(partial.question).toEqual(whole.question);
  const given = new Set(window.map(({ seq }) => seq));
  for (const event of all) {
    const told = whole.placement(event.seq);
    // Of bookkeeping that says nothing any more, and of bare state behind a summary, nothing is told.
    const isLeftOut = !given.has(event.seq) && (isBookkeeping(event) || event.content === undefined);
    if (!isLeftOut) expect([event.seq, partial.placement(event.seq)]).toEqual([event.seq, told]);
  }
}

const stores: Readonly<Record<string, [create: () => Promise<SessionSubject>, numRuns: number]>> = {
  'in memory': [inMemorySubject, 200],
  'SQLite, two connections': [sqliteSubject, 50],
};

describe.each(Object.entries(stores))('%s: the live window', (_, [create, numRuns]) => {
  test('assembles to what the whole log assembles to', { timeout: 60_000 }, async () => {
    const subject = await create();
    onTestFinished(() => subject.dispose());
    let logs = 0;
    await fc.assert(
      fc.asyncProperty(
        longRandomLog,
        fc.array(view, { minLength: 1, maxLength: 3 }),
        fc.nat(6),
        async (log, views, skip) => {
          const key = { appName: 'live', userId: 'u', sessionId: `s${++logs}` };
          await subject.first.create(key);
          const all = await replayLog(subject.first, key, log, async (events) => {
            // One handle follows the log, so that it knows some of it from before.
            if (events.length % (skip + 1) > 0) return;
            const how = views[0];
            if (how) expectSame((await subject.first.readLive(key, how)).events, events, how);
          });
          for (const how of views) {
            const window = await subject.second.readLive(key, how);
            expect(window.version).toBe(all.length);
            expectSame(window.events, all, how);
          }
        },
      ),
      { numRuns },
    );
  });
});
