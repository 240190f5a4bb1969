import { generateText, stepCountIs, streamText } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../../src/index.ts';
import { type Bench, inShort, openBench, wireNames } from './wired-models.ts';
import { heldTool } from './wired-tools.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

async function log(): Promise<readonly string[]> {
  return (await bench.events()).map(inShort);
}

const oneLoop = ['user: 订票', 'assistant: held({})', 'tool: held → "done"', 'assistant: 订好了。'];

describe.each(wireNames)('a double click, over the %s wire', (wire) => {
  it('while the model speaks: the second call is refused, the first one is whole', async () => {
    const model = bench.model(wire);
    bench.server.reply({ text: ['订', '好了。'], dripMs: 50 });
    const [first, second] = await Promise.allSettled([
      generateText({ model, prompt: '订票' }),
      generateText({ model, prompt: '订票' }),
    ]);
    const failed = [first, second].find(({ status }) => status === 'rejected');
    expect(isPalimpsestError(failed?.status === 'rejected' && failed.reason, 'SESSION_BUSY')).toBe(true);
    expect(await log()).toEqual(['user: 订票', 'assistant: 订好了。']);
    expect(bench.server.requests).toHaveLength(1);
  });

  it('while a tool is at work: the same', async () => {
    const { held, started, finish } = heldTool();
    bench.server.reply({ calls: [{ id: 'c1', name: 'held' }] }, { text: '订好了。' });
    const call = { prompt: '订票', tools: { held }, stopWhen: stepCountIs(3) };
    const first = generateText({ ...call, model: bench.model(wire) });
    await started;
    const second = await generateText({ ...call, model: bench.model(wire) }).catch((error: unknown) => error);
    expect(isPalimpsestError(second, 'SESSION_BUSY')).toBe(true);
    finish();
    await first;
    expect(await log()).toEqual(oneLoop);
  });

  it('with a queue the second call waits for the whole loop', async () => {
    const { held, started, finish } = heldTool();
    bench.server.reply({ calls: [{ id: 'c1', name: 'held' }] }, { text: '订好了。' }, { text: '又订了一张。' });
    const call = { prompt: '订票', tools: { held }, stopWhen: stepCountIs(3) };
    const model = bench.model(wire, { onBusy: 'queue' });
    const first = streamText({ ...call, model }).text;
    await started;
    const second = generateText({ ...call, model });
    finish();
    await Promise.all([first, second]);
    expect(await log()).toEqual([...oneLoop, 'user: 订票', 'assistant: 又订了一张。']);
  });
});

describe('a queue', () => {
  it('is left in the order in which calls came, whatever they wait for', async () => {
    const { held, started, finish } = heldTool();
    bench.server.reply({ calls: [{ id: 'c1', name: 'held' }] }, { text: '订好了。' });
    const first = generateText({
      model: bench.model('openai'),
      prompt: '订票',
      tools: { held },
      stopWhen: stepCountIs(3),
    });
    await started;
    const asked = ['一', '二', '三', '四'];
    const waiting = asked.map((prompt) => {
      bench.server.reply({ text: `答${prompt}` });
      return generateText({ model: bench.model('openai', { onBusy: 'queue' }), prompt });
    });
    finish();
    await Promise.all([first, ...waiting]);
    expect(await log()).toEqual([...oneLoop, ...asked.flatMap((one) => [`user: ${one}`, `assistant: 答${one}`])]);
  });
});

describe('a loop that is not gone on with', () => {
  async function stopAfterCall(abortSignal?: AbortSignal, toolLoopMs?: number): Promise<void> {
    bench.server.reply({ calls: [{ id: 'c1', name: 'held' }] }, { text: 'Well.' });
    const { held } = heldTool();
    const { execute: _, ...unanswered } = held;
    const tools = { held: unanswered };
    const model = bench.model('openai', toolLoopMs === undefined ? {} : { toolLoopMs });
    await generateText({ model, prompt: 'Book.', tools, ...(abortSignal && { abortSignal }) });
  }

  it('frees its session when it is aborted', async () => {
    const controller = new AbortController();
    await stopAfterCall(controller.signal);
    controller.abort();
    await generateText({ model: bench.model('openai'), prompt: 'Never mind.' });
    expect((await log()).at(-1)).toBe('assistant: Well.');
  });

  it.each([0, 1])('frees its session after the time that it has: %i ms', async (toolLoopMs) => {
    await stopAfterCall(undefined, toolLoopMs);
    await generateText({
      model: bench.model('openai', { onBusy: toolLoopMs === 0 ? 'refuse' : 'queue' }),
      prompt: 'Never mind.',
    });
    expect((await log()).at(-1)).toBe('assistant: Well.');
  });

  it('frees its session for a call that shows its answer', async () => {
    await stopAfterCall();
    await generateText({
      model: bench.model('openai'),
      messages: [
        { role: 'user', content: 'Book.' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'held', input: {} }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c1', toolName: 'held', output: { type: 'text', value: '不行' } },
          ],
        },
      ],
    });
    expect((await log()).slice(2)).toEqual(['tool: held → "不行"', 'assistant: Well.']);
  });

  it('does not hold a session that has gone on elsewhere', async () => {
    await stopAfterCall();
    const session = await bench.palimpsest.user('u1').session('s1');
    const response = { functionResponse: { id: 'c1', name: 'held', response: 'done' } };
    await session.append([{ author: 'assistant', content: { role: 'user', parts: [response] } }]);
    await session.append([{ author: 'assistant', content: 'Booked.' }]);
    await generateText({ model: bench.model('openai'), prompt: 'Thanks.' });
    expect((await log()).slice(-2)).toEqual(['user: Thanks.', 'assistant: Well.']);
  });

  it('lets a waiting call be aborted', async () => {
    await stopAfterCall();
    const controller = new AbortController();
    const waiting = generateText({
      model: bench.model('openai', { onBusy: 'queue' }),
      prompt: 'Never mind.',
      abortSignal: controller.signal,
    });
    controller.abort();
    const failure = await waiting.catch((error: unknown) => error);
    expect(isPalimpsestError(failure, 'ABORTED')).toBe(true);
    expect(await log()).toHaveLength(2);
  });
});
