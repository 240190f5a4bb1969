import { describe, expect, it } from 'vitest';
import { isServedByOpenAi } from './openai-endpoint.ts';

/** As models of `@ai-sdk/openai` keep where they ask. */
function modelAt(baseUrl: string, provider = 'openai.responses') {
  return { provider, modelId: 'gpt-5.6', config: { url: ({ path }: { path: string }) => `${baseUrl}${path}` } };
}

describe('isServedByOpenAi', () => {
  it.each(['https://api.openai.com/v1', 'https://eu.api.openai.com/v1'])('is true at %s', (baseUrl) => {
    expect(isServedByOpenAi(modelAt(baseUrl))).toBe(true);
    expect(isServedByOpenAi(modelAt(baseUrl, 'openai.chat'))).toBe(true);
  });

  it.each([
    ['a server of somebody else', modelAt('http://127.0.0.1:8000/v1')],
    ['a name that only looks like it', modelAt('https://api.openai.com.example.cn/v1')],
    ['another name that only looks like it', modelAt('https://my-api.openai.com/v1')],
    ['an address that is none', modelAt('网关')],
    ['a provider that was given another name', modelAt('https://api.openai.com/v1', '自己.chat')],
    ['another package', modelAt('https://api.openai.com/v1', 'azure.responses')],
    ['a model that does not say where it asks', { provider: 'openai.chat', modelId: 'm' }],
    ['a field of another kind', { provider: 'openai.chat', modelId: 'm', config: 'https://api.openai.com/v1' }],
    ['an address that is no text', { provider: 'openai.chat', modelId: 'm', config: { url: () => 5 } }],
    [
      'a function that is called otherwise',
      { provider: 'openai.chat', modelId: 'm', config: { url: (a: never, b: { c: string }) => `${a}${b.c}` } },
    ],
  ])('is false for %s', (_, model) => {
    expect(isServedByOpenAi(model)).toBe(false);
  });
});
