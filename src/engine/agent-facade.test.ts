import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Agent, RunEvent, RunInput } from '../agents/index.ts';
import { tool } from '../agents/tools/index.ts';
import type { AiSdkLanguageModel, Span, Telemetry } from '../models/index.ts';
import { ScriptedModel } from '../testing/index.ts';
import { type FacadeAgentOptions, openPalimpsest, type Palimpsest } from './index.ts';

const told = { userId: 'u1', sessionId: 's1', message: '以后请用摄氏度报告天气。' };

async function run(agent: Agent, input: RunInput = told): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of agent.run(input)) events.push(event);
  return events;
}

async function texts(palimpsest: Palimpsest): Promise<string[]> {
  const { items } = await palimpsest.user('u1').memories();
  return items.map(({ text }) => text);
}

/** Notes the names of spans, each below its parent's. */
class NotedSpans implements Telemetry {
  readonly begun: string[] = [];
  readonly ended: string[] = [];

  span(name: string): Span {
    this.begun.push(name);
    return {
      child: (below) => this.span(`${name} > ${below}`),
      set: () => undefined,
      run: (work) => work(),
      end: () => void this.ended.push(name),
    };
  }
}

describe('an agent of an open Palimpsest', () => {
  it('answers, and memory has read the run once it is settled', async () => {
    await using palimpsest = await openPalimpsest();
    const model = new ScriptedModel(['好的，用摄氏度。']);
    await run(palimpsest.agent({ name: 'assistant', model }));
    await palimpsest.settled();
    expect(await texts(palimpsest)).toEqual(['好的，用摄氏度。', told.message]);
    expect(model.calls).toHaveLength(1);
  });

  it('learns nothing by itself with ingest: never', async () => {
    await using palimpsest = await openPalimpsest({ ingest: 'never' });
    await run(palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['好的']) }));
    await palimpsest.settled();
    expect(await texts(palimpsest)).toEqual([]);
  });

  it('takes a model of specification v4 as it is, for the type checker too', async () => {
    /** As a provider package declares it: methods with parameters of its own. */
    interface OwnModel {
      readonly specificationVersion: 'v4';
      readonly provider: string;
      readonly modelId: string;
      readonly supportedUrls: Record<string, RegExp[]>;
      doGenerate(options: { prompt: object[]; reasoning?: 'low' | 'high' }): PromiseLike<{ content: object[] }>;
      doStream(options: { prompt: object[] }): PromiseLike<{ stream: ReadableStream<{ type: string }> }>;
    }
    expectTypeOf<OwnModel>().toExtend<FacadeAgentOptions['model']>();
    expectTypeOf<Omit<OwnModel, 'doStream'>>().not.toExtend<FacadeAgentOptions['model']>();
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const model: OwnModel = {
      specificationVersion: 'v4',
      provider: 'test',
      modelId: 'one-answer',
      supportedUrls: {},
      doGenerate: async () => ({ content: [{ type: 'text', text: '好的' }], usage, finishReason: { unified: 'stop' } }),
      doStream: async () => Promise.reject(new TypeError('not asked for')),
    };
    await using palimpsest = await openPalimpsest();
    const events = await run(palimpsest.agent({ name: 'assistant', model, streaming: false }));
    expect(events.at(-1)?.content).toMatchObject({ parts: [{ text: '好的' }] });
  });

  it('ends its run when the Palimpsest is closed, and says so', async () => {
    const palimpsest = await openPalimpsest();
    let answer: () => void = () => undefined;
    const after = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const model = new ScriptedModel([{ text: '好的', after }]);
    const running = run(palimpsest.agent({ name: 'assistant', model })).catch((error: unknown) => error);
    while (model.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await palimpsest.close();
    answer();
    expect(await running).toMatchObject({ code: 'CLOSED' });
  });

  it('takes a model of the AI SDK as it is', async () => {
    await using palimpsest = await openPalimpsest();
    const model = {
      specificationVersion: 'v3',
      provider: 'test',
      modelId: 'one-answer',
      supportedUrls: {},
      doGenerate: async () => expect.unreachable('it streams'),
      doStream: async () => ({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            controller.enqueue({ type: 'text-start', id: '1' });
            controller.enqueue({ type: 'text-delta', id: '1', delta: '摄氏度' });
            controller.enqueue({ type: 'text-end', id: '1' });
            const usage = { inputTokens: { total: 3 }, outputTokens: { total: 1 } };
            controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage });
            controller.close();
          },
        }),
      }),
    };
    const events = await run(palimpsest.agent({ name: 'assistant', model: model as object as AiSdkLanguageModel }));
    expect(events.at(-1)).toMatchObject({ author: 'assistant', content: { parts: [{ text: '摄氏度' }] } });
  });

  it('forgets what it has read of a session that is erased, so that its id begins anew', async () => {
    await using palimpsest = await openPalimpsest();
    const model = new ScriptedModel(() => 'Noted.');
    const agent = palimpsest.agent({ name: 'assistant', model });
    const contentsOf = (index: number) => JSON.stringify(model.calls[index]?.request);
    await run(agent, { ...told, message: 'My secret is Zanzibar.' });
    await run(agent, { ...told, message: 'And now?' });
    expect(contentsOf(1)).toContain('Zanzibar');
    await palimpsest.eraseSession({ appName: 'default', userId: 'u1', sessionId: 's1' });
    await run(agent, { ...told, message: 'And now?' });
    await palimpsest.user('u1').erase();
    await run(agent, { ...told, message: 'And now?' });
    for (const index of [2, 3]) expect(contentsOf(index)).not.toContain('Zanzibar');
  });

  it('is told no more, within a run, what came from a session that is erased meanwhile', async () => {
    await using palimpsest = await openPalimpsest();
    const secret = await palimpsest.user('u1').session('secret');
    await secret.append([
      { author: 'user', content: 'My secret island is Zanzibar.' },
      { author: 'assistant', content: 'I see.' },
    ]);
    await palimpsest.settled();
    const erase = tool({
      name: 'erase',
      description: 'Erases the session called secret.',
      run: async () => (await palimpsest.eraseSession(secret.key)).sessions.length,
    });
    const model = new ScriptedModel([{ calls: [{ name: 'erase' }] }, 'Gone.']);
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [erase] });
    await run(agent, { ...told, message: 'Which island is my secret?' });
    const [before, after] = model.calls.map(({ request }) => JSON.stringify(request));
    expect(before).toContain('Zanzibar');
    expect(after).toContain('erase');
    expect(after).not.toContain('Zanzibar');
  });

  it('stores no state that breaks a schema, and says so to whoever runs it', async () => {
    const validate = (value: unknown) => (value === 'C' ? { value } : { issues: [{ message: '只有 C' }] });
    await using palimpsest = await openPalimpsest({
      state: { unit: { schema: { '~standard': { version: 1, vendor: 'test', validate } } } },
    });
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(() => 'Kelvin'), outputKey: 'unit' });
    const refused = { code: 'INVALID_EVENT', details: { field: 'actions.stateDelta.unit' } };
    await expect(run(agent, { ...told, stateDelta: { unit: 'K' } })).rejects.toMatchObject(refused);
    const answer = (await run(agent)).at(-1);
    expect(answer).toMatchObject({ errorCode: 'INVALID_EVENT', content: { parts: [{ text: 'Kelvin' }] } });
    expect((await palimpsest.user('u1').session('s1')).state).toEqual({});
  });

  it('is timed by the telemetry that is given, each span ended', async () => {
    const telemetry = new NotedSpans();
    await using palimpsest = await openPalimpsest({ telemetry });
    await run(palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['好的']) }));
    expect(telemetry.begun[0]).toBe('invoke_agent assistant');
    expect(telemetry.begun.length).toBeGreaterThan(1);
    expect([...telemetry.ended].sort()).toEqual([...telemetry.begun].sort());
  });

  it('cannot run after close', async () => {
    const palimpsest = await openPalimpsest();
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel(['好的']) });
    await palimpsest.close();
    await expect(run(agent)).rejects.toMatchObject({ code: 'CLOSED' });
  });

  const model = new ScriptedModel([]);
  const refused: readonly (readonly [string, unknown, string])[] = [
    ['no options', undefined, 'options'],
    ['a model alone', model, 'options'],
    ['no model', { name: 'assistant' }, 'model'],
    ['the name of a model', { name: 'assistant', model: 'gemini-2.5-flash' }, 'model'],
    ['a model of an older AI SDK', { name: 'assistant', model: { specificationVersion: 'v2' } }, 'model'],
    ['an unknown option', { name: 'assistant', model, prompt: 'Be brief.' }, 'prompt'],
    ['a number of steps below one', { name: 'assistant', model, maxSteps: 0 }, 'maxSteps'],
  ];
  it.each(refused)('is not made of %s', async (_, options, argument) => {
    await using palimpsest = await openPalimpsest();
    const making = () => palimpsest.agent(options as FacadeAgentOptions);
    expect(making).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', details: expect.objectContaining({ argument }) }),
    );
  });
});
