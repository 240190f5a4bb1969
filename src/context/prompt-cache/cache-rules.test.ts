import { describe, expect, it } from 'vitest';
import type { CacheRuleRow } from './cache-facts.ts';
import { cacheRuleRows } from './cache-rule-rows.ts';
import { cacheRulesFor } from './cache-rules.ts';

const anthropic = (model: string) => cacheRulesFor({ provider: 'anthropic', model });
const openai = (model: string) => cacheRulesFor({ provider: 'openai', model });
const gemini = (model: string) => cacheRulesFor({ provider: 'gemini', model });

describe('cacheRuleRows', () => {
  it('say where and when each was read', () => {
    for (const { source, date } of cacheRuleRows) {
      expect(source).toMatch(/^[a-z.-]+\.[a-z]+\//);
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
  });

  it('have tiers by rising length, each dearer', () => {
    const tiered = cacheRuleRows.flatMap(({ prices }) => (prices?.tiers === undefined ? [] : prices));
    expect(tiered.length).toBeGreaterThan(0);
    for (const { input, output, tiers = [] } of tiered) {
      const steps = [{ above: 0, input, output }, ...tiers];
      for (const [at, tier] of steps.slice(1).entries()) {
        const before = steps[at];
        expect(tier.above).toBeGreaterThan(before?.above ?? Number.POSITIVE_INFINITY);
        expect(tier.input).toBeGreaterThan(before?.input ?? Number.POSITIVE_INFINITY);
      }
    }
  });

  it('have prices that are whole millionths of a dollar, whatever the factor', () => {
    for (const row of cacheRuleRows.filter(({ prices }) => prices !== undefined)) {
      const rules = cacheRulesFor(row);
      const { input, output } = rules.prices ?? { input: Number.NaN, output: Number.NaN };
      const { readFactor, writeFactor, longWriteFactor = 1 } = rules;
      for (const price of [output, input, input * readFactor, input * writeFactor, input * longWriteFactor])
        expect(Math.abs(price * 1e6 - Math.round(price * 1e6))).toBeLessThan(1e-6);
    }
  });
});

describe('cacheRulesFor', () => {
  it('takes the row that names the model over its family', () => {
    expect(anthropic('claude-opus-4-7')).toMatchObject({ minimumTokens: 2048, basis: 'model', mostBreakpoints: 4 });
    expect(anthropic('claude-opus-9')).toMatchObject({ minimumTokens: 1024, basis: 'family', lookBackBlocks: 20 });
    expect(anthropic('claude-opus-9').prices).toBeUndefined();
    expect(gemini('gemini-2.5-flash').minimumTokens).toBe(2048);
    expect(gemini('gemini-2.5-pro').minimumTokens).toBe(4096);
  });

  it.each([
    'claude-opus-4-5-20251101',
    'claude-opus-4-5@20251101',
    'anthropic/claude-opus-4-5',
    'us.anthropic.claude-opus-4-5-20251101-v1:0',
    'Claude-Opus-4-5-latest',
  ])('knows %s as claude-opus-4-5', (model) => {
    expect(anthropic(model)).toMatchObject({ minimumTokens: 4096, basis: 'model', prices: { input: 5, output: 25 } });
  });

  it('knows previews and revisions of Gemini', () => {
    expect(gemini('models/gemini-3.1-pro-preview').prices?.tiers).toEqual([{ above: 200_000, input: 4, output: 18 }]);
    expect(gemini('gemini-2.5-flash-preview-09-2025').prices?.input).toBe(0.3);
  });

  it('does not take the price of a model for that of another whose name goes on', () => {
    expect(openai('gpt-5.4-pro').prices).toBeUndefined();
    expect(openai('gpt-5.4').prices?.input).toBe(2.5);
    expect(gemini('gemini-2.5-flash-lite').prices?.input).toBe(0.1);
    expect(gemini('gemini-2.5-flash-image').prices).toBeUndefined();
    expect(anthropic('claude-opus-5-5')).toMatchObject({ minimumTokens: 1024, readFactor: 0.05, prices: { input: 4 } });
    expect(anthropic('claude-opus-5')).toMatchObject({ minimumTokens: 512, readFactor: 0.1, prices: { input: 5 } });
  });

  it('tells the conventions of OpenAI apart', () => {
    expect(openai('gpt-5.5')).toMatchObject({ stepTokens: 128, writeFactor: 1, mostBreakpoints: 0, usage: 'openai' });
    expect(openai('gpt-5.6-sol')).toMatchObject({ stepTokens: 1, writeFactor: 1.25, usage: 'openaiWithWrites' });
    expect(openai('gpt-6-astra')).toMatchObject({ mostBreakpoints: 4, basis: 'family' });
  });

  it('guesses with care where nothing is known, and says so', () => {
    for (const rules of [
      openai('deepseek-chat'),
      anthropic('MiniMax-M2'),
      openai('gemini-2.5-flash'),
      gemini('通义'),
    ]) {
      expect(rules).toMatchObject({ basis: 'default', mostBreakpoints: 0, takesKey: false, holdsObjects: false });
      expect(rules).toMatchObject({ readFactor: 1, writeFactor: 1, usage: rules.provider, sources: [] });
      expect(rules.prices).toBeUndefined();
    }
  });

  it('lets rows of the caller stand above all, longer ones above shorter ones', () => {
    const own = { source: 'contract.example/2026', date: '2026-11-01' };
    const rows: readonly CacheRuleRow[] = [
      { provider: 'openai', model: 'deepseek-chat', prices: { input: 0.28, output: 0.42 }, ...own },
      { provider: 'openai', model: '*', readFactor: 0.5, takesKey: true, ...own },
      { provider: 'anthropic', model: 'claude*', minimumTokens: 99, ...own },
    ];
    const deepseek = cacheRulesFor({ provider: 'openai', model: 'deepseek-chat' }, rows);
    expect(deepseek).toMatchObject({ basis: 'model', readFactor: 0.5, takesKey: true, prices: { input: 0.28 } });
    const opus = cacheRulesFor({ provider: 'anthropic', model: 'claude-opus-4-5' }, rows);
    expect(opus).toMatchObject({ minimumTokens: 99, prices: { input: 5 } });
    expect(opus.sources.at(-1)).toEqual(own);
  });

  it('lets a name stand above a family, in whatever order they are given', () => {
    const own = { provider: 'openai' as const, source: 'contract.example', date: '2026-11-01' };
    const rows = [
      { ...own, model: 'gpt-5.6', minimumTokens: 3 },
      { ...own, model: 'gpt-5.6*', minimumTokens: 2 },
      { ...own, model: 'gpt*', minimumTokens: 1 },
    ];
    const minimumOf = (model: string) => cacheRulesFor({ provider: 'openai', model }, rows).minimumTokens;
    expect(['gpt-5.6', 'gpt-5.6-sol', 'gpt-6'].map(minimumOf)).toEqual([3, 2, 1]);
  });
});
