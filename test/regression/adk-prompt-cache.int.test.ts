import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AgentOptions,
  type Block,
  geminiPromptCacheClient,
  isPalimpsestError,
  type Palimpsest,
  text,
  tool,
} from '../../src/index.ts';
import { openQuiet, place, runToEnd } from '../agents/run-to-end.ts';
import { type CachedContentsServer, startCachedContentsServer } from '../prompt-cache/cached-contents-server.ts';
import { cachedModelAt, longInstruction } from '../prompt-cache/cached-models.ts';
import { startWireServer, type WireServer } from '../wire-server/index.ts';

let wires: WireServer;
let server: CachedContentsServer;
beforeAll(async () => {
  wires = await startWireServer();
});
beforeEach(async () => {
  server = await startCachedContentsServer(wires);
  wires.clear();
  wires.answerBy(() => ({ text: '杭州二十度，多云。' }));
});
afterEach(() => server.close());
afterAll(() => wires.close());

const weather = tool({
  name: 'weather',
  description: '天气',
  parameters: z.object({ city: z.string() }),
  run: () => '晴',
});
const clock = tool({ name: 'clock', description: '现在几点', run: () => '12:00' });

const openHolding = (): Promise<Palimpsest> => {
  const client = geminiPromptCacheClient({ apiKey: 'key-1', baseUrl: server.baseUrl });
  return openQuiet({ cache: { client }, compaction: 'off', ingest: 'never' });
};

type Asked = Partial<Omit<AgentOptions, 'name' | 'model'>> & { readonly model?: string };

/** Asks an agent that is made anew for the question, as in an application that makes one for each request. */
async function ask(palimpsest: Palimpsest, message: string, { model: name, ...options }: Asked = {}): Promise<void> {
  const model = cachedModelAt(server.baseUrl, 'gemini', name);
  const tools = [weather, clock];
  const agent = palimpsest.agent({
    name: 'assistant',
    model,
    instruction: longInstruction,
    tools,
    retry: false,
    ...options,
  });
  const { failure } = await runToEnd(agent, { message });
  if (failure !== undefined) throw failure;
}

const made = () => server.calls.filter(({ method }) => method === 'POST');
const held = () => server.generated.map(({ cachedContent }) => cachedContent);

describe('what changes from turn to turn', () => {
  it('E1: does not keep the instruction beside it from being held, which is used from the second turn on', async () => {
    const palimpsest = await openHolding();
    const locale = (name: string): Asked => ({
      documents: (): Block[] => [{ kind: 'state', stable: false, content: text(`用户的语言：${name}`) }],
    });
    for (const [at, name] of ['zh-CN', 'en-GB', 'ja-JP'].entries()) await ask(palimpsest, `第 ${at} 问`, locale(name));
    expect(held()).toEqual([undefined, 'cachedContents/object-1', 'cachedContents/object-1']);
    expect(made()).toHaveLength(1);
    expect(JSON.stringify(made()[0]?.body)).toContain('第0条：回答要简短');
    expect(JSON.stringify(made()[0]?.body)).not.toContain('用户的语言');
    for (const [at, name] of ['zh-CN', 'en-GB', 'ja-JP'].entries())
      expect(JSON.stringify(server.generated[at]?.contents)).toContain(`用户的语言：${name}`);
    await palimpsest.close();
  });

  it('E5: what memory recalls is never held, and does not end what is', async () => {
    const palimpsest = await openHolding();
    const user = palimpsest.user(place.userId);
    for (const [at, fact] of ['猫叫虎子', '狗叫阿黄', '鸟叫小白'].entries()) {
      await user.remember(`用户的${fact}`);
      await ask(palimpsest, `第 ${at} 问：我的${fact.slice(0, 1)}叫什么？`);
      expect(JSON.stringify(server.generated[at])).toContain('recalled_memories');
    }
    expect(held()).toEqual([undefined, 'cachedContents/object-1', 'cachedContents/object-1']);
    expect(JSON.stringify(made())).not.toContain('recalled_memories');
    await palimpsest.close();
  });
});

describe('what is held', () => {
  it('E2, E4: may be instruction and tools alone, and leaves the request at least one content', async () => {
    const palimpsest = await openHolding();
    for (const message of ['一', '二', '三']) await ask(palimpsest, message, { history: 'invocation' });
    expect(made().map(({ status, body }) => [status, body.contents ?? []])).toEqual([[200, []]]);
    expect(held()).toEqual([undefined, 'cachedContents/object-1', 'cachedContents/object-1']);
    for (const [at, message] of ['一', '二', '三'].entries())
      expect(server.generated[at]?.contents).toEqual([{ role: 'user', parts: [{ text: message }] }]);
    await palimpsest.close();
  });

  it('E3: has to be long enough itself, however long the question behind it is', async () => {
    const palimpsest = await openHolding();
    for (let turn = 0; turn < 3; turn++)
      await ask(palimpsest, '很长的问题，'.repeat(9000), { instruction: '回答要短。', history: 'invocation' });
    expect(server.calls).toEqual([]);
    expect(held()).toEqual([undefined, undefined, undefined]);
    await palimpsest.close();
  });

  it('E8: is the same whatever the order of tools, and of what describes them', async () => {
    const palimpsest = await openHolding();
    const other = (names: readonly string[]) =>
      tool({
        name: 'look',
        description: '查一查',
        parameters: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
        run: () => '有',
      });
    await ask(palimpsest, '一', { tools: [weather, clock, other(['a', 'b'])] });
    await ask(palimpsest, '二', { tools: [other(['b', 'a']), clock, weather] });
    await ask(palimpsest, '三', { tools: [clock, other(['a', 'b']), weather] });
    expect(held()).toEqual([undefined, 'cachedContents/object-1', 'cachedContents/object-1']);
    expect(made()).toHaveLength(1);
    await palimpsest.close();
  });

  it('E9: belongs to its model: a request to another one does without, and lets go of it', async () => {
    const palimpsest = await openHolding();
    await ask(palimpsest, '一');
    await ask(palimpsest, '二');
    expect(server.names).toEqual(['cachedContents/object-1']);
    await ask(palimpsest, '三', { model: 'gemini-2.5-pro' });
    await palimpsest.settled();
    expect(held()[2]).not.toBe('cachedContents/object-1');
    expect(server.names).not.toContain('cachedContents/object-1');
    const models = made().map(({ body }) => body.model);
    expect(models[0]).toBe('models/gemini-2.5-flash');
    expect(models.slice(1).every((model) => model === 'models/gemini-2.5-pro')).toBe(true);
    await palimpsest.close();
  });
});

describe('what is set', () => {
  it('E6: is done, or refused by name: nothing is taken and left undone', async () => {
    await expect(openQuiet({ cache: { intervals: 10 } as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { argument: 'cache.intervals' },
    });
    const refused = await openQuiet({ cache: { client: {} } as never }).catch((error: unknown) => error);
    expect(isPalimpsestError(refused, 'INVALID_ARGUMENT')).toBe(true);
    const palimpsest = await openHolding();
    for (const message of ['一', '二']) await ask(palimpsest, message);
    expect(made()).toHaveLength(1);
    await palimpsest.close();
  });
});
