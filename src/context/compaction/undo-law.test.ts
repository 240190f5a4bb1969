import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longRandomLog } from '../../../test/logs/random-log.ts';
import { replayLog } from '../../../test/logs/replay-log.ts';
import { type Event, isBookkeeping, rangeAt, type SessionKey, type View } from '../../events/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionService } from '../../sessions/index.ts';
import { ManualClock, ScriptedModel } from '../../testing/index.ts';
import { assemble } from '../assembly/index.ts';
import type { CompactionOutcome, Compactor } from './compactor.ts';
import { createCompactor } from './create-compactor.ts';
import { lostSeqs } from './sample-loss.ts';
import { sampleSummary, talk } from './sample-talk.ts';
import { idle, type Trigger, taskComplete, threshold, window } from './triggers.ts';

const agent = { agentName: 'assistant' };
const runs = 100;

const view = (provider: View['provider']): View => ({ ...agent, history: 'full', provider });

const someTriggers: fc.Arbitrary<readonly Trigger[]> = fc.subarray(
  [
    window({ interval: 1 }),
    window({ interval: 3, overlap: 2 }),
    threshold({ tokens: 100, retain: { events: 3 } }),
    taskComplete(),
    idle({ seconds: 1 }),
  ],
  { minLength: 1 },
);

type Step = (compactor: Compactor, key: SessionKey, service: SessionService) => Promise<CompactionOutcome | undefined>;

const someStep: fc.Arbitrary<Step> = fc.oneof(
  fc.boolean().map(
    (isTaskComplete): Step =>
      (compactor, key) =>
        compactor.afterInvocation(key, { ...agent, isTaskComplete }),
  ),
  fc.integer({ min: 1, max: 70 }).map(
    (throughSeq): Step =>
      (compactor, key) =>
        compactor.compact(key, { throughSeq }),
  ),
  fc.constant<Step>((compactor, key) => compactor.compact(key)),
  fc.constant<Step>((compactor, key) => compactor.beforeModelCall(key, { ...agent, promptTokens: 9000 })),
  fc.integer({ min: 70, max: 90 }).map(
    (number): Step =>
      async (_, key, service) => {
        await talk(service, key, number, number + 3);
        return undefined;
      },
  ),
);

async function readLog(service: SessionService, key: SessionKey): Promise<readonly Event[]> {
  return (await service.read(key, { limit: 1000 })).items;
}

/** All that summaries in force cover, page by page, oldest first. */
async function expandAll(compactor: Compactor, key: SessionKey, seqs: readonly number[]): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (const seq of seqs) {
    for (let cursor: string | undefined; ; ) {
      const page = await compactor.expand(key, seq, { limit: 4, ...(cursor === undefined ? {} : { cursor }) });
      events.push(...page.items);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
  }
  return events;
}

async function expectUndone(service: SessionService, compactor: Compactor, key: SessionKey): Promise<void> {
  const whole = await readLog(service, key);
  const { events, coverage } = await service.readLive(key, view('anthropic'));
  const uncovered = events.filter(
    ({ seq, actions }) => !isBookkeeping({ actions }) && coverage.isLive(seq) && coverage.coveredBy(seq) === undefined,
  );
  const expanded = await expandAll(
    compactor,
    key,
    coverage.summaries.map(({ seq }) => seq),
  );
  const restored = [...expanded, ...uncovered].sort((a, b) => a.seq - b.seq);
  expect(restored).toEqual((await service.readEffective(key, { limit: 1000 })).items);
  const marks = whole.filter(({ actions }) => isBookkeeping({ actions }) && actions.compaction === undefined);
  const without = whole.filter(({ actions }) => actions.compaction === undefined);
  const back = [...restored, ...marks].sort((a, b) => a.seq - b.seq);
  for (const provider of ['anthropic', 'gemini', 'openai'] as const)
    expect(assemble(back, view(provider)).contents).toEqual(assemble(without, view(provider)).contents);
}

describe('the undo law', () => {
  it('holds: expanding all summaries gives the log as it is without them', { timeout: 180_000 }, async () => {
    let [checked, folds, merges] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        longRandomLog,
        someTriggers,
        fc.constantFrom(8000, 40, 40),
        fc.array(someStep, { minLength: 3, maxLength: 8, size: 'max' }),
        async (log, triggers, summaryRegion, steps) => {
          const clock = new ManualClock();
          const service = createSessionService({ store: createInMemorySessionStore(), clock });
          const { key } = await service.create({ appName: '应用', userId: '用户 1' });
          await replayLog(service, key, log);
          const model = new ScriptedModel(() => sampleSummary);
          const options = { log: service, model, clock, triggers, summaryRegion, contextWindow: 600 };
          const compactor = createCompactor(options);
          for (const step of steps) {
            clock.advance(2000);
            const before = await readLog(service, key);
            const outcome = await step(compactor, key, service);
            if (outcome === undefined) continue;
            expect(['compacted', 'nothingToDo', 'blocked']).toContain(outcome.status);
            const after = await readLog(service, key);
            const made = after.slice(before.length).flatMap(({ actions }) => actions.compaction ?? []);
            const folded = before
              .map(({ seq }) => seq)
              .filter((seq) => made.some(({ covers }) => rangeAt(covers, seq) !== -1));
            for (const provider of ['anthropic', 'gemini', 'openai'] as const)
              expect(lostSeqs(before, after, { view: view(provider), folded })).toEqual([]);
            folds += made.length;
            merges += made.filter(({ supersedes = [] }) => supersedes.length > 0).length;
          }
          await expectUndone(service, compactor, key);
          checked++;
        },
      ),
      { numRuns: runs },
    );
    process.stdout.write(`undo law: ${checked} logs, ${folds} folds, ${merges} of them of older summaries\n`);
    expect([checked, folds > runs / 2]).toEqual([runs, true]);
  });

  it('holds for summaries of summaries of summaries', async () => {
    const clock = new ManualClock();
    const service = createSessionService({ store: createInMemorySessionStore(), clock });
    const { key } = await service.create({ appName: '应用', userId: '用户 1' });
    const model = new ScriptedModel(() => sampleSummary);
    const triggers = [window({ interval: 1, overlap: 0 })];
    const compactor = createCompactor({ log: service, model, clock, triggers, summaryRegion: 40 });
    for (let number = 1; number <= 40; number++) {
      await talk(service, key, number);
      await compactor.afterInvocation(key, agent);
    }
    const made = (await readLog(service, key)).flatMap(({ actions }) => actions.compaction ?? []);
    expect(made).toHaveLength(40);
    expect(made.filter(({ supersedes = [] }) => supersedes.length > 0).length).toBeGreaterThan(10);
    await expectUndone(service, compactor, key);
  });
});
