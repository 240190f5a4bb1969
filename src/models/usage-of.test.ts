import { describe, expect, it } from 'vitest';
import { usageOf } from './usage-of.ts';

/** What packages make of a call that read and wrote nothing that they know of. */
const plain = {
  inputTokens: { total: 3000, noCache: 1976, cacheRead: 1024, cacheWrite: undefined },
  outputTokens: { total: 40, text: 30, reasoning: 10 },
};
const counts = {
  inputTokens: 3000,
  outputTokens: 40,
  cacheReadTokens: 1024,
  reasoningTokens: 10,
  totalTokens: 3040,
};

describe('usageOf', () => {
  it.each([
    ['chat completions', { prompt_tokens_details: { cached_tokens: 1024, cache_write_tokens: 1900 } }, {}],
    [
      'responses',
      {
        input_tokens_details: {
          cache_write_tokens: 1900,
          cache_write_tokens_details: { ttl_30m_tokens: 900, ttl_12h_tokens: 1000 },
        },
      },
      { cacheWriteLongTokens: 1000 },
    ],
  ])('reads what was written from the record of %s, where the package does not tell', (_name, raw, more) => {
    expect(usageOf({ ...plain, raw })).toEqual({ ...counts, cacheWriteTokens: 1900, ...more, raw });
    const told = { ...plain, inputTokens: { ...plain.inputTokens, cacheWrite: 1800 } };
    expect(usageOf({ ...told, raw })).toEqual({ ...counts, cacheWriteTokens: 1800, ...more, raw });
  });

  it('reads what Anthropic keeps for an hour, also of a record that is too long to be kept', () => {
    const cache_creation = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 400 };
    const told = { ...plain, inputTokens: { ...plain.inputTokens, cacheWrite: 500 } };
    const expected = { ...counts, cacheWriteTokens: 500, cacheWriteLongTokens: 400 };
    expect(usageOf({ ...told, raw: { cache_creation } })).toEqual({ ...expected, raw: { cache_creation } });
    expect(usageOf({ ...told, raw: { cache_creation, 备注: '长'.repeat(9000) } })).toEqual(expected);
  });

  it.each([
    ['no record', undefined],
    ['a record of a model that writes nothing', { prompt_tokens_details: { cached_tokens: 1024 } }],
    ['figures that are no counts', { prompt_tokens_details: { cache_write_tokens: '1900' }, cache_creation: 5 }],
    ['a list', []],
  ])('tells no writes of %s', (_name, raw) => {
    expect(usageOf({ ...plain, raw })).not.toHaveProperty('cacheWriteTokens');
    expect(usageOf({ ...plain, raw })).not.toHaveProperty('cacheWriteLongTokens');
  });
});
