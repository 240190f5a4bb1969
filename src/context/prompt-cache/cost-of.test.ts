import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../events/index.ts';
import { cacheRulesFor } from './cache-rules.ts';
import { addCost, type CostedUsage, costOf, dollarsOf, pricesOf } from './cost-of.ts';
import { longWriteTokensOf, normalizeUsage } from './normalize-usage.ts';

const opus = cacheRulesFor({ provider: 'anthropic', model: 'claude-opus-4-8' });
const zero = { uncached: 0n, read: 0n, written: 0n, output: 0n, total: 0n };
const totalOf = ({ cost = zero }: CostedUsage) => dollarsOf(cost.total);

const tokens = fc.nat(3_000_000);
const usages = fc
  .tuple(tokens, tokens, tokens, tokens)
  .map(([uncached, cacheReadTokens, cacheWriteTokens, outputTokens]): Usage => {
    return {
      inputTokens: uncached + cacheReadTokens + cacheWriteTokens,
      cacheReadTokens,
      cacheWriteTokens,
      outputTokens,
    };
  });

describe('costOf', () => {
  it('prices the four conventions exactly', () => {
    const costs = [
      [
        'anthropic',
        'claude-opus-4-8',
        { input_tokens: 1, cache_read_input_tokens: 3, cache_creation_input_tokens: 7, output_tokens: 11 },
      ],
      ['openai', 'gpt-5.5', { prompt_tokens: 11, prompt_tokens_details: { cached_tokens: 3 }, completion_tokens: 13 }],
      [
        'openai',
        'gpt-5.6',
        { input_tokens: 11, input_tokens_details: { cached_tokens: 3, cache_write_tokens: 7 }, output_tokens: 13 },
      ],
      [
        'gemini',
        'gemini-2.5-flash',
        { promptTokenCount: 11, cachedContentTokenCount: 3, candidatesTokenCount: 6, thoughtsTokenCount: 7 },
      ],
    ] as const;
    const found = costs.map(([provider, model, raw]) => {
      const rules = cacheRulesFor({ provider, model });
      return totalOf(costOf(normalizeUsage(raw, rules.usage) ?? {}, pricesOf(rules)));
    });
    // 1×5 + 3×0.5 + 7×6.25 + 11×25; 8×5 + 3×0.5 + 13×30; 1×2 + 3×0.2 + 7×2.5 + 13×10; 8×0.3 + 3×0.03 + 13×2.5
    expect(found).toEqual(['0.00032525', '0.0004315', '0.0001501', '0.00003499']);
  });

  it('splits what a call took', () => {
    const usage: Usage = { inputTokens: 100, cacheReadTokens: 60, cacheWriteTokens: 30, outputTokens: 5 };
    const { tokens: split, cost } = costOf(usage, pricesOf(opus));
    expect(split).toEqual({ uncached: 10, read: 60, written: 30, output: 5 });
    expect(cost).toEqual({
      uncached: 50_000_000n,
      read: 30_000_000n,
      written: 187_500_000n,
      output: 125_000_000n,
      total: 392_500_000n,
    });
  });

  it('prices what is kept for an hour as such', () => {
    const raw = {
      input_tokens: 0,
      cache_creation_input_tokens: 100,
      cache_creation: { ephemeral_1h_input_tokens: 40 },
    };
    const { cacheWriteLongTokens, ...plain } = normalizeUsage(raw, 'anthropic') ?? {};
    expect(cacheWriteLongTokens).toBe(40);
    // 60×6.25 + 40×10, whether the usage says it or only the record does; else 100×6.25.
    expect(totalOf(costOf({ ...plain, cacheWriteLongTokens: 40 }, pricesOf(opus)))).toBe('0.000775');
    expect(totalOf(costOf(plain, pricesOf(opus), longWriteTokensOf(raw)))).toBe('0.000775');
    expect(totalOf(costOf({ ...plain, cacheWriteLongTokens: 0 }, pricesOf(opus), 40))).toBe('0.000625');
    expect(totalOf(costOf(plain, pricesOf(opus)))).toBe('0.000625');
  });

  it('does not price what is kept for twelve hours: it is dearer, and nobody says by how much', () => {
    const rules = cacheRulesFor({ provider: 'openai', model: 'gpt-5.6' });
    const usage = { inputTokens: 100, cacheWriteTokens: 100, outputTokens: 0 };
    expect(costOf({ ...usage, cacheWriteLongTokens: 1 }, pricesOf(rules))).toEqual({
      tokens: { uncached: 0, read: 0, written: 100, output: 0 },
    });
    expect(totalOf(costOf({ ...usage, cacheWriteLongTokens: 0 }, pricesOf(rules)))).toBe('0.00025');
    const known = cacheRulesFor({ provider: 'openai', model: 'gpt-5.6' }, [
      { provider: 'openai', model: 'gpt-5.6', longWriteFactor: 2, source: '合同', date: '2026-12-01' },
    ]);
    expect(totalOf(costOf({ ...usage, cacheWriteLongTokens: 100 }, pricesOf(known)))).toBe('0.0004');
  });

  it('counts the tokens of a model whose prices are not known', () => {
    const unknown = cacheRulesFor({ provider: 'openai', model: '通义千问' });
    expect(costOf({ inputTokens: 9, outputTokens: 1 }, pricesOf(unknown))).toEqual({
      tokens: { uncached: 9, read: 0, written: 0, output: 1 },
    });
  });

  it('is the same for calls one by one and for their sum', () => {
    const models = fc.constantFrom('claude-opus-4-8', 'claude-sonnet-5-5', 'claude-fable-5', 'claude-haiku-4-5');
    fc.assert(
      fc.property(fc.array(usages, { maxLength: 30 }), models, (calls, model) => {
        const prices = pricesOf(cacheRulesFor({ provider: 'anthropic', model }));
        const sum = calls.map((usage) => costOf(usage, prices).cost ?? zero).reduce(addCost, zero);
        const all = (name: 'inputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'outputTokens') =>
          calls.reduce((total, usage) => total + (usage[name] ?? 0), 0);
        const together = {
          inputTokens: all('inputTokens'),
          cacheReadTokens: all('cacheReadTokens'),
          cacheWriteTokens: all('cacheWriteTokens'),
          outputTokens: all('outputTokens'),
        };
        expect(sum).toEqual(costOf(together, prices).cost);
        expect(sum.total).toBe(sum.uncached + sum.read + sum.written + sum.output);
      }),
    );
  });

  it('takes any figures', () => {
    const figure = fc.oneof(fc.double(), fc.integer(), fc.constant(Number.NaN));
    fc.assert(
      fc.property(
        fc.record({ inputTokens: figure, cacheReadTokens: figure, outputTokens: figure }),
        figure,
        (usage, long) => {
          const { tokens: split, cost = zero } = costOf(usage, pricesOf(opus), long);
          expect(Math.min(...Object.values(split))).toBeGreaterThanOrEqual(0);
          expect(cost.total).toBeGreaterThanOrEqual(0n);
        },
      ),
    );
  });
});

describe('pricesOf', () => {
  it('takes the prices of long requests only above their limit', () => {
    const pro = cacheRulesFor({ provider: 'gemini', model: 'gemini-3.1-pro-preview' });
    expect(pricesOf(pro, 200_000)).toMatchObject({ uncached: 2, read: 0.2, output: 12 });
    expect(pricesOf(pro, 200_001)).toMatchObject({ uncached: 4, read: 0.4, output: 18 });
  });
});

describe('dollarsOf', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000000001'],
    [-1_500_000_000_000n, '-1.5'],
    [12_000_000_000_000_000_000_000n, '12000000000'],
  ])('writes %s as %s', (picodollars, dollars) => {
    expect(dollarsOf(picodollars)).toBe(dollars);
  });
});
