import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import type { LanguageModel } from './language-model.ts';
import { retryLimits } from './retry-limits.ts';
import { withRetries } from './with-retries.ts';

const model: LanguageModel = {
  name: '模型',
  vendor: 'hand-made',
  provider: 'openai',
  call: () => {
    throw new PalimpsestError('CLOSED', { what: 'The model' });
  },
};

describe('the options of retries', () => {
  it('have defaults, also for what is given as undefined', () => {
    const defaults = { retries: 2, firstDelayMs: 500, longestDelayMs: 30_000, deadlineMs: 300_000, idleMs: 120_000 };
    expect(retryLimits(model, {})).toEqual(defaults);
    expect(retryLimits(model, { ...{ retries: undefined, fallback: undefined }, firstDelayMs: 0 } as object)).toEqual({
      ...defaults,
      firstDelayMs: 0,
    });
  });

  it.each([
    ['retries', -1],
    ['retries', 1.5],
    ['retries', Number.NaN],
    ['firstDelayMs', -1],
    ['longestDelayMs', Number.NaN],
    ['longestDelayMs', Number.POSITIVE_INFINITY],
    ['deadlineMs', 0],
    ['deadlineMs', 2 ** 31],
    ['deadlineMs', '1000'],
    ['idleMs', 0],
    ['idleMs', Number.NaN],
  ])('are refused: %s %s', (field, value) => {
    const details: unknown = expect.objectContaining({ argument: `retry.${field}` });
    expect(() => withRetries(model, { [field]: value })).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', details }),
    );
  });

  it('refuse a fallback that is no LanguageModel', () => {
    const fallback = { modelId: 'm', provider: 'openai' } as Partial<LanguageModel> as LanguageModel;
    expect(() => retryLimits(model, { fallback })).toThrowError(/^retry\.fallback .*languageModel\(\)/);
  });

  it('refuse a fallback that requests are not built for', () => {
    const fallback: LanguageModel = { ...model, provider: 'gemini' };
    expect(() => retryLimits(model, { fallback })).toThrowError(/^retry\.fallback .*gemini.*openai/);
  });
});
