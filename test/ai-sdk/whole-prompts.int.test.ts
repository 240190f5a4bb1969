import { convertToModelMessages, generateText, type ModelMessage, stepCountIs, type UIMessage } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toUiMessages } from '../../src/edges/integrations/ai-sdk/index.ts';
import { type Bench, inShort, openBench, sentMessages, wireNames } from './wired-models.ts';
import { weather } from './wired-tools.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

async function log(): Promise<readonly string[]> {
  return (await bench.events()).map(inShort);
}

const user = (content: string): ModelMessage => ({ role: 'user', content });

describe.each(wireNames)('a whole conversation, over the %s wire', (wire) => {
  const loop = { calls: [{ id: 'c1', name: 'weather', args: { city: '上海' } }] };

  async function ask(messages: ModelMessage[], providerOptions = {}): Promise<void> {
    const model = bench.model(wire, { prompt: 'whole' });
    await generateText({ model, messages, providerOptions, tools: { weather }, stopWhen: stepCountIs(4) });
  }

  /** The messages as useChat has them after what was said so far. */
  async function shown(): Promise<ModelMessage[]> {
    const messages: readonly UIMessage[] = toUiMessages(await bench.events());
    return convertToModelMessages([...messages]);
  }

  it('may be asked for its first answer again, and be edited at its first message', async () => {
    bench.server.reply(loop, { text: '21 度。' }, { text: '晴。' }, loop, { text: '二十一度。' }, { text: 'Hello.' });
    await ask([user('上海天气？')]);
    await ask([...(await shown()), user('明天呢？')]);
    expect(await log()).toHaveLength(6);
    await ask([user('上海天气？')]);
    expect(await log()).toEqual([
      'user: 上海天气？',
      'assistant: weather({"city":"上海"})',
      'tool: weather → {"city":"上海","celsius":21}',
      'assistant: 二十一度。',
    ]);
    await ask([user('Hi')]);
    expect(await log()).toEqual(['user: Hi', 'assistant: Hello.']);
    expect(sentMessages(bench.server.requests.at(-1) ?? ({} as never))).toHaveLength(1);
  });

  it('that comes back as it was shown hides nothing, tool loops and retries included', async () => {
    bench.server.reply(loop, { text: '21 度。' }, { status: 500 }, { text: '好。' }, { text: '再见。' });
    await ask([user('上海天气？')]);
    await ask([...(await shown()), user('谢谢')]);
    await ask([...(await shown()), user('再见')]);
    const { items } = await (await bench.palimpsest.user('u1').session('s1')).read({ limit: 1000 });
    expect(items.filter(({ actions }) => actions.rewind)).toEqual([]);
    expect((await log()).filter((line) => line.startsWith('user'))).toEqual([
      'user: 上海天气？',
      'user: 谢谢',
      'user: 再见',
    ]);
  });

  it('can be told of one call alone', async () => {
    bench.server.reply({ text: 'One.' }, { text: 'Two.' });
    await ask([user('hi')]);
    await ask([user('hi')], { palimpsest: { prompt: 'tail' } });
    expect(await log()).toEqual(['user: hi', 'assistant: One.', 'user: hi', 'assistant: Two.']);
  });
});
