import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../../src/index.ts';
import { geminiPromptCacheClient } from '../../src/models/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { logOf, openQuiet } from '../agents/run-to-end.ts';
import { type RecordedRequest, startWireServer, type WireServer } from '../wire-server/index.ts';
import { type CachedContentsServer, startCachedContentsServer } from './cached-contents-server.ts';
import { cachedAgent, cachedModelAt, longInstruction, remember, talk } from './cached-models.ts';

let wires: WireServer;
let server: CachedContentsServer;
beforeAll(async () => {
  wires = await startWireServer();
});
beforeEach(async () => {
  server = await startCachedContentsServer(wires);
});
afterEach(() => server.close());
afterAll(() => wires.close());

const client = () => geminiPromptCacheClient({ apiKey: 'key-1', baseUrl: server.baseUrl });
const agentOf = (palimpsest: Awaited<ReturnType<typeof openQuiet>>) =>
  cachedAgent(palimpsest, cachedModelAt(server.baseUrl, 'gemini'));

function madeIn(calls: CachedContentsServer['calls'], method = 'POST') {
  return calls.filter((call) => call.method === method);
}

/** What the model reads, call ids and all. */
function readBy({ body }: RecordedRequest): unknown {
  const { contents, systemInstruction } = body;
  return { contents, systemInstruction };
}

describe('prefixes held in the cache of Gemini', () => {
  it('are made in the second invocation, used by the next ones, and deleted at the end', async () => {
    const palimpsest = await openQuiet({ cache: { client: client() } });
    await remember(palimpsest);
    await talk(wires, agentOf(palimpsest), [1]);
    expect(server.calls).toEqual([]);
    await talk(wires, agentOf(palimpsest), [1, 2, 0]);
    const [call, ...others] = server.calls;
    expect(others).toEqual([]);
    expect(call).toMatchObject({ key: 'key-1', status: 200, body: { model: 'models/gemini-2.5-flash', ttl: '1800s' } });
    expect(call?.body.systemInstruction).toEqual({ parts: [{ text: longInstruction }] });
    const [first, ...rest] = server.generated.slice(2);
    for (const body of [first, ...rest]) {
      expect(body).toMatchObject({ cachedContent: 'cachedContents/object-1' });
      expect(body).not.toHaveProperty('systemInstruction');
      expect(body).not.toHaveProperty('tools');
      expect(body?.contents).not.toEqual([]);
    }
    expect(server.names).toHaveLength(1);
    await palimpsest.close();
    expect(server.names).toEqual([]);
    expect(madeIn(server.calls, 'DELETE')).toHaveLength(1);
  });

  it('give the model the conversation that it reads without them', async () => {
    const requests: (readonly unknown[])[] = [];
    for (const cache of ['off', { client: client() }] as const) {
      const palimpsest = await openQuiet({ cache, clock: new ManualClock() });
      await remember(palimpsest);
      requests.push((await talk(wires, agentOf(palimpsest), [1, 2, 1])).flat().map(readBy));
      await palimpsest.close();
    }
    const [whole, held] = requests;
    expect(madeIn(server.calls)).toHaveLength(1);
    expect(withNumberedIds(held)).toEqual(withNumberedIds(whole));
  });

  it('are made anew when they were used often enough, and when their time is over', async () => {
    const clock = new ManualClock(Date.now());
    const palimpsest = await openQuiet({ cache: { client: client(), reuseLimit: 2, ttl: '5m' }, clock });
    await talk(wires, agentOf(palimpsest), [0, 0, 0, 0]);
    expect(madeIn(server.calls).map(({ body }) => [body.ttl, lengthOf(body.contents)])).toEqual([
      ['300s', 2],
      ['300s', 6],
    ]);
    expect(server.names).toEqual(['cachedContents/object-2']);
    clock.advance(290_000);
    await talk(wires, agentOf(palimpsest), [0]);
    await palimpsest.settled();
    expect(server.names).toEqual(['cachedContents/object-3']);
    await palimpsest.close();
  });

  it('are deleted with the session that they quote', async () => {
    const palimpsest = await openQuiet({ cache: { client: client() } });
    await talk(wires, agentOf(palimpsest), [0, 0]);
    expect(server.names).toHaveLength(1);
    await palimpsest.eraseSession({ appName: 'test', userId: 'u1', sessionId: 's1' });
    await expect.poll(() => server.names).toEqual([]);
    await palimpsest.close();
  });

  it('are gone without where making one fails, which is logged and tried again in the next invocation', async () => {
    const told: unknown[] = [];
    const listen = (...words: unknown[]) => void told.push(words);
    const logger = { debug: () => undefined, info: () => undefined, warn: listen, error: listen };
    const palimpsest = await openQuiet({ cache: { client: client() }, logger });
    server.refuse(429);
    await talk(wires, agentOf(palimpsest), [0, 2]);
    expect(server.generated.every((body) => body.cachedContent === undefined)).toBe(true);
    expect(madeIn(server.calls)).toHaveLength(1);
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toContain('现在不行');
    server.refuse(undefined);
    await talk(wires, agentOf(palimpsest), [0]);
    expect(server.generated.at(-1)?.cachedContent).toBe('cachedContents/object-1');
    await palimpsest.close();
  });

  it('are let go of when a request with one fails', async () => {
    const palimpsest = await openQuiet({ cache: { client: client() } });
    await talk(wires, agentOf(palimpsest), [0, 0]);
    server.lose();
    await expect(talk(wires, agentOf(palimpsest), [0])).rejects.toThrow('CachedContent not found');
    await talk(wires, agentOf(palimpsest), [0]);
    expect((await logOf(palimpsest)).at(-1)?.content?.parts).toMatchObject([{ text: expect.stringContaining('答案') }]);
    await palimpsest.close();
  });

  it('are none for a choice among tools, nor without a client', async () => {
    const chosen = await openQuiet({ cache: { client: client() } });
    const model = cachedModelAt(server.baseUrl, 'gemini');
    await talk(wires, cachedAgent(chosen, model, { settings: { toolChoice: 'none' } }), [0, 0, 0]);
    await chosen.close();
    const plain = await openQuiet();
    await talk(wires, agentOf(plain), [0, 0, 0]);
    await plain.close();
    expect(server.calls).toEqual([]);
    for (const body of server.generated) expect(body).not.toHaveProperty('cachedContent');
  });
});

describe('geminiPromptCacheClient', () => {
  const prefix = { model: 'gemini-2.5-flash', instruction: [], tools: [], contents: [], ttlSeconds: 60 };

  it('says what the service says, and takes an object that is gone for deleted', async () => {
    server.refuse(400);
    const failure: unknown = await client()
      .create(prefix)
      .catch((error: unknown) => error);
    expect(isPalimpsestError(failure, 'MODEL_FAILED') && failure.details).toMatchObject({
      model: 'gemini-2.5-flash',
      status: 400,
      reason: expect.stringContaining('现在不行'),
    });
    server.refuse(undefined);
    await expect(client().delete('cachedContents/none')).resolves.toBeUndefined();
    server.refuse(500);
    await expect(client().delete('cachedContents/none')).rejects.toThrow('HTTP 500');
  });

  it('goes through the given fetch, and refuses to be made without a key', async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(String(input));
      return Response.json({ name: 'cachedContents/1', expireTime: '2026-11-30T10:00:00.123456Z' });
    };
    const made = await geminiPromptCacheClient({ apiKey: 'k', fetch }).create(prefix);
    expect(made).toEqual({ name: 'cachedContents/1', expiresAt: '2026-11-30T10:00:00.123Z' });
    expect(asked).toEqual(['https://generativelanguage.googleapis.com/v1beta/cachedContents']);
    const silent = geminiPromptCacheClient({ apiKey: 'k', fetch: async () => new Response('好') });
    await expect(silent.create(prefix)).rejects.toThrow('names no object');
    expect(() => geminiPromptCacheClient({ apiKey: '' })).toThrow('apiKey must be a key of the Gemini API');
    expect(() => geminiPromptCacheClient({ apiKey: 'k', baseUrl: '那里' })).toThrow('baseUrl is no URL');
  });
});

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : -1;
}

/** Ids of calls are made up anew in each log: by the order in which they come. */
function withNumberedIds(value: unknown): unknown {
  const numbers = new Map<unknown, number>();
  return JSON.parse(
    JSON.stringify(value, (name, field) => {
      if (name !== 'id') return field;
      if (!numbers.has(field)) numbers.set(field, numbers.size);
      return numbers.get(field);
    }),
  );
}
