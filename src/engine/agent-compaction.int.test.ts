import { describe, expect, it } from 'vitest';
import type { Agent } from '../agents/index.ts';
import { compactContext, tool } from '../agents/tools/index.ts';
import { window as everyInvocations, idle, modelDriven, taskComplete } from '../context/compaction/index.ts';
import type { Event } from '../events/index.ts';
import type { ModelCall } from '../models/index.ts';
import { ManualClock, ScriptedModel, type ScriptedTurn } from '../testing/index.ts';
import { type CompactionOption, type OpenOptions, openPalimpsest, type Palimpsest } from './index.ts';

const place = { userId: '用户', sessionId: 's1' };
const summary = '用户逐日记下旅行的安排，没有未完成的事。';
const everyTwo = [everyInvocations({ interval: 2 })];
const waits = { sweepSeconds: 0, ingest: 'never', telemetry: 'off' } as const;

const open = (options: OpenOptions = {}) => openPalimpsest({ ...waits, ...options });
const summarizer = (script: (call: ModelCall, index: number) => string | ScriptedTurn = () => summary) =>
  new ScriptedModel(script, { name: 'summariser' });

/** An agent whose model is asked for nothing but answers. */
function diary(palimpsest: Palimpsest, compaction?: CompactionOption, name = '日记'): Agent {
  const model = new ScriptedModel((_, index) => `第 ${index + 1} 篇记下了，明天见。`);
  return palimpsest.agent({ name, model, ...(compaction && { compaction }) });
}

/** True for what the user says; all else is asked for a summary. */
function isDiary({ request }: ModelCall): boolean {
  return request.contents.at(-1)?.parts.at(-1)?.text?.startsWith('今天') === true;
}

async function tell(agent: Agent, times = 1, sessionId = place.sessionId): Promise<void> {
  for (let n = 1; n <= times; n++)
    for await (const event of agent.run({ ...place, sessionId, message: `今天去了第 ${n} 座城，天气很好。` }))
      void event;
}

async function logOf(palimpsest: Palimpsest, sessionId = place.sessionId): Promise<readonly Event[]> {
  const key = { appName: palimpsest.appName, userId: place.userId, sessionId };
  return (await palimpsest.sessions.read(key, { limit: 1000 })).items;
}

async function coversOf(palimpsest: Palimpsest, sessionId?: string) {
  return (await logOf(palimpsest, sessionId)).flatMap(({ actions }) => actions.compaction?.covers ?? []);
}

describe('the sessions of an agent', () => {
  it('are folded in the background as the application says', async () => {
    await using palimpsest = await open({ compaction: { triggers: everyTwo, model: summarizer() } });
    const agent = diary(palimpsest);
    for (let times = 0; times < 2; times++) {
      await tell(agent, 2);
      await palimpsest.settled();
    }
    expect(await coversOf(palimpsest)).toEqual([
      [1, 4],
      [6, 9],
    ]);
  });

  it('are folded as the agent says where it says something, and not at all where it says off', async () => {
    const model = summarizer();
    await using palimpsest = await open({ compaction: { triggers: everyTwo, model } });
    await tell(diary(palimpsest, { triggers: [everyInvocations({ interval: 3 })] }, 'three'), 3, 'three');
    await tell(diary(palimpsest, 'off', 'off'), 4, 'off');
    await palimpsest.settled();
    expect(await coversOf(palimpsest, 'three')).toEqual([[1, 6]]);
    expect(await coversOf(palimpsest, 'off')).toEqual([]);
  });

  it('are folded where only the agent wants that', async () => {
    await using palimpsest = await open({ compaction: 'off' });
    await tell(diary(palimpsest, { triggers: everyTwo, model: summarizer() }), 2);
    await tell(diary(palimpsest, undefined, 'other'), 4, 's2');
    await palimpsest.settled();
    expect(await coversOf(palimpsest)).toEqual([[1, 4]]);
    expect(await coversOf(palimpsest, 's2')).toEqual([]);
  });

  it('are left alone by rentOrBuy while they are short', async () => {
    await using palimpsest = await open();
    await tell(diary(palimpsest), 6);
    await palimpsest.settled();
    expect(await coversOf(palimpsest)).toEqual([]);
  });

  it('are folded under the same back-off when the agent is made anew for every request', async () => {
    const clock = new ManualClock();
    const model = summarizer(() => '');
    await using palimpsest = await open({ clock, compaction: { triggers: everyTwo, model } });
    for (let n = 1; n <= 20; n++) {
      await tell(diary(palimpsest));
      await palimpsest.settled();
    }
    expect(await coversOf(palimpsest)).toEqual([]);
    expect(model.calls.length).toBeGreaterThan(1);
    expect(model.calls.length).toBeLessThanOrEqual(5);
  });

  it('are folded by the agent that has taken the name, with its model', async () => {
    await using palimpsest = await open({ compaction: { triggers: everyTwo } });
    for (const who of ['第一个', '第二个']) {
      const model = new ScriptedModel((call) => (isDiary(call) ? '记下了' : `${who}写：${summary}`));
      await tell(palimpsest.agent({ name: '日记', model }));
    }
    await palimpsest.settled();
    expect(JSON.stringify(await logOf(palimpsest))).toContain(`第二个写：${summary}`);
  });

  it('are folded when nothing has been said for a while', async () => {
    const clock = new ManualClock();
    const compaction = { triggers: [idle({ seconds: 60 })], model: summarizer() };
    await using palimpsest = await open({ clock, compaction });
    await tell(diary(palimpsest), 3);
    const sweep = async (seconds: number) => {
      clock.advance(seconds * 1000);
      await palimpsest.sweep(new Date(clock.now()).toISOString());
      await palimpsest.settled();
    };
    await sweep(30);
    expect(await coversOf(palimpsest)).toEqual([]);
    await sweep(31);
    expect(await coversOf(palimpsest)).toEqual([[1, 4]]);
    await sweep(1000);
    expect(await coversOf(palimpsest)).toHaveLength(1);
  });

  it.each([
    { what: 'asks for it', wish: 'compact_context', triggers: [modelDriven()] },
    { what: 'asks for it and no trigger says so', wish: 'compact_context', triggers: [] },
    { what: 'says that a task is complete', wish: 'finish', triggers: [taskComplete()] },
  ])('are folded when the model $what', async ({ wish, triggers }) => {
    const model = summarizer();
    await using palimpsest = await open({ compaction: { triggers, model } });
    const finish = tool({
      name: 'finish',
      description: '完成任务',
      parameters: { type: 'object', properties: {} },
      run: (_, context) => {
        context.completeTask();
        return {};
      },
    });
    const script: (string | ScriptedTurn)[] = [
      '一',
      '二',
      { calls: [{ name: wish, args: wish === 'finish' ? {} : { focus: '城市的名字' } }] },
      '三',
      '四',
    ];
    const agent = palimpsest.agent({
      name: '日记',
      model: new ScriptedModel(script),
      tools: [finish, compactContext()],
    });
    await tell(agent, 2);
    await palimpsest.settled();
    expect(await coversOf(palimpsest)).toEqual([]);
    await tell(agent);
    await palimpsest.settled();
    expect(await coversOf(palimpsest)).toEqual([[1, 4]]);
    expect(JSON.stringify(model.calls).includes('城市的名字')).toBe(wish !== 'finish');
  });

  it('are gone with their jobs when they are erased', async () => {
    let release: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      release = resolve;
    });
    const model = new ScriptedModel((call) => (isDiary(call) ? '记下了' : { text: summary, after }));
    await using palimpsest = await open({ compaction: { triggers: everyTwo } });
    await tell(palimpsest.agent({ name: '日记', model }), 2);
    while (model.calls.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    await palimpsest.eraseSession({ appName: palimpsest.appName, ...place });
    release();
    await palimpsest.settled();
    await tell(diary(palimpsest));
    expect(await logOf(palimpsest)).toHaveLength(2);
  });

  it('wait for no summary: a run is over while one is written, and closing gives the fold back', async () => {
    const model = summarizer(() => ({ text: summary, after: new Promise(() => undefined) }));
    const palimpsest = await open({ compaction: { triggers: everyTwo, model } });
    await tell(diary(palimpsest), 5);
    await palimpsest.close();
    expect(model.calls.length).toBeLessThanOrEqual(1);
  });
});

describe('a fold that is asked for', () => {
  it('covers all but the last exchange, and can be read again', async () => {
    await using palimpsest = await open({ compaction: 'off' });
    await tell(diary(palimpsest), 3);
    const key = { appName: palimpsest.appName, ...place };
    const model = summarizer();
    const outcome = await palimpsest.compact(key, { model, focus: '住宿' });
    expect(outcome).toMatchObject({ status: 'compacted', event: { actions: { compaction: { covers: [[1, 4]] } } } });
    expect(JSON.stringify(model.calls)).toContain('住宿');
    const log = await logOf(palimpsest);
    expect((await palimpsest.expand(key, 7)).items).toEqual(log.slice(0, 4));
    expect(await palimpsest.compact(key, { model })).toMatchObject({ status: 'nothingToDo' });
  });

  it('goes as far as it is told', async () => {
    await using palimpsest = await open({ compaction: { triggers: [], model: summarizer() } });
    await tell(diary(palimpsest), 4);
    const key = { appName: palimpsest.appName, ...place };
    await palimpsest.compact(key, { throughSeq: 2 });
    expect(await coversOf(palimpsest)).toEqual([[1, 2]]);
    await expect(palimpsest.compact(key, { throughSeq: 1.5 })).rejects.toThrow(/throughSeq/);
  });

  it('needs a model that writes it', async () => {
    await using palimpsest = await open();
    const asked = palimpsest.compact({ appName: palimpsest.appName, ...place });
    await expect(asked).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { argument: 'model' } });
  });

  it('of a session that is not there is stale', async () => {
    await using palimpsest = await open({ compaction: { model: summarizer() } });
    expect(await palimpsest.compact({ appName: palimpsest.appName, ...place })).toEqual({ status: 'stale' });
  });
});

describe('options of compaction', () => {
  it.each([
    ['on', 'compaction'],
    [{ triggers: 'window' }, 'compaction.triggers'],
    [{ contextWindow: 0 }, 'compaction.contextWindow'],
    [{ summaryRegion: 1.5 }, 'compaction.summaryRegion'],
    [{ when: 'sometimes' }, 'compaction.when'],
    [{ waitMs: { beforeRequest: 2 ** 40 } }, 'compaction.waitMs.beforeRequest'],
    [{ model: 'gpt' }, 'compaction.model'],
    [{ fold: true }, 'compaction.fold'],
  ])('%o are refused', async (compaction, argument) => {
    const given = compaction as object as CompactionOption;
    const refusal: unknown = expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      details: expect.objectContaining({ argument }),
    });
    await expect(open({ compaction: given })).rejects.toEqual(refusal);
    await using palimpsest = await open();
    expect(() => diary(palimpsest, given)).toThrowError(refusal as Error);
  });
});
