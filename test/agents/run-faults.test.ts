import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isPalimpsestError, openObligations, type Tool, tool } from '../../src/index.ts';
import { type ScriptedCall, ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, runToEnd } from './run-to-end.ts';

const noArguments = z.object({});
const named = (name: string, run: () => unknown, timeoutMs?: number): Tool =>
  tool({ name, description: 'Does something.', parameters: noArguments, run, ...(timeoutMs ? { timeoutMs } : {}) });

/** Runs one turn that calls the tool, and one that answers; returns what the model was told of the call. */
async function tell(one: Tool, call: Partial<ScriptedCall> = {}) {
  const palimpsest = await openQuiet();
  const model = new ScriptedModel([{ calls: [{ name: one.declaration.name, args: {}, id: 'c1', ...call }] }, 'I see.']);
  const agent = palimpsest.agent({ name: 'assistant', model, tools: [one] });
  const run = await runToEnd(agent, { message: 'Do it' });
  const log = await logOf(palimpsest);
  expect(run.failure).toBeUndefined();
  expect(log.map(outline).at(-1)).toBe('assistant: I see.');
  expect(openObligations(log)).toEqual([]);
  return { response: log[2]?.content?.parts[0]?.functionResponse?.response, request: model.calls[1]?.request };
}

describe('a tool that', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;

  it.each<[string, () => unknown, RegExp]>([
    ['throws', () => JSON.parse('{'), /JSON/],
    ['rejects', () => Promise.reject(new TypeError('the service is down: 服务不可用')), /服务不可用/],
    [
      'throws what is no error',
      () => {
        throw 'just a text';
      },
      /just a text/,
    ],
    ['returns a cycle', () => cycle, /contains itself/],
    ['returns what is no JSON', () => ({ at: { when: 12n } }), /when/],
    ['returns 20 MB', () => 'x'.repeat(20 * 1024 * 1024), /bytes/],
  ])('%s is told to the model, and the run goes on', async (_name, run, told) => {
    const { response, request } = await tell(named('broken', run));
    expect(JSON.stringify(response)).toMatch(told);
    expect(response).toHaveProperty('error');
    expect(JSON.stringify(request?.contents)).toMatch(told);
  });

  it('never settles is given up when its time is over', async () => {
    const { response } = await tell(named('hangs', () => new Promise(() => undefined), 20));
    expect(JSON.stringify(response)).toMatch(/20 ?ms|0\.02 s/);
  });

  it('returns nothing has answered all the same', async () => {
    const { response } = await tell(named('silent', () => undefined));
    expect(response).toBeDefined();
  });

  it('writes state may write JSON only', async () => {
    const palimpsest = await openQuiet();
    const writes = tool({
      name: 'writes',
      description: 'Writes state.',
      parameters: noArguments,
      run: (_args, context) => {
        context.state.set('good', [1, { a: '文' }]);
        expect(() => context.state.set('bad', Number.NaN)).toThrow(/state.bad/);
        return 'done';
      },
    });
    const model = new ScriptedModel([{ calls: [{ name: 'writes', id: 'c1' }] }, 'ok']);
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [writes] });
    expect((await runToEnd(agent, { message: 'go' })).failure).toBeUndefined();
    expect((await logOf(palimpsest))[2]?.actions.stateDelta).toEqual({ good: [1, { a: '文' }] });
  });
});

it('a tool whose state is refused keeps what it has saved', async () => {
  const palimpsest = await openQuiet({ state: { count: { schema: z.number() } } });
  const saves = tool({
    name: 'saves',
    description: 'Saves something.',
    parameters: noArguments,
    run: async (_args, { state, artifacts }) => {
      await artifacts.save('图.png', new Uint8Array([1]), 'image/png');
      state.set('count', 'many');
    },
  });
  const model = new ScriptedModel([{ calls: [{ name: 'saves' }] }, 'ok']);
  const agent = palimpsest.agent({ name: 'assistant', model, tools: [saves] });
  expect((await runToEnd(agent, { message: 'go' })).failure).toBeUndefined();
  const answer = (await logOf(palimpsest))[2];
  expect(answer?.content?.parts[0]?.functionResponse?.response).toHaveProperty('error');
  expect(answer?.actions).toEqual({ artifactDelta: { '图.png': 0 } });
});

describe('a model that', () => {
  const echo = tool({
    name: 'echo',
    description: 'Says it again.',
    parameters: z.object({ text: z.string() }),
    run: ({ text }) => text,
  });

  it.each<[string, Partial<ScriptedCall>, RegExp]>([
    ['calls an unknown tool', { name: 'nope' }, /nope.*echo/],
    ['gives invalid arguments', { name: 'echo', args: { text: 5 } }, /text/],
    ['gives no arguments', { name: 'echo', args: {} }, /text/],
  ])('%s is told so', async (_name, call, told) => {
    const { response } = await tell(echo, call);
    expect(JSON.stringify(response)).toMatch(told);
  });

  it('repeats a call id has both calls answered', async () => {
    const palimpsest = await openQuiet();
    const twice = [1, 2].map((text) => ({ name: 'echo', args: { text: `call ${text}` }, id: 'same' }));
    const model = new ScriptedModel([{ calls: twice }, { calls: twice }, 'Both came.'], { provider: 'anthropic' });
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [echo] });
    expect((await runToEnd(agent, { message: 'twice' })).failure).toBeUndefined();
    const log = await logOf(palimpsest);
    const ids = log.flatMap(
      ({ content }) => content?.parts.flatMap(({ functionCall }) => functionCall?.id ?? []) ?? [],
    );
    expect(new Set(ids).size).toBe(4);
    const answers = log.flatMap(
      ({ content }) => content?.parts.flatMap(({ functionResponse }) => functionResponse ?? []) ?? [],
    );
    expect(answers.map(({ response }) => response).sort()).toEqual(['call 1', 'call 1', 'call 2', 'call 2']);
    expect(openObligations(log)).toEqual([]);
  });

  it.each<[string, ScriptedTurn]>([
    ['returns nothing', {}],
    ['returns white space', { text: ' \n' }],
    ['only thinks', { thought: 'Hm.' }],
  ])('%s leaves an event that says so', async (_name, turn) => {
    const palimpsest = await openQuiet();
    const agent = palimpsest.agent({ name: 'assistant', model: new ScriptedModel([turn, 'Now.']) });
    const { events, failure } = await runToEnd(agent, { message: 'Say something' });
    expect(failure).toBeUndefined();
    expect(events.map(({ errorCode }) => errorCode)).toEqual(['EMPTY_RESPONSE']);
    expect((await runToEnd(agent, { message: 'Again' })).events.map(outline)).toEqual(['assistant: Now.']);
  });

  it('breaks off leaves what had come, and the next request is in order', async () => {
    const palimpsest = await openQuiet();
    const broken: ScriptedTurn = {
      text: '前半句，后半句永远不会到',
      calls: [{ name: 'echo', args: { text: 'x' } }],
      cutAfter: 1,
    };
    const model = new ScriptedModel([broken, { ...broken, cutAfter: 3 }, 'Whole.'], {
      provider: 'anthropic',
      pieceLength: 4,
    });
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [echo], retry: false });
    for (const message of ['one', 'two']) {
      const { failure, events } = await runToEnd(agent, { message });
      expect(isPalimpsestError(failure, 'MODEL_FAILED')).toBe(true);
      expect(events).toHaveLength(1);
    }
    const { events } = await runToEnd(agent, { message: 'three' });
    expect(events.map(outline)).toEqual(['assistant: Whole.']);
    const log = await logOf(palimpsest);
    expect(log.map(outline)).toEqual([
      'user: one',
      'assistant: 前半句， !MODEL_FAILED',
      'user: two',
      'assistant: 前半句，后半句永远不会到 !MODEL_FAILED',
      'user: three',
      'assistant: Whole.',
    ]);
    expect(log[1]).toMatchObject({ interrupted: true, request: { throughSeq: 1 } });
    expect(openObligations(log)).toEqual([]);
  });

  it('fails before it says anything is asked again', async () => {
    const palimpsest = await openQuiet();
    const failing = (index: number): ScriptedTurn => ({
      failure: Object.assign(new TypeError(`no network ${index}`), { code: 'ECONNRESET' }),
      cutAfter: 0,
    });
    const model = new ScriptedModel((_call, index) => (index < 2 ? failing(index) : 'There.'));
    const agent = palimpsest.agent({ name: 'assistant', model, retry: { firstDelayMs: 1 } });
    const { events, failure } = await runToEnd(agent, { message: 'hello' });
    expect(failure).toBeUndefined();
    expect(events.map(outline)).toEqual(['assistant: There.']);
    expect(model.calls).toHaveLength(3);
  });

  it('takes no notice of a stop is left alone', async () => {
    const palimpsest = await openQuiet();
    const never = new Promise(() => undefined);
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel([{ text: 'x', after: never }]),
      retry: false,
    });
    const stop = new AbortController();
    const running = runToEnd(agent, { message: 'hello', signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    const { failure, events } = await running;
    expect(isPalimpsestError(failure, 'ABORTED')).toBe(true);
    expect(events.map(outline)).toEqual(['assistant: - !ABORTED']);
  });
});

describe('a reader that', () => {
  it('leaves in the middle of an answer leaves what had come, and the session free', async () => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel([{ text: 'a long answer, piece by piece' }, 'Next.'], { pieceLength: 3 });
    const agent = palimpsest.agent({ name: 'assistant', model });
    let seen = 0;
    for await (const _ of agent.run({ userId: 'u1', sessionId: 's1', message: 'talk' })) if (++seen === 2) break;
    expect((await logOf(palimpsest)).map(outline)).toEqual(['user: talk', 'assistant: a long !ABORTED']);
    expect((await runToEnd(agent, { message: 'go on' })).failure).toBeUndefined();
  });

  it('leaves while tools work stops them, and every call is answered', async () => {
    const palimpsest = await openQuiet();
    let stopped = 0;
    const waits = tool({
      name: 'waits',
      description: 'Waits until it is stopped.',
      parameters: noArguments,
      run: (_args, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            stopped++;
            resolve('stopped');
          });
        }),
    });
    const quick = named('quick', () => 'done');
    const model = new ScriptedModel([{ calls: [{ name: 'waits' }, { name: 'quick' }, { name: 'waits' }] }, 'Next.']);
    const agent = palimpsest.agent({ name: 'assistant', model, tools: [waits, quick] });
    for await (const event of agent.run({ userId: 'u1', sessionId: 's1', message: 'work' })) {
      if (event.partial === undefined && outline(event).includes('answer quick')) break;
    }
    expect(stopped).toBe(2);
    const log = await logOf(palimpsest);
    expect(openObligations(log)).toEqual([]);
    expect(log.map(outline).slice(0, 3)).toEqual([
      'user: work',
      'assistant: call waits + call quick + call waits',
      'assistant: answer quick',
    ]);
    expect((await runToEnd(agent, { message: 'go on' })).failure).toBeUndefined();
  });
});
