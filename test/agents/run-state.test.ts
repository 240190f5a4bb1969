import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ToolContext, text, textOf, tool } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, place, runToEnd } from './run-to-end.ts';

const nothing = z.object({});

describe('state of a run', () => {
  it('keeps temp: keys for the run only, and shows them to all of it', async () => {
    const palimpsest = await openQuiet();
    const seen: unknown[] = [];
    const reads = tool({
      name: 'reads',
      description: 'Reads state.',
      parameters: nothing,
      run: (_args, { state }) => {
        seen.push(state.get('temp:token'), state.get('temp:answer'), state.get('count'));
        state.set('temp:token', 'changed');
        return state.get('temp:token');
      },
    });
    const model = new ScriptedModel([{ calls: [{ name: 'reads' }] }, { calls: [{ name: 'reads' }] }, 'End.', 'x']);
    const agent = palimpsest.agent({
      name: 'assistant',
      model,
      tools: [reads],
      instruction: '{temp:token}',
      outputKey: 'temp:answer',
      callbacks: { afterAgent: ({ state }) => void seen.push(state.get('temp:answer')) },
    });
    await runToEnd(agent, { message: 'go', stateDelta: { 'temp:token': 't1', count: 1 } });
    expect(seen).toEqual(['t1', undefined, 1, 'changed', undefined, 1, 'End.']);
    expect(model.calls.map(({ request }) => request.instruction)).toEqual([['t1'], ['changed'], ['changed']]);
    const session = await palimpsest.user(place.userId).session(place.sessionId);
    expect(session.state).toEqual({ count: 1 });
    expect(JSON.stringify(await logOf(palimpsest))).not.toContain('temp:');
    await runToEnd(agent, { message: 'again' });
    expect(model.calls.at(-1)?.request.instruction).toEqual(['{temp:token}']);
  });

  it('merges what parallel tools add to one list', async () => {
    const palimpsest = await openQuiet({ state: { found: 'append' } });
    const finds = tool({
      name: 'finds',
      description: 'Finds something.',
      parameters: z.object({ what: z.string() }),
      run: async ({ what }, { state }) => {
        expect(state.get('found')).toBeUndefined();
        state.set('found', [what]);
        await new Promise((resolve) => setTimeout(resolve, what === 'a' ? 4 : 1));
        return what;
      },
    });
    const calls = ['a', 'b', 'c'].map((what) => ({ name: 'finds', args: { what } }));
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel([{ calls }, 'All.']),
      tools: [finds],
    });
    await runToEnd(agent, { message: 'find' });
    const { state } = await palimpsest.user(place.userId).session(place.sessionId);
    expect(state.found).toHaveLength(3);
    expect(new Set(state.found as readonly string[])).toEqual(new Set(['a', 'b', 'c']));
  });

  it('is closed to a tool whose call has been answered', async () => {
    const palimpsest = await openQuiet();
    const refused: unknown[] = [];
    let held: ToolContext | undefined;
    const write = (context: ToolContext | undefined) => {
      for (const work of [
        () => context?.state.set('temp:late', 1),
        () => context?.state.set('late', 1),
        () => context?.skipSummarization(),
      ]) {
        try {
          work();
        } catch (error) {
          refused.push(Object(error).code);
        }
      }
    };
    const hangs = tool({
      name: 'hangs',
      description: 'Never ends.',
      parameters: nothing,
      timeoutMs: 10,
      run: (_args, context) => {
        held = context;
        context.signal.addEventListener('abort', () => write(context));
        return new Promise(() => undefined);
      },
    });
    const model = new ScriptedModel((_call, index) => {
      if (index === 0) return { calls: [{ name: 'hangs' }] };
      write(held);
      return '{temp:late} never came.';
    });
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [hangs], instruction: 'late: {temp:late?}' });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual([
      'assistant: call hangs',
      'assistant: answer hangs',
      'assistant: {temp:late} never came.',
    ]);
    expect(refused).toEqual(Array(6).fill('ABORTED'));
    expect(events.map(({ actions }) => actions)).toEqual([{}, {}, {}]);
    expect((await palimpsest.user(place.userId).session(place.sessionId)).state).toEqual({});
  });

  it('removes a key, which is not the same as null', async () => {
    const palimpsest = await openQuiet();
    const clears = tool({
      name: 'clears',
      description: 'Clears state.',
      parameters: nothing,
      run: (_args, { state }) => {
        state.delete('a');
        state.set('b', null);
        return [state.has('a'), state.get('b'), Object.keys(state.all())];
      },
    });
    const model = new ScriptedModel([{ calls: [{ name: 'clears' }] }, 'ok']);
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [clears] });
    await runToEnd(agent, { message: 'go', stateDelta: { a: 1, b: 2 } });
    const log = await logOf(palimpsest);
    expect(log[2]?.content?.parts[0]?.functionResponse?.response).toEqual([false, null, ['b']]);
    expect(log[2]?.actions).toEqual({ stateDelta: { b: null }, stateRemoved: ['a'] });
    const { state } = await palimpsest.user(place.userId).session(place.sessionId);
    expect(state).toEqual({ b: null });
  });

  it('keeps what an agent answers under its output key, parsed where a schema asks for it', async () => {
    const palimpsest = await openQuiet();
    const outputSchema = z.object({ unit: z.enum(['Celsius', 'Kelvin']) });
    const model = new ScriptedModel(['{"unit":"Celsius"}', '{"unit":"Fahrenheit"}', 'no JSON']);
    const agent = palimpsest.agent({ name: 'assistant', model, outputKey: 'unit', outputSchema });
    const answers = [];
    for (const message of ['one', 'two', 'three']) answers.push((await runToEnd(agent, { message })).events[0]);
    expect(answers.map((event) => event?.errorCode)).toEqual([undefined, 'INVALID_OUTPUT', 'INVALID_OUTPUT']);
    expect(answers[0]?.actions.stateDelta).toEqual({ unit: { unit: 'Celsius' } });
    expect(answers[1]?.errorMessage).toContain('unit');
    expect(answers[1]?.content).toEqual({ role: 'model', parts: [{ text: '{"unit":"Fahrenheit"}' }] });
    expect(model.calls[0]?.outputSchema).toMatchObject({ type: 'object', required: ['unit'] });
  });
});

describe('callbacks', () => {
  it('stand before and after agent, model and tool, and what they write is stored', async () => {
    const palimpsest = await openQuiet();
    const order: string[] = [];
    const echo = tool({
      name: 'echo',
      description: 'Says it again.',
      parameters: z.object({ text: z.string() }),
      run: ({ text: said }) => said,
    });
    const model = new ScriptedModel([{ calls: [{ name: 'echo', args: { text: 'a' } }] }, 'from the model']);
    const agent = palimpsest.agent({
      name: 'assistant',
      model,
      tools: [echo],
      callbacks: {
        beforeAgent: ({ state }) => {
          order.push('beforeAgent');
          state.set('begun', true);
        },
        beforeModel: (call) => {
          order.push('beforeModel');
          return { call: { ...call, settings: { temperature: 0 } } };
        },
        afterModel: (content) => {
          order.push('afterModel');
          return textOf(content) === '' ? undefined : `${textOf(content)}, changed`;
        },
        beforeTool: ({ args }) => {
          order.push(`beforeTool ${args.text}`);
        },
        afterTool: ({ response }) => {
          order.push('afterTool');
          return { told: response };
        },
        afterAgent: ({ state }) => {
          order.push('afterAgent');
          state.set('ended', true);
          return 'P.S.';
        },
      },
    });
    expect((await runToEnd(agent, { message: 'go' })).failure).toBeUndefined();
    expect(order).toEqual([
      'beforeAgent',
      'beforeModel',
      'afterModel',
      'beforeTool a',
      'afterTool',
      'beforeModel',
      'afterModel',
      'afterAgent',
    ]);
    const log = await logOf(palimpsest);
    expect(log.map(outline).slice(-2)).toEqual(['assistant: from the model, changed', 'assistant: P.S.']);
    expect(log[2]?.content?.parts[0]?.functionResponse?.response).toEqual({ told: 'a' });
    expect(model.calls[0]?.settings).toEqual({ temperature: 0 });
    const { state } = await palimpsest.user(place.userId).session(place.sessionId);
    expect(state).toEqual({ begun: true, ended: true });
  });

  it('answer in the place of agent, model and tool', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel([{ calls: [{ name: 'never' }] }]);
    const never = tool({
      name: 'never',
      description: 'Is not run.',
      parameters: nothing,
      run: () => expect.unreachable(),
    });
    const noAgent = palimpsest.agent({ name: 'a1', model, callbacks: { beforeAgent: () => 'not now' } });
    const noModel = palimpsest.agent({ name: 'a2', model, callbacks: { beforeModel: () => ({ content: 'by rule' }) } });
    let calls = 0;
    const noTool = palimpsest.agent({
      name: 'a3',
      model,
      tools: [never],
      callbacks: {
        beforeTool: () => ({ cached: true }),
        beforeModel: () => (calls++ > 0 ? { content: 'end' } : undefined),
      },
    });
    for (const agent of [noAgent, noModel, noTool])
      expect((await runToEnd(agent, { message: 'go' })).failure).toBeUndefined();
    expect((await logOf(palimpsest)).map(outline)).toEqual([
      'user: go',
      'a1: not now',
      'user: go',
      'a2: by rule',
      'user: go',
      'a3: call never',
      'a3: answer never',
      'a3: end',
    ]);
    expect(model.calls).toHaveLength(1);
  });

  it('that fail end the run, and what the model had said is kept', async () => {
    const palimpsest = await openQuiet();
    const afterModel = () => {
      throw new RangeError('our own fault');
    };
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel(['kept', 'next']),
      callbacks: { afterModel },
    });
    expect((await runToEnd(agent, { message: 'go' })).failure).toBeInstanceOf(RangeError);
    expect((await logOf(palimpsest)).map(outline)).toEqual(['user: go', 'assistant: kept']);
  });

  it('give an instruction from what they may only look at', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(['ok']);
    const instruction = ({ state, agentName }: { agentName: string; state: { get(key: string): unknown } }) => {
      expect('set' in state).toBe(false);
      return `${agentName}: ${state.get('unit')} {unit}`;
    };
    const agent = palimpsest.agent({
      name: 'assistant',
      model,
      instruction,
      documents: [{ kind: 'document', stable: true, content: text('手册') }],
    });
    await runToEnd(agent, { message: 'go', stateDelta: { unit: '摄氏度' } });
    expect(model.calls[0]?.request.instruction).toEqual(['assistant: 摄氏度 {unit}']);
    expect(model.calls[0]?.request.contents.map(textOf)).toEqual(['手册', 'go']);
  });
});

describe('an agent', () => {
  it.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'user' }, 'name'],
    [{ name: 'a', model: undefined }, 'model'],
    [{ name: 'a', model: {} }, 'model'],
    [{ name: 'a', tols: [] }, 'tols'],
    [{ name: 'a', tools: [{}] }, 'tools'],
    [{ name: 'a', maxSteps: 0 }, 'maxSteps'],
    [{ name: 'a', callbacks: { beforeall: () => undefined } }, 'callbacks'],
    [{ name: 'a', retry: { retries: -1 } }, 'retr'],
    [{ name: 'a', outputSchema: z.string() }, 'schema'],
  ])('refuses %j', async (options, named) => {
    const palimpsest = await openQuiet();
    const given = { model: new ScriptedModel([]), ...options };
    expect(() => palimpsest.agent(given as object as Parameters<typeof palimpsest.agent>[0])).toThrow(named);
  });

  it.each<[object, string]>([
    [{ userId: '' }, 'userId'],
    [{ sessionId: ' x' }, 'sessionId'],
    [{ message: ' ' }, 'message'],
    [{ mesage: 'x' }, 'mesage'],
    [{ message: { parts: [{ txt: 'x' }] } }, 'txt'],
    [{ stateDelta: { f: () => 1 } }, 'state.f'],
    [{ onBusy: 'wait' }, 'onBusy'],
    [{ signal: {} }, 'signal'],
  ])('refuses a run with %j and stores nothing', async (input, named) => {
    const palimpsest = await openQuiet();
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['never']) });
    const { failure } = await runToEnd(agent, { message: 'go', ...input });
    expect(String(failure)).toContain(named);
    const sessions = await palimpsest.sessions.list({ appName: 'test' });
    expect(sessions.items.every(({ version }) => version === 0)).toBe(true);
  });
});
