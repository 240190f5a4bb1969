import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Palimpsest } from '../../src/index.ts';
import { openQuiet, runToEnd } from '../agents/run-to-end.ts';
import { startWireServer, type WireServer } from '../wire-server/index.ts';
import { cachedAgent, cachedModelAt, remember, talk } from './cached-models.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterEach(() => server.clear());
afterAll(() => server.close());

const modelOf = (name?: string) => cachedModelAt(server.baseUrl('openai'), 'openai', name);

async function keyOf(
  palimpsest: Palimpsest,
  options: { readonly name?: string; readonly sessionId?: string; readonly model?: string },
) {
  const { name, sessionId = 's1', model } = options;
  server.clear();
  server.answerBy(() => ({ text: '好的 👌' }));
  const agent = cachedAgent(palimpsest, modelOf(model), name === undefined ? {} : { name });
  expect((await runToEnd(agent, { message: '你好', sessionId })).failure).toBeUndefined();
  return server.requests.at(-1)?.body.prompt_cache_key;
}

describe('requests to an OpenAI model, as they come over the wire', () => {
  it('have one key for a session and an agent, whatever happens in it', async () => {
    const palimpsest = await openQuiet();
    await remember(palimpsest);
    const requests = (await talk(server, cachedAgent(palimpsest, modelOf()))).flat();
    const [key, ...others] = new Set(requests.map(({ body }) => body.prompt_cache_key));
    expect(key).toMatch(/^[0-9a-f]{40}$/);
    expect(others).toEqual([]);
    for (const { bodyText } of requests) expect(bodyText).not.toMatch(/promptCacheKey|cache_control|cachedContent/);
    expect(await keyOf(palimpsest, {})).toBe(key);
    const another = [await keyOf(palimpsest, { name: '助手' }), await keyOf(palimpsest, { sessionId: 's2' })];
    expect(new Set([key, ...another]).size).toBe(3);
    await palimpsest.close();
  });

  it('have none with cache: off, for a model that nothing is known of, or where the caller has one', async () => {
    const off = await openQuiet({ cache: 'off' });
    expect(await keyOf(off, {})).toBeUndefined();
    await off.close();
    const palimpsest = await openQuiet();
    expect(await keyOf(palimpsest, { model: 'local-model' })).toBeUndefined();
    const settings = { providerOptions: { openai: { prompt_cache_key: 'mine' } } };
    const [[request] = []] = await talk(server, cachedAgent(palimpsest, modelOf(), { settings }), [0]);
    expect(request?.body.prompt_cache_key).toBe('mine');
    await palimpsest.close();
  });

  it('have one where a row of the application says that the model takes it', async () => {
    const row = { provider: 'openai', model: 'local-*', takesKey: true, source: '自己', date: '2026-11-30' } as const;
    const palimpsest = await openQuiet({ cache: { rules: [row] } });
    expect(await keyOf(palimpsest, { model: 'local-model' })).toMatch(/^[0-9a-f]{40}$/);
    await palimpsest.close();
  });
});
