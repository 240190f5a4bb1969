import { generateText, stepCountIs, streamText } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPalimpsestError, type Palimpsest } from '../../src/index.ts';
import { type Bench, inShort, openBench, wireNames } from './wired-models.ts';
import { weather } from './wired-tools.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

async function log(sessionId?: string): Promise<readonly string[]> {
  return (await bench.events(sessionId)).map(inShort);
}

/** Reads a stream to its end and returns its text and errors. */
async function readAll(stream: AsyncIterable<{ type: string }>): Promise<{ text: string; errors: unknown[] }> {
  let text = '';
  const errors: unknown[] = [];
  try {
    for await (const part of stream) {
      if (part.type === 'text-delta' && 'text' in part) text += part.text;
      if (part.type === 'error' && 'error' in part) errors.push(part.error);
    }
  } catch (error) {
    errors.push(error);
  }
  return { text, errors };
}

const quiet = { onError: () => undefined };

describe.each(wireNames)('over the %s wire', (wire) => {
  it.each(['generateText', 'streamText'] as const)('%s: what a retry asks again is there once', async (how) => {
    const busy = { status: 429, retryAfter: 0 };
    bench.server.reply(busy, { calls: [{ name: 'weather', args: { city: '大理' } }] }, busy, busy, { text: '晴。' });
    const call = { model: bench.model(wire), prompt: '大理天气？', tools: { weather }, stopWhen: stepCountIs(3) };
    const text =
      how === 'generateText' ? (await generateText(call)).text : await streamText({ ...call, ...quiet }).text;
    expect(text).toBe('晴。');
    expect(await log()).toEqual([
      'user: 大理天气？',
      'assistant: … !MODEL_FAILED',
      'assistant: weather({"city":"大理"})',
      'tool: weather → {"city":"大理","celsius":21}',
      'assistant: … !MODEL_FAILED',
      'assistant: … !MODEL_FAILED',
      'assistant: 晴。',
    ]);
    const sizes = bench.server.requests.map(({ bodyText }) => bodyText.length);
    expect(sizes[1]).toBe(sizes[0]);
    expect(sizes[4]).toBe(sizes[2]);
  });

  it('a call that fails for good keeps the question for the next one', async () => {
    bench.server.reply({ status: 400, message: 'no such thing' });
    const model = bench.model(wire);
    await expect(generateText({ model, prompt: 'Hello?' })).rejects.toThrow('no such thing');
    bench.server.reply({ text: 'Here.' });
    await generateText({ model, prompt: 'Hello?' });
    expect(await log()).toEqual(['user: Hello?', 'assistant: … !MODEL_FAILED', 'assistant: Here.']);
    expect((await bench.events())[1]?.errorMessage).toContain('HTTP 400');
  });

  it.each([
    ['cut', { cutAfter: 2 }],
    ['ended without a finish', { endAfter: 2 }],
    ['broken off by an error', { errorAfter: 2 }],
  ])('a stream that is %s is kept as far as it came, and goes on', async (_what, fault) => {
    const model = bench.model(wire);
    bench.server.reply({ text: ['从前', '有座山，', '山里有座庙。'], ...fault }, { text: '再讲一遍。' });
    const told = await readAll(streamText({ model, prompt: '讲个故事', ...quiet }).fullStream);
    expect(told.text).toBe('从前有座山，');
    expect(await log()).toEqual(['user: 讲个故事', 'assistant: 从前有座山， … !MODEL_FAILED']);
    await generateText({ model, prompt: '讲个故事' });
    expect((await log()).at(-1)).toBe('assistant: 再讲一遍。');
    expect((await log()).filter((line) => line.startsWith('user'))).toHaveLength(1);
  });

  it('calls of a cut answer are not made', async () => {
    bench.server.reply({ text: 'Let me look.', calls: [{ id: 'c1', name: 'weather', args: {} }], cutAfter: 2 });
    const stream = streamText({ model: bench.model(wire), prompt: 'Weather?', tools: { weather }, ...quiet });
    await readAll(stream.fullStream);
    const [, answer] = await bench.events();
    expect(answer).toMatchObject({ interrupted: true, content: { parts: [{ text: 'Let me look.' }] } });
  });
});

it('an answer with nothing in it is an error event, and no part of the conversation', async () => {
  const model = bench.model('openai');
  bench.server.reply({}, { text: 'Now.' });
  await generateText({ model, prompt: '在吗？' });
  await generateText({ model, prompt: '在吗？' });
  expect(await log()).toEqual(['user: 在吗？', 'assistant: !EMPTY_RESPONSE', 'assistant: Now.']);
});

it('an aborted call is kept as aborted, before and while it answers', async () => {
  const model = bench.model('openai');
  const early = new AbortController();
  bench.server.reply({ hang: true });
  const asked = generateText({ model, prompt: 'One?', abortSignal: early.signal });
  await until(() => bench.server.requests.length === 1);
  early.abort();
  await expect(asked).rejects.toThrow();
  const late = new AbortController();
  bench.server.reply({ text: ['半', '句', '话'], dripMs: 200 });
  const { fullStream } = streamText({ model, prompt: 'Two?', abortSignal: late.signal, ...quiet });
  for await (const part of fullStream) if (part.type === 'text-delta') late.abort();
  await until(async () => (await log()).length === 4);
  expect(await log()).toEqual(['user: One?', 'assistant: … !ABORTED', 'user: Two?', 'assistant: 半 … !ABORTED']);
});

it('a reader that goes away leaves what it had, and the session free', async () => {
  const model = bench.model('openai');
  bench.server.reply({ text: ['半', '句', '话'], dripMs: 100 }, { text: 'Free.' });
  const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: '说' }] }] });
  const reader = stream.getReader();
  for (let next = await reader.read(); next.value?.type !== 'text-delta'; next = await reader.read());
  await reader.cancel();
  expect(await log()).toEqual(['user: 说', 'assistant: 半 … !ABORTED']);
  await expect(bench.server.requests[0]?.outcome).resolves.toBe('closed');
  await generateText({ model, prompt: 'Free?' });
  expect((await log()).at(-1)).toBe('assistant: Free.');
});

it('a stream that nobody reads holds its session no longer than the model speaks', async () => {
  const model = bench.model('openai');
  bench.server.reply({ text: ['Nobody ', 'reads ', 'this.'] }, { text: 'Free.' });
  await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Speak.' }] }] });
  await until(async () => (await log()).length === 2);
  expect((await generateText({ model, prompt: 'Free?' })).text).toBe('Free.');
  expect(await log()).toEqual(['user: Speak.', 'assistant: Nobody reads this.', 'user: Free?', 'assistant: Free.']);
});

it.each([
  ['finish', {}, 'assistant: 完了。'],
  ['error', { errorAfter: 2 }, 'assistant: 完了。 … !MODEL_FAILED'],
])('the log is complete before the %s of a stream is passed on, however slow the store', async (type, fault, last) => {
  const { sessions } = bench.palimpsest;
  const append = sessions.append.bind(sessions);
  sessions.append = async (...call) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return append(...call);
  };
  bench.server.reply({ text: ['完', '了。'], ...fault });
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: '说' }] }];
  const { stream } = await bench.model('openai').doStream({ prompt });
  const seen: (string | undefined)[] = [];
  for await (const part of stream) if (part.type === type) seen.push((await log()).at(-1));
  expect(seen).toEqual([last]);
});

describe('an answer that cannot be stored', () => {
  it('is told of in its place, and the question stays open', async () => {
    const model = bench.model('openai');
    bench.server.reply({ text: 'x'.repeat(9 * 1024 * 1024) }, { text: '短。' });
    const failure = await generateText({ model, prompt: '讲' }).catch((error: unknown) => error);
    expect(isPalimpsestError(failure, 'EVENT_TOO_LARGE')).toBe(true);
    await generateText({ model, prompt: '讲' });
    expect(await log()).toEqual(['user: 讲', 'assistant: … !EVENT_TOO_LARGE', 'assistant: 短。']);
  });

  /** Stands for a file that is full: whatever an agent says is refused. */
  async function refuseAnswers(palimpsest: Palimpsest, work: () => Promise<void>): Promise<void> {
    const append = palimpsest.sessions.append.bind(palimpsest.sessions);
    palimpsest.sessions.append = (key, events, options) =>
      events.some(({ author }) => author === 'assistant')
        ? Promise.reject(new Refused())
        : append(key, events, options);
    await work().finally(() => {
      palimpsest.sessions.append = append;
    });
  }
  class Refused extends Error {
    override readonly message = 'the disk is full';
  }

  it('fails the call that it was made for, and frees the session', async () => {
    const model = bench.model('openai');
    bench.server.reply({ text: 'Lost?' }, { text: ['Lost', ' too?'] }, { text: 'Kept.' });
    await refuseAnswers(bench.palimpsest, async () => {
      await expect(generateText({ model, prompt: 'Hello?' })).rejects.toThrow('the disk is full');
      const { errors } = await readAll(streamText({ model, prompt: 'Hello?', ...quiet }).fullStream);
      expect(errors.map(String)).toEqual([expect.stringContaining('the disk is full')]);
    });
    await generateText({ model, prompt: 'Hello?' });
    expect(await log()).toEqual(['user: Hello?', 'assistant: Kept.']);
  });
});

it('a session that is lost while the model speaks fails the call', async () => {
  const model = bench.model('openai');
  bench.server.reply(() => {
    void bench.palimpsest
      .user('u1')
      .session('s1')
      .then((session) => session.delete());
    return { text: ['Too', ' late.'], dripMs: 100 };
  });
  const failure = await generateText({ model, prompt: 'Hello?' }).catch((error: unknown) => error);
  expect(isPalimpsestError(failure)).toBe(true);
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
