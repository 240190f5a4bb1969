import { describe, expect, it } from 'vitest';
import { text } from '../events/index.ts';
import { type CachingModel, callCaching } from './cache-options.ts';
import type { CacheDirections, CacheMark } from './language-model.ts';

const request = { instruction: ['你好'], tools: [], contents: [text('问')], transient: [] };
const openAi: CachingModel = {
  provider: 'openai',
  vendor: 'openai.responses',
  sendsOptionsAsGiven: false,
  takesMarks: true,
};
const told = (cache: CacheDirections, model: CachingModel) => callCaching({ request, cache }, model);

describe('callCaching', () => {
  it('takes four marks, whatever a package would do with more', () => {
    const breakpoints = Array.from(
      { length: 6 },
      (_, content): CacheMark => ({ at: 'content', content, part: 0, ttlSeconds: 300 }),
    );
    const { prompt } = told(
      { breakpoints },
      { provider: 'anthropic', vendor: 'anthropic.messages', sendsOptionsAsGiven: false, takesMarks: false },
    );
    expect(breakpoints.map((_, content) => prompt.part?.(content, 0) !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('marks for OpenAI itself as many places as there are, but no tools, and without a time', () => {
    const places = Array.from(
      { length: 9 },
      (_, content): CacheMark => ({ at: 'content', content, part: 1, ttlSeconds: 1800 }),
    );
    const breakpoints: CacheMark[] = [
      ...(['tools', 'instruction'] as const).map((at) => ({ at, ttlSeconds: 43_200 })),
      ...places,
    ];
    const { prompt, lastTool } = told({ breakpoints, cacheKey: 'k' }, openAi);
    const mark = { openai: { promptCacheBreakpoint: { mode: 'explicit' } } };
    expect(lastTool).toBeUndefined();
    expect(prompt.instruction).toEqual(mark);
    expect(places.map((_, content) => prompt.part?.(content, 1))).toEqual(places.map(() => mark));
    expect(prompt.part?.(0, 0)).toBeUndefined();
  });

  it.each([
    ['where somebody else is asked', { ...openAi, takesMarks: false }, {}],
    ['beside what the caller says', openAi, { openai: { promptCacheOptions: { mode: 'explicit' } } }],
  ])('marks nothing in the language of OpenAI %s', (_, model, providerOptions) => {
    const cache: CacheDirections = { breakpoints: [{ at: 'instruction', ttlSeconds: 1800 }], cacheKey: 'k' };
    const { prompt, options } = callCaching({ request, cache, settings: { providerOptions } }, model);
    expect(prompt.instruction).toBeUndefined();
    expect(options).toEqual({ openai: { promptCacheKey: 'k' } });
  });

  it.each<[string, boolean, object]>([
    ['openai.responses', false, { openai: { promptCacheKey: 'k' } }],
    ['azure.chat', false, { openai: { promptCacheKey: 'k' } }],
    ['openai.chat', true, { openai: { prompt_cache_key: 'k' } }],
    ['自己.chat', true, { 自己: { prompt_cache_key: 'k' } }],
  ])('names the key as the package of %s takes it (as given: %s)', (vendor, sendsOptionsAsGiven, options) => {
    expect(
      told({ cacheKey: 'k' }, { provider: 'openai', vendor, sendsOptionsAsGiven, takesMarks: false }).options,
    ).toEqual(options);
  });
});
