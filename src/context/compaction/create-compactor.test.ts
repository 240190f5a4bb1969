import { describe, expect, it } from 'vitest';
import { compactorOf, openSession, type SessionToFold } from '../../../test/context/open-compaction.ts';
import { isBookkeeping, textOf, type View } from '../../events/index.ts';
import { type Script, ScriptedModel } from '../../testing/index.ts';
import type { CompactorOptions } from './compactor.ts';
import { createCompactor } from './create-compactor.ts';
import { eventTokens, summaryTokens } from './event-tokens.ts';
import { givenText, sampleSummary, talk } from './sample-talk.ts';
import { called } from './sample-window.ts';
import { idle, modelDriven, rentOrBuy, taskComplete, threshold, window } from './triggers.ts';

const agent = { agentName: 'assistant' };
const _view: View = { ...agent, history: 'full', provider: 'anthropic' };

/** The summariser that takes no trouble. */
const sample: Script = () => sampleSummary;

/** A promise that a test keeps when it likes. */
function gate(): { readonly promise: Promise<string>; readonly open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<string>((resolve) => {
    open = () => resolve(sampleSummary);
  });
  return { promise, open };
}

/** Tokens of what an agent would be sent. */
async function promptSize({ service, key }: SessionToFold): Promise<number> {
  const { events, coverage } = await service.readLive(key, { ...agent, history: 'full', provider: 'anthropic' });
  const live = events.filter((event) => !isBookkeeping(event) && coverage.isLive(event.seq));
  return summaryTokens(coverage.summaries) + live.reduce((sum, event) => sum + eventTokens(event), 0);
}

describe('after an invocation', () => {
  it('drains a backlog window by window, one summary each', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    await talk(service, key, 1, 7);
    const { compactor, calls } = compactorOf(opened, () => ({
      text: sampleSummary,
      usage: { inputTokens: 70, outputTokens: 7 },
    }));
    const outcome = await compactor.afterInvocation(key, agent);
    expect(outcome).toMatchObject({ status: 'compacted', event: { seq: 17 } });
    expect(await opened.covers()).toEqual([[[1, 4]], [[5, 8]], [[9, 12]]]);
    expect(calls.map((call) => [1, 3, 5, 7].map((number) => givenText(call).includes(`问题 ${number}：`)))).toEqual([
      [true, false, false, false],
      [false, true, false, false],
      [false, false, true, false],
    ]);
    const summaries = (await opened.log()).filter(isBookkeeping);
    expect(summaries[0]).toMatchObject({
      author: 'system',
      origin: 'system',
      actions: {
        compaction: {
          trigger: 'window',
          summarizer: { model: 'scripted', usage: { inputTokens: 70, outputTokens: 7 } },
        },
      },
    });
    expect(summaries.every(({ usage }) => usage === undefined)).toBe(true);
    expect(await compactor.afterInvocation(key, agent)).toEqual({ status: 'nothingToDo', why: 'notDue' });
    expect(calls).toHaveLength(3);
  });

  it('reads an overlap along that it does not cover again', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const triggers = [window({ interval: 2, overlap: 1 })];
    const { compactor, calls } = compactorOf(opened, sample, { triggers });
    await talk(service, key, 1, 2);
    await compactor.afterInvocation(key, agent);
    await talk(service, key, 3, 4);
    await compactor.afterInvocation(key, agent);
    expect(await opened.covers()).toEqual([[[1, 4]], [[6, 9]]]);
    const [, second] = calls.map(givenText);
    expect(second).toMatch(
      / read-along\]\n#3 [^#]*问题 2：[^#]*#4 [^#]*第 2 趟[^[]*\[fence-\w+ end\]\n\n\[fence-\w+ to-summarise\]\n#6 /,
    );
    expect(second).not.toContain('问题 1：');
  });

  it('folds by no trigger that is not due, and by each that is', async () => {
    const opened = await openSession();
    const { service, key, clock } = opened;
    const triggers = [idle({ seconds: 900 }), taskComplete(), modelDriven()];
    const { compactor, calls } = compactorOf(opened, sample, { triggers });
    await talk(service, key, 1, 4);
    expect(await compactor.afterInvocation(key, agent)).toEqual({ status: 'nothingToDo', why: 'notDue' });
    const asked = { throughSeq: 2, focus: '票价' };
    await compactor.afterInvocation(key, { ...agent, asked });
    await compactor.afterInvocation(key, { ...agent, isTaskComplete: true });
    await talk(service, key, 5, 6);
    clock.advance(900_000);
    await compactor.afterInvocation(key, agent);
    const folds = (await opened.log()).flatMap(({ actions }) => actions.compaction ?? []);
    expect(folds.map(({ trigger, covers }) => [trigger, covers])).toEqual([
      ['modelDriven', [[1, 2]]],
      ['taskComplete', [[3, 6]]],
      ['idle', [[7, 12]]],
    ]);
    expect(calls.map(({ request }) => request.instruction.join('').includes('票价'))).toEqual([true, false, false]);
  });

  it.each([
    { asked: 'after each invocation', every: 1 },
    { asked: 'after every fifth', every: 5 },
    { asked: 'once', every: 100 },
  ])('buys once the rent is paid, counting the requests in the log, asked $asked', async ({ every }) => {
    const opened = await openSession();
    const { service, key } = opened;
    const prices = { readFactor: 1, writeFactor: 1, ttlSeconds: 300, summarizerFactor: 1, outputFactor: 100 };
    const triggers = [rentOrBuy({ retain: { tokens: 1 } })];
    const { compactor } = compactorOf(opened, sample, { triggers, prices });
    await talk(service, key, 1, 1, { content: '很长的话。'.repeat(1000) });
    await talk(service, key, 2);
    const folded: number[] = [];
    for (let number = 3; number <= 40 && folded.length === 0; number++) {
      await talk(service, key, number);
      if (number % every !== 0 && number < 40) continue;
      const { status } = await compactor.afterInvocation(key, agent);
      if (status === 'compacted') folded.push(number);
    }
    expect(folded).toEqual([every === 1 ? expect.closeTo(14, -1) : every === 5 ? 20 : 40]);
  });

  it('knows the rent in a process that has not folded yet', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const prices = { readFactor: 1, writeFactor: 1, ttlSeconds: 300, summarizerFactor: 1, outputFactor: 100 };
    const options = { triggers: [rentOrBuy({ retain: { tokens: 1 } })], prices };
    await talk(service, key, 1, 1, { content: '很长的话。'.repeat(1000) });
    const outcomes: string[] = [];
    for (let number = 2; number <= 40; number++) {
      await talk(service, key, number);
      const { compactor } = compactorOf(opened, sample, options);
      outcomes.push((await compactor.afterInvocation(key, agent)).status);
    }
    expect(outcomes.indexOf('compacted')).toBeGreaterThan(8);
    expect(outcomes.indexOf('compacted')).toBeLessThan(36);
  });

  it.each([
    { cached: true, readFactor: 0.1, writeFactor: 1.25, ttlSeconds: 300 },
    { cached: false, readFactor: 1, writeFactor: 1, ttlSeconds: 0 },
  ])(
    'folds about when it would have if it is asked only where it does not rest, cached: $cached',
    async ({ cached: _, ...cache }) => {
      const prices = { ...cache, summarizerFactor: 1, outputFactor: 5 };
      const triggers = [rentOrBuy({ retain: { tokens: 300 } }), threshold({ tokens: 6000, retain: { tokens: 300 } })];
      const folds = { always: [] as number[], seldom: [] as number[] };
      let asked = 0;
      for (const way of ['always', 'seldom'] as const) {
        const opened = await openSession();
        const { service, key } = opened;
        const { compactor } = compactorOf(opened, sample, { triggers, prices });
        let promptTokens = 0;
        for (let number = 1; number <= 150; number++) {
          // Some answers are long.
          await talk(service, key, number, number, { content: '说说路线和票价。'.repeat(number % 17 === 0 ? 40 : 4) });
          promptTokens = await promptSize(opened);
          if (compactor.rests(key, { ...agent, promptTokens }) && way === 'seldom') continue;
          if (way === 'seldom') asked++;
          const { status } = await compactor.afterInvocation(key, agent);
          if (status === 'compacted') folds[way].push(number);
        }
      }
      expect(folds.always.length).toBeGreaterThan(1);
      // What has been paid in between is counted afterwards, evenly: a fold may come a little earlier or later.
      expect(Math.abs(folds.seldom.length - folds.always.length)).toBeLessThanOrEqual(1);
      expect(Math.abs((folds.seldom[0] ?? 0) - (folds.always[0] ?? 0))).toBeLessThanOrEqual(2);
      expect(asked).toBeLessThan(110);
    },
  );

  it('never rests where something else than the size of prompts fires a trigger', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const { compactor } = compactorOf(opened, sample, { triggers: [rentOrBuy(), window({ interval: 5 })] });
    await talk(service, key, 1);
    await compactor.afterInvocation(key, agent);
    expect(compactor.rests(key, { ...agent, promptTokens: 100 })).toBe(false);
  });

  it('does not fold again for a size that folding cannot mend', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const triggers = [threshold({ tokens: 900, retain: { invocations: 1 } })];
    const { compactor, calls } = compactorOf(opened, sample, { triggers });
    for (let number = 1; number <= 30; number++) {
      // Instruction and tools alone have more than the threshold.
      await talk(service, key, number, number, { usage: { inputTokens: 1000 } });
      await compactor.afterInvocation(key, agent);
    }
    expect(calls).toHaveLength(1);
  });

  it('leaves a run alone that has begun meanwhile', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const { compactor } = compactorOf(opened, sample, { triggers: [window({ interval: 1 })] });
    await talk(service, key, 1);
    await service.append(key, [{ author: 'user', content: '还有呢？', invocationId: 'i2' }]);
    await service.append(key, [
      { author: 'assistant', content: { parts: [{ functionCall: { name: '查', id: 'c' } }] } },
    ]);
    await compactor.afterInvocation(key, agent);
    expect(await opened.covers()).toEqual([[[1, 2]]]);
    const answered = [{ functionResponse: { name: '查', id: 'c', response: '有' } }];
    await service.append(key, [{ author: 'assistant', content: { parts: answered } }]);
    expect(await compactor.compact(key, { throughSeq: 99 })).toMatchObject({ status: 'nothingToDo' });
  });

  it('goes on with the other triggers when what was asked for is done', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    await talk(service, key, 1, 5);
    const { compactor } = compactorOf(opened, sample, { triggers: [modelDriven(), window({ interval: 2 })] });
    await compactor.afterInvocation(key, { ...agent, asked: { throughSeq: 2 } });
    expect(await opened.covers()).toEqual([[[1, 2]], [[3, 6]], [[7, 10]]]);
  });
});

describe('what stands open', () => {
  it('blocks a fold, which is told once', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const parts = [{ functionCall: { id: 'c1', name: 'adk_request_confirmation', args: {} } }];
    await service.append(key, [{ author: 'user', content: '付款' }]);
    await service.append(key, [{ author: 'assistant', content: { parts } }]);
    await talk(service, key, 5, 9);
    const { compactor, calls } = compactorOf(opened, sample, { triggers: [window({ interval: 1 })] });
    await compactor.compact(key, { throughSeq: 1 });
    for (let times = 0; times < 3; times++)
      expect(await compactor.compact(key)).toEqual({ status: 'blocked', by: [2] });
    expect(opened.warnings.map(([, fields]) => fields?.by)).toEqual([[2]]);
    expect(calls).toHaveLength(1);
  });

  it('is stepped over, with its reason, where nobody will answer any more', async () => {
    const opened = await openSession();
    const { service, key } = opened;
    const { seq: _, ...dead } = called(0, 1, ['c1']);
    await service.append(key, [{ author: 'user', content: '天气？', invocationId: 'i1' }]);
    await service.append(key, [dead]);
    await talk(service, key, 2, 4);
    const { compactor } = compactorOf(opened, sample);
    expect(await compactor.compact(key)).toMatchObject({
      status: 'compacted',
      event: { customMetadata: { steppedOver: [{ seq: 2, why: 'deadCall' }] } },
    });
    expect(await opened.covers()).toEqual([
      [
        [1, 1],
        [3, 6],
      ],
    ]);
  });
});

describe('a fold that is asked for', () => {
  it('takes all but the last invocation, or what is named, with a focus', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    await talk(service, key, 1, 5);
    const { compactor, calls } = compactorOf(opened, sample);
    await compactor.compact(key, { throughSeq: 4, focus: '九点那班', trigger: 'person' });
    await compactor.compact(key);
    expect(await opened.covers()).toEqual([[[1, 4]], [[5, 8]]]);
    const folds = (await opened.log()).flatMap(({ actions }) => actions.compaction ?? []);
    expect(folds.map(({ trigger }) => trigger)).toEqual(['person', 'asked']);
    expect(calls[0]?.request.instruction.join('')).toContain('九点那班');
    expect(await compactor.compact(key)).toEqual({ status: 'nothingToDo', why: 'retained' });
    await expect(compactor.compact(key, { throughSeq: -1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('makes as many summaries as the summariser has room for', async () => {
    const opened = await openSession();
    const { key, service } = opened;
    await talk(service, key, 1, 12, { content: '很长的回答，关于火车。'.repeat(9) });
    const { compactor, calls } = compactorOf(opened, sample, { contextWindow: 800, summaryRegion: 8000 });
    expect(await compactor.compact(key)).toMatchObject({ status: 'compacted' });
    expect(calls.length).toBeGreaterThan(2);
    const covers = await opened.covers();
    expect([covers[0], covers.at(-1)]).toMatchObject([[[1, expect.any(Number)]], [[expect.any(Number), 22]]]);
    for (const call of calls) expect(givenText(call).length).toBeLessThan(2000);
  });

  it('has the session it is about told apart from others, whatever the ids', async () => {
    const opened = await openSession();
    const { service } = opened;
    const { promise, open } = gate();
    const { compactor } = compactorOf(opened, () => promise);
    const keys = await Promise.all(
      [
        { appName: 'a', userId: 'b","c' },
        { appName: 'a","b', userId: 'c' },
      ].map(async (scope) => (await service.create({ ...scope, sessionId: 's' })).key),
    );
    const folds = keys.map(async (key) => {
      await talk(service, key, 1, 3);
      return compactor.compact(key);
    });
    open();
    expect(await Promise.all(folds)).toMatchObject([{ status: 'compacted' }, { status: 'compacted' }]);
  });
});

describe('a log that goes another way while the summary is written', () => {
  const ways: [string, (opened: SessionToFold) => Promise<unknown>, string][] = [
    ['goes on', ({ service, key }) => talk(service, key, 9, 9), 'compacted'],
    ['is rewound', ({ service, key }) => service.rewind(key, { beforeInvocationId: 'i2' }), 'stale'],
    [
      'is pinned',
      ({ service, key }) => service.append(key, [{ author: 'system', actions: { pin: { seqs: [2] } } }]),
      'stale',
    ],
    ['is folded', (opened) => compactorOf(opened, sample).compactor.compact(opened.key), 'stale'],
    ['is deleted', ({ service, key }) => service.delete(key), 'stale'],
    [
      'begins anew',
      async ({ service, key }) => {
        await service.delete(key);
        await service.create(key);
        await talk(service, key, 1, 4);
      },
      'stale',
    ],
  ];

  it.each(ways)('%s', async (_, meanwhile, status) => {
    const opened = await openSession();
    await talk(opened.service, opened.key, 1, 4);
    const script: Script = async () => {
      await meanwhile(opened);
      return sampleSummary;
    };
    expect(await compactorOf(opened, script).compactor.compact(opened.key)).toMatchObject({ status });
  });

  it('is not there at all', async () => {
    const opened = await openSession();
    const { compactor } = compactorOf(opened, sample);
    const key = { ...opened.key, sessionId: '没有' };
    expect(await compactor.afterInvocation(key, agent)).toEqual({ status: 'stale' });
    expect(await compactor.beforeModelCall(key, agent)).toEqual({ status: 'stale' });
    await expect(compactor.expand(key, 1)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('options', () => {
  it.each<[string, Partial<CompactorOptions>]>([
    ['contextWindow', { contextWindow: 0 }],
    ['summaryRegion', { summaryRegion: 1.5 }],
    ['waitMs.background', { waitMs: { background: -1 } }],
  ])('are refused: %s', async (argument, more) => {
    const opened = await openSession();
    expect(() => compactorOf(opened, [], more)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ argument }) }),
    );
  });

  it('are those of a small log by default: nothing is folded', async () => {
    const opened = await openSession();
    await talk(opened.service, opened.key, 1, 3);
    const model = new ScriptedModel([]);
    const compactor = createCompactor({ log: opened.service, model, clock: opened.clock });
    expect(await compactor.afterInvocation(opened.key, agent)).toEqual({ status: 'nothingToDo', why: 'notDue' });
    expect(textOf((await opened.log())[0]?.content)).toContain('🚄');
  });
});
