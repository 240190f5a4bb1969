import { describe, expect, it } from 'vitest';
import { text } from '../events/index.ts';
import { type CachingModel, callCaching } from './cache-options.ts';
import type { CacheDirections, CacheMark } from './language-model.ts';

const request = { instruction: ['你好'], tools: [], contents: [text('问')], transient: [] };
const told = (cache: CacheDirections, model: CachingModel) => callCaching({ request, cache }, model);

describe('callCaching', () => {
  it('takes four marks, whatever a package would do with more', () => {
    const breakpoints = Array.from(
      { length: 6 },
      (_, content): CacheMark => ({ at: 'content', content, part: 0, ttlSeconds: 300 }),
    );
    const { prompt } = told(
      { breakpoints },
      { provider: 'anthropic', vendor: 'anthropic.messages', sendsOptionsAsGiven: false },
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

  it.each<[string, boolean, object]>([
    ['openai.responses', false, { openai: { promptCacheKey: 'k' } }],
    ['azure.chat', false, { openai: { promptCacheKey: 'k' } }],
    ['openai.chat', true, { openai: { prompt_cache_key: 'k' } }],
    ['自己.chat', true, { 自己: { prompt_cache_key: 'k' } }],
  ])('names the key as the package of %s takes it (as given: %s)', (vendor, sendsOptionsAsGiven, options) => {
    expect(told({ cacheKey: 'k' }, { provider: 'openai', vendor, sendsOptionsAsGiven }).options).toEqual(options);
  });
});
