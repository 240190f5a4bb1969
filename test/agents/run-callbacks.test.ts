import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentCallbacks,
  isPalimpsestError,
  type ModelCall,
  openObligations,
  type StandardSchema,
  tool,
} from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, runToEnd } from './run-to-end.ts';

/** A schema that checks by a function of the test's. */
function schemaWith(validate: StandardSchema['~standard']['validate']): StandardSchema {
  const describe = () => ({ type: 'object' });
  return { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input: describe, output: describe } } };
}

type Hang = () => Promise<never>;
const look = tool({ name: 'look', description: 'Looks.', parameters: z.object({}), run: () => 'seen' });

describe('code of the application that hangs', () => {
  it.each<[string, (hang: Hang) => object, readonly string[]]>([
    ['an instruction provider', (hang) => ({ instruction: hang }), []],
    ['beforeAgent', (hang) => ({ callbacks: { beforeAgent: hang } }), []],
    ['beforeModel', (hang) => ({ callbacks: { beforeModel: hang } }), []],
    ['afterModel', (hang) => ({ callbacks: { afterModel: hang } }), ['assistant: {"说":1}']],
    ['afterAgent', (hang) => ({ callbacks: { afterAgent: hang } }), ['assistant: {"说":1}']],
    ['an output schema', (hang) => ({ outputSchema: schemaWith(hang) }), ['assistant: {"说":1}']],
  ])('%s ends with ABORTED when the run is stopped, and frees the session', async (_name, optionsOf, said) => {
    const palimpsest = await openQuiet();
    const stop = new AbortController();
    const hang: Hang = () => {
      setTimeout(() => stop.abort(), 1);
      return new Promise(() => undefined);
    };
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['{"说":1}']), ...optionsOf(hang) });
    const { events, failure } = await runToEnd(agent, { message: 'go', signal: stop.signal });
    expect(failure).toMatchObject({ code: 'ABORTED' });
    expect(events.map(outline)).toEqual(said);
    expect((await logOf(palimpsest)).map(outline)).toEqual(['user: go', ...said]);
    const other = palimpsest.agent({ name: 'other', model: new ScriptedModel(['free']) });
    expect((await runToEnd(other, { message: 'next' })).failure).toBeUndefined();
  });
});

describe('an answer whose side effects are refused', () => {
  it('stays an answer where its output key is, and says why the key is not set', async () => {
    const palimpsest = await openQuiet({ state: { plan: { schema: z.number() } } });
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel(['去大理']),
      outputKey: 'plan',
      callbacks: { afterModel: ({ parts }, { state }) => state.set('seen', parts.length) },
    });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual(['assistant: 去大理 !INVALID_EVENT']);
    expect(events[0]?.errorMessage).toContain('plan');
    expect(events[0]?.actions).toEqual({ stateDelta: { seen: 1 } });
    expect(await logOf(palimpsest)).toHaveLength(2);
  });

  it('stays an answer where state cannot hold what the output schema makes of it', async () => {
    const palimpsest = await openQuiet();
    const outputSchema = schemaWith(() => ({ value: { day: new Date(0) } }));
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel(['{"day":"2026-01-01"}']),
      outputKey: 'plan',
      outputSchema,
    });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual(['assistant: {"day":"2026-01-01"} !NOT_JSON']);
  });

  it('is stored and yielded before bad state of a callback is thrown', async () => {
    const palimpsest = await openQuiet({ state: { count: { schema: z.number() } } });
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel([{ text: '先看看', calls: [{ name: 'look' }] }, 'next']),
      tools: [look],
      callbacks: {
        afterModel: (_content, { state }) => state.set('count', 'many'),
        beforeModel: async (_call, { artifacts }) => void (await artifacts.save('图', new Uint8Array(1), 'image/png')),
      },
    });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(isPalimpsestError(failure, 'INVALID_EVENT')).toBe(true);
    expect(events.map(outline)).toEqual(['assistant: 先看看 + call look !INVALID_EVENT']);
    expect(events[0]?.actions).toEqual({ artifactDelta: { 图: 0 } });
    const other = palimpsest.agent({ name: 'other', model: new ScriptedModel(['free']) });
    expect((await runToEnd(other, { message: 'next' })).failure).toBeUndefined();
    expect(openObligations(await logOf(palimpsest))).toEqual([]);
  });
});

describe('a callback', () => {
  it('that throws after the model has spoken lets the reader see the event first', async () => {
    const palimpsest = await openQuiet();
    const afterModel = () => {
      throw new RangeError('我们的错');
    };
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel(['kept']),
      callbacks: { afterModel },
    });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toBeInstanceOf(RangeError);
    expect(events.map(outline)).toEqual(['assistant: kept']);
  });

  it.each<[string, object]>([
    ['instruction', { instruction: () => undefined }],
    ['instruction', { instruction: async () => 5 }],
    ['callbacks.beforeAgent', { callbacks: { beforeAgent: () => 5 } }],
    ['callbacks.beforeAgent', { callbacks: { beforeAgent: () => ({ role: 'model' }) } }],
    ['callbacks.beforeModel', { callbacks: { beforeModel: () => '文' } }],
    ['callbacks.beforeModel', { callbacks: { beforeModel: (call: ModelCall) => call } }],
    ['callbacks.beforeModel', { callbacks: { beforeModel: () => ({ call: {} }) } }],
    ['callbacks.afterModel', { callbacks: { afterModel: () => false } }],
    ['callbacks.afterAgent', { callbacks: { afterAgent: () => [] } }],
  ])('%s that returns what it may not is named', async (named, options) => {
    const palimpsest = await openQuiet();
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['said']), ...options });
    const { failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details: { argument: named } });
  });

  it('cannot change a request or an answer in place', async () => {
    const palimpsest = await openQuiet();
    const changes: AgentCallbacks = {
      beforeModel: ({ request }) => void (request.instruction as string[]).push('changed'),
      afterModel: ({ parts }) => void (parts as object[]).pop(),
    };
    for (const [name, callback] of Object.entries(changes)) {
      const callbacks = { [name]: callback };
      const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['said']), callbacks });
      expect((await runToEnd(agent, { message: name })).failure).toBeInstanceOf(TypeError);
    }
    expect((await logOf(palimpsest)).map(outline).at(-1)).toBe('assistant: said');
  });

  it('that sends another request leaves no journal of the one that was not sent', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(['a', 'b', 'c']);
    const run = async (beforeModel: NonNullable<AgentCallbacks['beforeModel']>) => {
      const agent = palimpsest.agent({ name: 'assistant', model, instruction: '简短。', callbacks: { beforeModel } });
      return (await runToEnd(agent, { message: 'go' })).events[0];
    };
    const plain = await run(() => undefined);
    const warmer = await run((call) => ({ call: { ...call, settings: { temperature: 1 } } }));
    const replaced = await run((call) => ({
      call: { ...call, request: { ...call.request, instruction: ['Be long.'] } },
    }));
    expect(plain?.request?.configHash).not.toBe(warmer?.request?.configHash);
    expect([plain, warmer].map((event) => event?.customMetadata)).toEqual([undefined, undefined]);
    expect(replaced?.request).toBeUndefined();
    expect(replaced?.customMetadata).toEqual({ requestReplaced: true });
    expect(model.calls[2]?.request.instruction).toEqual(['Be long.']);
  });
});
