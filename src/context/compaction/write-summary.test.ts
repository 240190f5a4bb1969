import { describe, expect, it } from 'vitest';
import { buildLog } from '../../../test/logs/log-builder.ts';
import type { JsonMap, ModelRequest } from '../../events/index.ts';
import { silentLogger } from '../../models/index.ts';
import { type Script, ScriptedModel } from '../../testing/index.ts';
import { assemble, buildRequest } from '../assembly/index.ts';
import type { AgentRequest } from './compactor.ts';
import { type FoldPlan, planFold } from './plan-fold.ts';
import { givenText, sampleSummary } from './sample-talk.ts';
import { asked, told, windowOf } from './sample-window.ts';
import { type Summarizer, type SummaryOrder, writeSummary } from './write-summary.ts';

const key = { appName: '应用', userId: '用户 1', sessionId: 's' };
const prices = { readFactor: 0.1, writeFactor: 1, ttlSeconds: 300, summarizerFactor: 1, outputFactor: 5 };
const events = buildLog([asked(1, 1), told(2, 1, { content: `第 1 趟${'很慢，'.repeat(2000)}不要坐。` }), asked(3, 2)]);

function requestOf(tools: ModelRequest['tools'] = [{ name: '查', description: '查票' }]): ModelRequest {
  const assembly = assemble(events, { agentName: 'assistant', history: 'full', provider: 'openai' });
  return { ...buildRequest({ instruction: [], tools: [], assembly, transient: [] }, 'openai'), tools };
}

function plan(): FoldPlan {
  const outcome = planFold(windowOf(events), { retain: { invocations: 1 } });
  return outcome.status === 'plan' ? outcome.plan : expect.fail('there is no plan');
}

function set(script: Script, more: Partial<AgentRequest> = {}) {
  const warnings: (JsonMap | undefined)[] = [];
  const own = new ScriptedModel(script, { name: 'cheap' });
  const agents = new ScriptedModel(script, { name: 'large' });
  const agent = { request: requestOf([]), model: agents, ...more };
  const logger = { ...silentLogger, warn: (_: string, fields?: JsonMap) => void warnings.push(fields) };
  const summarizer: Summarizer = { model: own, prices, logger, requestOf: async () => agent };
  const write = (changes: Partial<SummaryOrder> = {}, other: Partial<Summarizer> = {}) =>
    writeSummary(
      { ...summarizer, ...other },
      {
        key,
        plan: plan(),
        sharing: { agentName: 'assistant', secondsSinceRequest: 5 },
        patience: { waitMs: 60_000 },
        ...changes,
      },
    );
  return { own, agents, agent, warnings, write };
}

describe('a summary', () => {
  it('is asked of the agent’s own model with its own request where that is cheaper', async () => {
    const settings = { temperature: 0.2, stopSequences: ['完'] };
    const cache = { cacheKey: 'key of the agent' };
    const { own, agents, agent, write } = set(() => ({ text: sampleSummary, usage: { inputTokens: 9 } }), {
      settings,
      cache,
    });
    expect(await write()).toEqual({
      status: 'written',
      text: sampleSummary,
      model: 'large',
      usage: { inputTokens: 9 },
    });
    expect([own.calls.length, agents.calls.length]).toEqual([0, 1]);
    const [call] = agents.calls;
    expect(call).toMatchObject({ settings, cache, streaming: false });
    expect(call?.request.contents.slice(0, -1)).toEqual(agent.request.contents.slice(0, -1));
  });

  it('is asked of the summariser alone where it is not', async () => {
    const { own, agents, write } = set(() => sampleSummary);
    expect(await write({ sharing: { agentName: 'assistant', secondsSinceRequest: 301 } })).toMatchObject({
      model: 'cheap',
    });
    expect(await write({ sharing: { agentName: 'assistant' } })).toMatchObject({ model: 'cheap' });
    expect(await write({}, { prices: { ...prices, summarizerFactor: 0.01 } })).toMatchObject({ model: 'cheap' });
    expect([own.calls.length, agents.calls.length]).toEqual([3, 0]);
    expect(own.calls[0]?.request).toMatchObject({ tools: [], instruction: [expect.stringContaining('fence')] });
    expect(givenText(own.calls[0] ?? expect.fail('it was called'))).toContain('to-summarise]\n#1 ');
  });

  it.each<[string, AgentRequest['settings'], AgentRequest['settings']]>([
    ['nothing said', undefined, { toolChoice: 'none' }],
    ['a call required', { toolChoice: 'required', seed: 7 }, { toolChoice: 'none', seed: 7 }],
  ])('is asked for with the agent’s tools, none of which is to be called: %s', async (_, settings, sent) => {
    const { agents, write } = set(() => sampleSummary, {
      request: requestOf([{ name: 'look_up', description: '查' }]),
      ...(settings && { settings }),
    });
    expect(await write()).toMatchObject({ status: 'written', model: 'large' });
    expect(agents.calls[0]?.settings).toEqual(sent);
    expect(agents.calls[0]?.request.tools).toHaveLength(1);
  });

  it('is asked for without a choice of tools where that belongs to the prefix', async () => {
    const model = new ScriptedModel(() => sampleSummary, { provider: 'anthropic' });
    const request = requestOf([{ name: 'look_up', description: '查' }]);
    for (const toolChoice of ['required', 'auto'] as const)
      await set(() => '', { model, request, settings: { toolChoice } }).write();
    expect(model.calls.map(({ settings }) => settings)).toEqual([{}, { toolChoice: 'auto' }]);
  });

  it('is refused when it calls a tool, as any other', async () => {
    const { write } = set(() => ({ text: sampleSummary, calls: [{ name: '转账' }] }));
    expect(await write()).toMatchObject({
      status: 'failed',
      refusal: { why: 'notProse', calls: ['转账'] },
      error: { code: 'MODEL_FAILED', details: { model: 'large' } },
    });
  });

  it('does without the agent’s request if that cannot be had, and says so', async () => {
    const { own, warnings, write } = set(() => sampleSummary);
    const failing = { requestOf: () => Promise.reject(new TypeError('没有请求')) };
    expect(await write({}, failing)).toMatchObject({ status: 'written', model: 'cheap' });
    expect(warnings).toEqual([{ sessionId: 's', agentName: 'assistant', why: '没有请求' }]);
    expect(await write({}, { requestOf: async () => undefined })).toMatchObject({ model: 'cheap' });
    expect([own.calls.length, warnings.length]).toEqual([2, 1]);
  });

  it('has a cache key of its own where the model takes one', async () => {
    const model = new ScriptedModel(() => sampleSummary, { name: 'gpt-5.4' });
    const { own, write } = set(() => sampleSummary);
    await write({}, { model, requestOf: async () => undefined });
    await write({}, { requestOf: async () => undefined });
    expect(model.calls[0]?.cache?.cacheKey).toMatch(/^[0-9a-f]{40}$/);
    expect(own.calls[0]?.cache).toBeUndefined();
  });

  it('tells the model that answered, and passes on that it was stopped', async () => {
    const { write } = set(() => sampleSummary);
    const patience = { waitMs: 60_000, signal: AbortSignal.abort() };
    expect(await write({ patience })).toMatchObject({ status: 'failed', error: { code: 'ABORTED' } });
    const own = { failure: Object.assign(new Error('stopped by itself'), { name: 'AbortError' }), cutAfter: 0 };
    expect(await set(() => own).write()).toMatchObject({ status: 'failed', error: { code: 'MODEL_FAILED' } });
  });
});
