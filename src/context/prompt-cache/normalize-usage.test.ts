import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longWriteTokensOf, normalizeUsage, type UsageConvention } from './normalize-usage.ts';

const count = fc.nat(2_000_000);

describe('normalizeUsage', () => {
  it('adds what an Anthropic model read and wrote to its input', () => {
    const raw = { input_tokens: 7, cache_read_input_tokens: 1000, cache_creation_input_tokens: 200, output_tokens: 30 };
    expect(normalizeUsage(raw, 'anthropic')).toEqual({
      inputTokens: 1207,
      outputTokens: 30,
      cacheReadTokens: 1000,
      cacheWriteTokens: 200,
      totalTokens: 1237,
    });
  });

  it('reads chat completions and responses of OpenAI alike, cached tokens included', () => {
    const same = {
      inputTokens: 2006,
      outputTokens: 300,
      cacheReadTokens: 1920,
      reasoningTokens: 64,
      totalTokens: 2306,
    };
    const chat = {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 64 },
    };
    const response = {
      input_tokens: 2006,
      output_tokens: 300,
      input_tokens_details: { cached_tokens: 1920 },
      output_tokens_details: { reasoning_tokens: 64 },
    };
    expect(normalizeUsage(chat, 'openai')).toEqual(same);
    expect(normalizeUsage(response, 'openai')).toEqual(same);
    expect(normalizeUsage(response, 'openaiWithWrites')).toEqual(same);
  });

  it('counts what OpenAI wrote as a part of the input, from 5.6 on', () => {
    const raw = {
      input_tokens: 3000,
      input_tokens_details: { cached_tokens: 1024, cache_write_tokens: 1900 },
      output_tokens: 1,
    };
    expect(normalizeUsage(raw, 'openaiWithWrites')).toMatchObject({ inputTokens: 3000, cacheWriteTokens: 1900 });
    expect(normalizeUsage(raw, 'openai')).not.toHaveProperty('cacheWriteTokens');
  });

  it('tells what is kept longer, as a part of what was written', () => {
    const hour = {
      input_tokens: 1,
      cache_creation_input_tokens: 500,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 300 },
    };
    const byTime = { ttl_30m_tokens: 100, ttl_12h_tokens: 400 };
    const halfDay = {
      input_tokens: 600,
      input_tokens_details: { cache_write_tokens: 500, cache_write_tokens_details: byTime },
    };
    const written = { cacheWriteTokens: 500 };
    expect(normalizeUsage(hour, 'anthropic')).toMatchObject({ ...written, cacheWriteLongTokens: 300 });
    expect(normalizeUsage(halfDay, 'openaiWithWrites')).toMatchObject({ ...written, cacheWriteLongTokens: 400 });
    expect(normalizeUsage(halfDay, 'openai')).not.toHaveProperty('cacheWriteLongTokens');
  });

  it("takes Gemini's thoughts for output, and what its own tools gave for input", () => {
    const raw = {
      promptTokenCount: 5000,
      cachedContentTokenCount: 4096,
      toolUsePromptTokenCount: 40,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 80,
      totalTokenCount: 5140,
    };
    expect(normalizeUsage(raw, 'gemini')).toEqual({
      inputTokens: 5040,
      outputTokens: 100,
      cacheReadTokens: 4096,
      reasoningTokens: 80,
      totalTokens: 5140,
    });
  });

  it.each([undefined, null, 'x', 3, [], {}, { input_tokens: '7' }, { promptTokenCount: -1 }, { input_tokens: 0.5 }])(
    'tells nothing of %j',
    (raw) => {
      for (const convention of ['anthropic', 'openai', 'openaiWithWrites', 'gemini'] as const)
        expect(normalizeUsage(raw, convention)).toBeUndefined();
    },
  );

  it('has parts that are never more than the whole, whatever a record says', () => {
    const name = fc.constantFrom(
      'input_tokens',
      'prompt_tokens',
      'output_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
      'promptTokenCount',
      'cachedContentTokenCount',
      'candidatesTokenCount',
      'thoughtsTokenCount',
    );
    const details = fc.dictionary(fc.constantFrom('cached_tokens', 'cache_write_tokens', 'reasoning_tokens'), count);
    const raw = fc
      .tuple(fc.dictionary(name, fc.oneof(count, fc.anything())), details, details)
      .map(([figures, input, output]) => ({ ...figures, input_tokens_details: input, output_tokens_details: output }))
      .chain((record) => count.map((long) => ({ ...record, cache_creation: { ephemeral_1h_input_tokens: long } })));
    const convention = fc.constantFrom<UsageConvention>('anthropic', 'openai', 'openaiWithWrites', 'gemini');
    fc.assert(
      fc.property(raw, convention, (record, how) => {
        const usage = normalizeUsage(record, how) ?? {};
        const {
          inputTokens = 0,
          outputTokens = 0,
          cacheReadTokens = 0,
          cacheWriteTokens = 0,
          cacheWriteLongTokens = 0,
          reasoningTokens = 0,
        } = usage;
        expect(cacheWriteLongTokens).toBeLessThanOrEqual(cacheWriteTokens);
        expect(cacheReadTokens + cacheWriteTokens).toBeLessThanOrEqual(inputTokens);
        expect(reasoningTokens).toBeLessThanOrEqual(outputTokens);
      }),
    );
  });
});

describe('longWriteTokensOf', () => {
  it('reads what is kept for an hour or for twelve, and nothing elsewhere', () => {
    const raw = { cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 90 } };
    expect(longWriteTokensOf(raw)).toBe(90);
    const details = { cache_write_tokens_details: { ttl_12h_tokens: 80 } };
    expect(longWriteTokensOf({ input_tokens_details: details })).toBe(80);
    expect([longWriteTokensOf({}), longWriteTokensOf(undefined), longWriteTokensOf({ cache_creation: 5 })]).toEqual([
      0, 0, 0,
    ]);
  });
});
