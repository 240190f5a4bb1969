import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PalimpsestError } from '../../errors/index.ts';
import { copyJson, type JsonMap } from '../../events/index.ts';
import { type CallLimits, callTool } from './call-tool.ts';
import { sampleContext } from './sample-context.ts';
import type { Tool, ToolContext } from './tool.ts';
import { tool } from './tool-of.ts';

const never = () => new Promise<never>(() => undefined);
const soon = 5;
const throwing = () => {
  throw new PalimpsestError('CLOSED', { what: 'It' });
};

function toolThat(run: (args: JsonMap, context: ToolContext) => unknown, more: { longRunning?: true } = {}): Tool {
  return tool({ name: 'forecast', description: 'The weather.', run, ...more });
}

function answer(
  made: Tool,
  { args = {}, context = sampleContext(), limits }: { args?: JsonMap; context?: ToolContext; limits?: CallLimits } = {},
) {
  return callTool({ tool: made, call: { name: 'forecast', args }, available: ['forecast'] }, context, limits);
}

describe('callTool', () => {
  it('answers with what the tool returned, as it is', async () => {
    expect(await answer(toolThat(() => '多云'))).toEqual({ response: '多云' });
    expect(
      await answer(
        toolThat(async ({ 城市 }) => ({ 城市 })),
        { args: { 城市: '北京' } },
      ),
    ).toEqual({
      response: { 城市: '北京' },
    });
    expect(await answer(toolThat(() => undefined))).toEqual({ response: null });
  });

  it('gives the tool what its schema made of the arguments, and the context', async () => {
    const skipped: string[] = [];
    const completed: string[] = [];
    class Context {
      readonly #given = sampleContext({ projectId: 'acme' });
      get sessionKey() {
        return this.#given.sessionKey;
      }
      get state() {
        return this.#given.state;
      }
      skipSummarization() {
        skipped.push(this.#given.callId);
      }
      completeTask() {
        completed.push(this.#given.callId);
      }
    }
    const made = tool({
      name: 'forecast',
      description: 'The weather.',
      parameters: z.object({ days: z.number().default(3) }),
      run({ days }, context) {
        context.skipSummarization();
        context.completeTask();
        return { days, user: context.sessionKey.userId };
      },
    });
    const context: ToolContext = Object.assign(new Context(), {
      invocationId: 'i1',
      agentName: 'assistant',
      callId: 'c1',
      signal: new AbortController().signal,
      artifacts: sampleContext().artifacts,
      memory: sampleContext().memory,
      logger: sampleContext().logger,
    });
    expect(await answer(made, { context })).toEqual({ response: { days: 3, user: 'u1' } });
    expect(skipped).toEqual(['c1']);
    expect(completed).toEqual(['c1']);
  });

  it('tells a model that calls what there is not what there is', async () => {
    const call = { name: '天气"'.repeat(50), args: {} };
    const outcome = await callTool({ tool: undefined, call, available: ['forecast', 'load_memory'] }, sampleContext());
    expect(outcome).toEqual({
      failure: 'unknownTool',
      response: {
        error: expect.stringMatching(/^There is no tool named "天气.*…"\. The tools are: forecast, load_memory\.$/),
      },
    });
    expect(await callTool({ tool: undefined, call, available: [] }, sampleContext())).toMatchObject({
      response: { error: expect.stringMatching(/There are no tools/) },
    });
  });

  it('tells what is wrong with the arguments, and runs nothing', async () => {
    let runs = 0;
    const made = tool({
      name: 'forecast',
      description: 'The weather.',
      parameters: { type: 'object', properties: { 城市: { type: 'string' } }, required: ['城市'] },
      run: () => ++runs,
    });
    expect(await answer(made, { args: { 城市: null } })).toEqual({
      failure: 'invalidArguments',
      response: { error: expect.stringMatching(/of forecast do not fit its parameters:\n- 城市: .*expected string/) },
    });
    const call = { name: 'forecast' };
    expect(
      await callTool({ tool: made, call, available: [], invalidArguments: '{"城市": "北' }, sampleContext()),
    ).toEqual({
      failure: 'invalidArguments',
      response: { error: expect.stringMatching(/of forecast are not a JSON object: \{"城市": "北\nCall it again/) },
    });
    expect(runs).toBe(0);
  });

  it('takes no inherited member for an argument', async () => {
    const made = tool({
      name: 'forecast',
      description: 'The weather.',
      parameters: { type: 'object', properties: { constructor: { type: 'string' }, toString: { type: 'string' } } },
      run: (args) => Object.keys(args),
    });
    expect(await answer(made, { args: {} })).toEqual({ response: [] });
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new PalimpsestError('CLOSED', { what: 'The station' });
      },
      'The station is closed.',
    ],
    ['rejects', () => Promise.reject(new PalimpsestError('CLOSED', { what: '气象站' })), '气象站 is closed.'],
    ['throws a text', () => Promise.reject('没有信号'), '没有信号'],
    ['throws nothing', () => Promise.reject(), 'forecast failed and gave no reason.'],
    ['returns what only looks like a promise', () => Object.fromEntries([['then', throwing]]), 'It is closed.'],
  ])('tells the model when a tool %s', async (_name, run, error) => {
    expect(await answer(toolThat(run))).toEqual({ failure: 'threw', response: { error } });
  });

  it('tells the model when a tool returns a cycle or 20 MB', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(await answer(toolThat(() => circle))).toMatchObject({ failure: 'notJson' });
    expect(await answer(toolThat(() => 'x'.repeat(20_000_000)))).toMatchObject({
      failure: 'tooLarge',
      response: { error: expect.stringMatching(/takes 20000002 bytes, the most is 1048576/) },
    });
    expect(
      await answer(
        toolThat(() => '雨雨'),
        { limits: { maxResultBytes: 8 } },
      ),
    ).toEqual({ response: '雨雨' });
    expect(
      await answer(
        toolThat(() => '雨雨雨'),
        { limits: { maxResultBytes: 8 } },
      ),
    ).toMatchObject({
      failure: 'tooLarge',
      response: { beginning: '雨雨雨' },
    });
  });

  it('ends a tool that never settles, by its own time before the given one', async () => {
    let signal: AbortSignal | undefined;
    const hanging = toolThat((_args, context) => {
      signal = context.signal;
      return never();
    });
    expect(await answer(hanging, { limits: { timeoutMs: soon } })).toEqual({
      failure: 'timeout',
      response: { error: `forecast gave no answer within ${soon} ms and was stopped.` },
    });
    expect(signal?.aborted).toBe(true);
    const own = tool({ name: 'forecast', description: 'The weather.', run: never, timeoutMs: soon });
    expect(await answer(own, { limits: { timeoutMs: 2 ** 31 - 1 } })).toMatchObject({ failure: 'timeout' });
  });

  it('ends a schema that never settles, and does not run the tool when it does after all', async () => {
    let settle: (fits: boolean) => void = () => undefined;
    let runs = 0;
    const slow = tool({
      name: 'forecast',
      description: 'The weather.',
      parameters: z.object({}).refine(
        () =>
          new Promise<boolean>((resolve) => {
            settle = resolve;
          }),
      ),
      run: () => ++runs,
    });
    expect(await answer(slow, { limits: { timeoutMs: soon } })).toMatchObject({ failure: 'timeout' });
    settle(true);
    await new Promise((resolve) => setTimeout(resolve, soon));
    expect(runs).toBe(0);
  });

  it('stops with the run, at once and before it has begun', async () => {
    const run = new AbortController();
    const context = sampleContext({ signal: run.signal });
    const stopped = answer(
      toolThat(() => {
        run.abort();
        return never();
      }),
      { context },
    );
    const outcome = {
      failure: 'aborted',
      response: { error: 'The call of forecast was stopped before there was an answer.' },
    };
    expect(await stopped).toEqual(outcome);
    let runs = 0;
    expect(
      await answer(
        toolThat(() => ++runs),
        { context },
      ),
    ).toEqual(outcome);
    expect(runs).toBe(0);
  });

  it('hands out a first word of a tool whose answer comes later', async () => {
    const later = (run: () => unknown) => answer(toolThat(run, { longRunning: true }));
    expect(await later(() => undefined)).toEqual({ response: { status: 'pending' }, pending: true });
    expect(await later(() => ({ 工单: 7 }))).toEqual({ response: { 工单: 7 }, pending: true });
    expect(await later(() => Promise.reject('没有信号'))).toEqual({
      failure: 'threw',
      response: { error: '没有信号' },
    });
    expect(await later(() => 7n)).toEqual({
      failure: 'notJson',
      response: { error: expect.stringMatching(/a bigint/) },
    });
  });

  it('answers a tool made by hand that breaks its promise not to throw', async () => {
    const careless: Tool = { ...toolThat(() => 1), readArguments: () => Promise.reject('坏了') };
    expect(await answer(careless)).toEqual({ failure: 'threw', response: { error: '坏了' } });
  });

  it('answers whatever a tool returns or throws with what can be stored', async () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });
    await fc.assert(
      fc.asyncProperty(anything, fc.constantFrom('returns', 'throws', 'rejects'), async (value, how) => {
        const made = toolThat(() => {
          if (how === 'throws') throw value;
          return how === 'rejects' ? Promise.reject(value) : value;
        });
        const { response, failure } = await answer(made);
        expect(copyJson(response, '$', { replacedSurrogates: 0, size: 0 })).toEqual(response);
        if (how !== 'returns') expect(failure).toBe('threw');
      }),
    );
  });
});
