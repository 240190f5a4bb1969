import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Content, modelText, text } from '../../src/events/index.ts';
import { type CacheDirections, type CacheMark, languageModel, type ModelSettings } from '../../src/models/index.ts';
import { outcomeOf, requestOf } from '../models/provider-models.ts';
import { startWireServer, type WireName, type WireServer } from '../wire-server/index.ts';
import { cachedModelAt } from './cached-models.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterEach(() => server.clear());
afterAll(() => server.close());

const call = { functionCall: { id: 'c1', name: 'weather', args: { 城市: '杭州' } } };
const answer = { functionResponse: { id: 'c1', name: 'weather', response: { sky: '晴' } } };
const contents: readonly Content[] = [
  { role: 'user', parts: [{ text: '杭州的天气？' }, { text: '还有罗马 🌍' }] },
  { role: 'model', parts: [{ text: '看看。' }, call] },
  { role: 'user', parts: [answer] },
  modelText('晴。'),
  text('谢谢'),
];
const tools = ['clock', 'weather'].map((name) => ({ name, description: name }));

async function send(wire: WireName, cache: CacheDirections, settings: ModelSettings = {}) {
  server.reply({ text: '好' });
  const model = languageModel(cachedModelAt(server.baseUrl(wire), wire));
  const { error } = await outcomeOf(model, { request: requestOf(contents, tools), cache, settings });
  expect(error).toBeUndefined();
  return server.requests.at(-1) ?? expect.unreachable('nothing was sent');
}

/** Paths of everything in a body that is marked. */
function markedIn(value: unknown, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const here = 'cache_control' in value && value.cache_control !== undefined ? [path] : [];
  return [...here, ...Object.entries(value).flatMap(([name, field]) => markedIn(field, `${path}/${name}`))];
}

const mark = (content: number, part: number): CacheMark => ({ at: 'content', content, part, ttlSeconds: 300 });

describe('directions for a cache, as they come over the wire', () => {
  it.each<[string, CacheMark, string]>([
    ['the last tool', { at: 'tools', ttlSeconds: 300 }, '/tools/1'],
    ['the last text of the instruction', { at: 'instruction', ttlSeconds: 300 }, '/system/1'],
    ['a text', mark(0, 1), '/messages/0/content/1'],
    ['a call', mark(1, 1), '/messages/1/content/1'],
    ['a response', mark(2, 0), '/messages/2/content/0'],
    ['the end', mark(4, 0), '/messages/4/content/0'],
  ])('mark %s for Anthropic, there and nowhere else', async (_, place, path) => {
    expect(markedIn((await send('anthropic', { breakpoints: [place] })).body)).toEqual([path]);
  });

  it('mark no more than four places', async () => {
    const breakpoints = [mark(0, 0), mark(0, 1), mark(1, 0), mark(1, 1), mark(2, 0), mark(3, 0)];
    expect(markedIn((await send('anthropic', { breakpoints })).body)).toHaveLength(4);
  });

  it('change nothing but the marks', async () => {
    const plain = await send('anthropic', {});
    const marked = await send('anthropic', { breakpoints: [{ at: 'tools', ttlSeconds: 3600 }, mark(2, 0)] });
    expect(marked.bodyText.replaceAll(/,"cache_control":\{[^}]*\}/g, '')).toBe(plain.bodyText);
  });

  it('are not told to those who do not take them', async () => {
    const all = { breakpoints: [mark(0, 1)], cacheKey: 'k1', cachedContent: { name: 'cachedContents/1', contents: 2 } };
    const { bodyText: anthropic } = await send('anthropic', all);
    expect(anthropic).not.toMatch(/k1|cachedContents/);
    const { bodyText: openai, body } = await send('openai', all);
    expect(openai).not.toMatch(/cache_control|cachedContents/);
    expect(body.prompt_cache_key).toBe('k1');
    const { bodyText: gemini } = await send('gemini', { breakpoints: all.breakpoints, cacheKey: 'k1' });
    expect(gemini).not.toMatch(/cache_control|k1/);
  });

  it('name an object for Gemini, and leave out what that holds', async () => {
    const { bodyText } = await send('gemini', { cachedContent: { name: 'cachedContents/1', contents: 4 } });
    const { contents: sent, ...rest } = JSON.parse(bodyText);
    expect(sent).toEqual([{ role: 'user', parts: [{ text: '谢谢' }] }]);
    expect(rest).toEqual({ cachedContent: 'cachedContents/1', generationConfig: {} });
  });

  it.each<[string, number, ModelSettings]>([
    ['it would hold all of them', 5, {}],
    ['a tool is chosen', 4, { toolChoice: 'none' }],
    ['the caller names another', 4, { providerOptions: { google: { cachedContent: 'cachedContents/mine' } } }],
  ])('leave the contents where %s', async (_, held, settings) => {
    const { body, bodyText } = await send(
      'gemini',
      { cachedContent: { name: 'cachedContents/1', contents: held } },
      settings,
    );
    expect(body.contents).toHaveLength(5);
    expect(bodyText).not.toContain('cachedContents/1');
  });
});
