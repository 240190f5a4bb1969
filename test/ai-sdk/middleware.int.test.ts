import { generateText, type ModelMessage, stepCountIs, streamText } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryTools } from '../../src/edges/integrations/ai-sdk/index.ts';
import { functionResponses } from '../../src/index.ts';
import type { RecordedRequest } from '../wire-server/index.ts';
import { type Bench, inShort, openBench, sentMessages, wireNames } from './wired-models.ts';
import { weather } from './wired-tools.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

async function log(sessionId?: string): Promise<readonly string[]> {
  return (await bench.events(sessionId)).map(inShort);
}

describe.each(wireNames)('over the %s wire', (wire) => {
  it.each(['generateText', 'streamText'] as const)('%s: a tool loop is in the log once', async (how) => {
    bench.server.reply(
      { calls: [{ id: 'c1', name: 'weather', args: { city: '上海' } }] },
      { text: ['上海现在', '21 度。'] },
    );
    const call = {
      model: bench.model(wire),
      system: 'Answer briefly.',
      prompt: '上海天气怎么样？',
      tools: { weather },
      stopWhen: stepCountIs(5),
    };
    const text = how === 'generateText' ? (await generateText(call)).text : await streamText(call).text;
    expect(text).toBe('上海现在21 度。');
    expect(await log()).toEqual([
      'user: 上海天气怎么样？',
      'assistant: weather({"city":"上海"})',
      'tool: weather → {"city":"上海","celsius":21}',
      'assistant: 上海现在21 度。',
    ]);
    const events = await bench.events();
    expect(new Set(events.map(({ invocationId }) => invocationId)).size).toBe(1);
    for (const event of events.filter(({ origin }) => origin === 'agent')) {
      expect(event.usage?.inputTokens).toBeGreaterThan(0);
      expect(event.request?.requestHash).toEqual(expect.any(String));
      expect(event.finishReason).toEqual(expect.any(String));
    }
  });

  it('single messages become a conversation, and the same words said again are said again', async () => {
    const model = bench.model(wire);
    for (const answer of ['First.', 'Second.', 'Third.']) {
      bench.server.reply({ text: answer });
      await generateText({ model, prompt: '继续' });
    }
    expect(await log()).toEqual([
      'user: 继续',
      'assistant: First.',
      'user: 继续',
      'assistant: Second.',
      'user: 继续',
      'assistant: Third.',
    ]);
    const lengths = bench.server.requests.map((request) => sentMessages(request).length);
    expect(lengths).toEqual([1, 3, 5]);
  });

  it('a whole history adds only what is new, also with a tool loop in it', async () => {
    const model = bench.model(wire);
    const messages: ModelMessage[] = [];
    const tools = { weather };
    for (const [question, ...replies] of [
      ['Weather in Paris?', { calls: [{ id: 'c1', name: 'weather', args: { city: 'Paris' } }] }, { text: '21 °C.' }],
      ['谢谢', { text: '不客气。' }],
    ] as const) {
      messages.push({ role: 'user', content: question });
      bench.server.reply(...replies);
      const { response } = await generateText({ model, messages, tools, stopWhen: stepCountIs(3) });
      messages.push(...response.messages);
    }
    expect(await log()).toEqual([
      'user: Weather in Paris?',
      'assistant: weather({"city":"Paris"})',
      'tool: weather → {"city":"Paris","celsius":21}',
      'assistant: 21 °C.',
      'user: 谢谢',
      'assistant: 不客气。',
    ]);
  });

  it('regenerating and editing hide what they replace', async () => {
    const model = bench.model(wire);
    const first: ModelMessage[] = [{ role: 'user', content: 'Name a city.' }];
    bench.server.reply({ text: 'Paris.' }, { text: '有河。' }, { text: '有塔。' }, { text: '有桥。' });
    await generateText({ model, messages: first });
    const known: ModelMessage[] = [...first, { role: 'assistant', content: 'Paris.' }];
    await generateText({ model, messages: [...known, { role: 'user', content: '那里有什么？' }] });
    await generateText({ model, messages: [...known, { role: 'user', content: '那里有什么？' }] });
    expect(await log()).toEqual(['user: Name a city.', 'assistant: Paris.', 'user: 那里有什么？', 'assistant: 有塔。']);
    await generateText({ model, messages: [...known, { role: 'user', content: '还有什么？' }] });
    expect(await log()).toEqual(['user: Name a city.', 'assistant: Paris.', 'user: 还有什么？', 'assistant: 有桥。']);
    const all = await bench.palimpsest.sessions.read({ appName: 'chat', userId: 'u1', sessionId: 's1' });
    expect(all.items.filter(({ actions }) => actions.rewind !== undefined)).toHaveLength(2);
  });

  it('without what is recalled, each request is a byte prefix of the next', async () => {
    const user = bench.palimpsest.user('u1');
    await user.remember('The user prefers Celsius for every temperature.');
    const model = bench.model(wire);
    const tools = { weather };
    bench.server.reply(
      { calls: [{ id: 'c1', name: 'weather', args: { city: 'Oslo' } }] },
      { text: 'Cold.' },
      { thought: 'hm', thoughtSignature: 'c2ln', text: '二十一度。' },
      { text: 'Yes.' },
    );
    const asked = ['Which temperature unit for Oslo?', '温度是多少？', 'Is the temperature fine?'];
    for (const prompt of asked)
      await generateText({ model, prompt, tools, system: 'Be brief.', stopWhen: stepCountIs(3) });
    const bodies = bench.server.requests.map(stableText);
    expect(bodies).toHaveLength(4);
    expect(bench.server.requests[0]?.bodyText).toContain('prefers Celsius');
    for (const [index, body] of bodies.slice(1).entries()) expect(body.startsWith(bodies[index] ?? '?')).toBe(true);
  });
});

/** The messages of a request byte by byte, without the closing bracket and without what was recalled. */
function stableText({ body, bodyText }: RecordedRequest): string {
  const messages = body.messages ?? body.contents;
  expect(bodyText).toContain(JSON.stringify(messages));
  return JSON.stringify(messages, (_key, value: unknown) =>
    Array.isArray(value) ? value.filter((item) => !isRecalled(item)) : value,
  ).slice(0, -1);
}

/** A recalled text, or a message of nothing else. */
function isRecalled(item: unknown): boolean {
  const { text, content, parts } = Object(item);
  if (Array.isArray(parts)) return parts.every(isRecalled);
  return [text, content].some((words) => typeof words === 'string' && words.startsWith('<recalled_memories>'));
}

it.each(wireNames)(
  'a picture reaches the model over the %s wire, small or large, also in the turns after',
  async (wire) => {
    const model = bench.model(wire);
    for (const size of [100, 100_000]) {
      const data = Buffer.alloc(size, 7);
      bench.server.reply({ text: '一只猫。' });
      await generateText({
        model,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: `看图 ${size}` },
              { type: 'file', data, mediaType: 'image/png' },
            ],
          },
        ],
      });
      bench.server.reply({ text: '橘色。' });
      await generateText({ model, prompt: `什么颜色？${size}` });
      for (const { bodyText } of bench.server.requests.slice(-2)) expect(bodyText).toContain(data.toString('base64'));
    }
  },
);

it.each(['generateText', 'streamText'] as const)(
  '%s: tools that answer in any order are in the log once',
  async (how) => {
    const slow = {
      ...weather,
      execute: async ({ city }: { readonly city: string }) => {
        await new Promise((resolve) => setTimeout(resolve, city === '上海' ? 30 : 0));
        return city;
      },
    };
    const model = bench.model('openai');
    const calls = ['上海', '大理', 'Oslo'].map((city, index) => ({ id: `c${index}`, name: 'weather', args: { city } }));
    bench.server.reply({ calls }, { text: '都好。' }, { text: '不客气。' });
    const messages: ModelMessage[] = [{ role: 'user', content: '天气？' }];
    const call = { model, messages, tools: { weather: slow }, stopWhen: stepCountIs(3) };
    const { messages: said } = await (how === 'generateText' ? await generateText(call) : streamText(call)).response;
    const shown = said.map((message) =>
      message.role === 'tool' ? { ...message, content: message.content.toReversed() } : message,
    );
    await generateText({ model, messages: [...messages, ...shown, { role: 'user', content: '谢谢' }] });
    const events = await bench.events();
    expect(events.map(inShort).filter((line) => !line.startsWith('tool'))).toEqual([
      'user: 天气？',
      'assistant: weather({"city":"上海"}) weather({"city":"大理"}) weather({"city":"Oslo"})',
      'assistant: 都好。',
      'user: 谢谢',
      'assistant: 不客气。',
    ]);
    const answered = events.flatMap(({ content }) => functionResponses(content).map(({ id }) => id));
    expect(answered.sort()).toEqual(['c0', 'c1', 'c2']);
  },
);

it('what load_memory told is marked with where it comes from', async () => {
  const other = await bench.palimpsest.user('u1').session('s0');
  await other.append([
    { author: 'user', content: '以后请用摄氏度报告温度' },
    { author: 'assistant', content: '好的。' },
  ]);
  await bench.palimpsest.settled();
  bench.server.reply({ calls: [{ id: 'c1', name: 'load_memory', args: { query: '温度' } }] }, { text: '摄氏度。' });
  const tools = memoryTools(bench.palimpsest, { userId: 'u1' });
  await generateText({ model: bench.model('openai'), prompt: 'Which unit?', tools, stopWhen: stepCountIs(3) });
  const [, , answer] = await bench.events();
  expect(answer?.customMetadata?.memorySources).toContainEqual(
    expect.objectContaining({ kind: 'event', sessionId: 's0', seq: 1 }),
  );
});

it('one wrapped model serves many users: a call names its own, and the provider does not see it', async () => {
  const model = bench.model('openai', ({ providerOptions }) => ({
    userId: String(providerOptions?.app?.user),
    sessionId: 's1',
    agentName: '助手',
  }));
  bench.server.reply({ text: 'One.' }, { text: 'Two.' });
  await generateText({ model, prompt: 'Hi.', providerOptions: { app: { user: 'u1' } } });
  const palimpsest = { userId: '用户二', projectId: 'acme', recall: false };
  await generateText({ model, prompt: '你好。', providerOptions: { app: { user: 'u1' }, palimpsest } });
  expect(await log()).toEqual(['user: Hi.', '助手: One.']);
  const { items } = await bench.palimpsest.user('用户二').project('acme').sessions();
  expect(items.map(({ projectId, version }) => [projectId, version])).toEqual([['acme', 2]]);
  expect(bench.server.requests[1]?.bodyText).not.toContain('palimpsest');
});

it('the options of system messages reach the provider', async () => {
  bench.server.reply({ text: '好。' });
  const cacheControl = { type: 'ephemeral' as const };
  await generateText({
    model: bench.model('anthropic'),
    system: { role: 'system', content: '请简短回答。', providerOptions: { anthropic: { cacheControl } } },
    prompt: '你好',
  });
  expect(bench.server.requests[0]?.body.system).toEqual([
    { type: 'text', text: '请简短回答。', cache_control: cacheControl },
  ]);
});

it('a setting that changes is seen in the journal, and tools are passed on as they came', async () => {
  const model = bench.model('openai');
  const tools = { weather };
  bench.server.reply({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' });
  for (const temperature of [0, 0, 1]) await generateText({ model, prompt: 'Again.', temperature, tools });
  const hashes = (await bench.events()).flatMap(({ request }) => request?.configHash ?? []);
  expect(hashes).toHaveLength(3);
  expect(hashes[1]).toBe(hashes[0]);
  expect(hashes[2]).not.toBe(hashes[0]);
  expect(bench.server.requests[0]?.body.tools).toMatchObject([{ function: { name: 'weather' } }]);
});
