import { describe, expect, it } from 'vitest';
import { foldPricesOf } from './fold-prices.ts';
import { summaryWay, type WayFacts } from './summary-way.ts';

const sameModel = { readFactor: 0.1, writeFactor: 1.25, ttlSeconds: 300, summarizerFactor: 1, outputFactor: 5 };
const facts: WayFacts = {
  requestTokens: 50_000,
  renderedTokens: 40_000,
  appendedTokens: 400,
  summaryTokens: 1000,
  secondsSinceRequest: 20,
  prices: sameModel,
};

describe('summaryWay', () => {
  it('shares a prefix that the provider still holds', () => {
    expect(summaryWay(facts)).toBe('shared');
    expect(summaryWay({ ...facts, secondsSinceRequest: 299 })).toBe('shared');
  });

  it('asks alone where the prefix is gone, was never kept, or is not known to be there', () => {
    const { secondsSinceRequest: _, ...unknown } = facts;
    expect(summaryWay({ ...facts, secondsSinceRequest: 300 })).toBe('own');
    expect(summaryWay({ ...facts, secondsSinceRequest: 0, prices: { ...sameModel, ttlSeconds: 0 } })).toBe('own');
    expect(summaryWay(unknown)).toBe('own');
  });

  it('asks a model that is cheap enough, what it writes included', () => {
    expect(summaryWay({ ...facts, prices: { ...sameModel, summarizerFactor: 0.2 } })).toBe('own');
    expect(summaryWay({ ...facts, prices: { ...sameModel, summarizerFactor: 0.24 } })).toBe('shared');
    expect(summaryWay({ ...facts, summaryTokens: 2000, prices: { ...sameModel, summarizerFactor: 0.24 } })).toBe('own');
  });

  it('asks alone about a small part of a long request', () => {
    expect(summaryWay({ ...facts, renderedTokens: 3000 })).toBe('own');
  });
});

describe('foldPricesOf', () => {
  it('takes what is known of both models', () => {
    const [agent, summarizer] = ['gemini-2.5-pro', 'gemini-2.5-flash'].map((name) => ({
      name,
      provider: 'gemini' as const,
    }));
    if (agent === undefined || summarizer === undefined) return expect.fail('there are two');
    const prices = foldPricesOf({ agent, summarizer });
    expect(prices.summarizerFactor).toBeCloseTo(0.3 / 1.25);
    expect(prices.outputFactor).toBeCloseTo(2.5 / 0.3);
    expect(prices.readFactor).toBeLessThan(1);
    expect(prices.ttlSeconds).toBeGreaterThan(0);
  });

  it('guesses with care: a model of which nothing is known keeps nothing', () => {
    const model = { name: '无名', provider: 'openai' as const };
    expect(foldPricesOf({ agent: model, summarizer: model })).toEqual({
      readFactor: 1,
      writeFactor: 1,
      ttlSeconds: 0,
      summarizerFactor: 1,
      outputFactor: 5,
    });
  });
});
