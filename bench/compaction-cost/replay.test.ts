import { describe, expect, it } from 'vitest';
import { rentOrBuy } from '../../src/context/compaction/index.ts';
import { SeededRandom } from '../fixtures/seeded-random.ts';
import { runLedger } from './ledger.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { ProviderRules } from './provider-rules.ts';
import { replay } from './replay.ts';
import { type CallTable, tableOf } from './trace.ts';

const rules: ProviderRules = {
  readFactor: 0.1,
  writeFactor: 1.25,
  ttlSeconds: 300,
  minimumTokens: 1024,
  stepTokens: 128,
  outputFactor: 5,
};

/** Turns of one to four calls with tool results of hundreds of tokens, some of them long after the one before. */
function sampleTable(seed: number): CallTable {
  const random = new SeededRandom(seed);
  const turns = Array.from({ length: 40 }, () => 1 + random.below(4));
  const places = turns.flatMap((calls) => Array.from({ length: calls }, (_, place) => place));
  let second = 0;
  return tableOf({
    name: 'sample',
    base: 3000,
    turns,
    seconds: places.map((place) => (second += place === 0 && random.below(5) === 0 ? 400 : 8)),
    incoming: places.map(() => 20 + random.below(1500)),
    replies: places.map(() => 20 + random.below(300)),
  });
}

describe('the replay through the product', () => {
  it.each([1, 2, 3])('costs to the token what the ledger says where nothing is folded, trace %i', async (seed) => {
    const table = sampleTable(seed);
    const { cost, promptTokens, cachedTokens, breaks } = await replay(table, {
      rules,
      provider: 'anthropic',
      triggers: [],
    });
    const ledger = runLedger(table, rules);
    expect(cost).toBeCloseTo(ledger.cost, 3);
    expect([promptTokens, cachedTokens, breaks]).toEqual([ledger.promptTokens, ledger.cachedTokens, 0]);
  });

  it.each([1, 2, 3])(
    'folds as the ledger does, at a cost that is the same within a thousandth, trace %i',
    async (seed) => {
      const table = sampleTable(seed);
      const folds: number[] = [];
      const triggers = [rentOrBuy({ retain: { tokens: 6000 } })];
      const own = await replay(table, { rules, provider: 'openai', triggers, onFold: (call) => folds.push(call) });
      expect(folds.length).toBeGreaterThan(2);
      const ledger = runLedger(table, rules, (one) => {
        const plan = folds.includes(one.call - 1) ? one.plan() : undefined;
        if (plan !== undefined) one.fold(plan);
      });
      expect(own.verbatim).toEqual(ledger.verbatim);
      expect(Math.min(...own.verbatim)).toBeGreaterThanOrEqual(6000);
      expect(Math.abs(own.cost / ledger.cost - 1)).toBeLessThan(0.001);
      expect(own.breaks).toBeGreaterThan(2);
      expect(own.undeclaredBreaks).toBe(0);
    },
  );
});

describe('PrefixCache', () => {
  const segments = (...ids: readonly string[]) => ids.map((id) => ({ id, tokens: 100 }));

  it('holds beginnings, each for its time since it was last used', () => {
    const cache = new PrefixCache(300);
    expect(cache.use(segments('系统', 'a', 'b'), 0)).toBe(0);
    expect(cache.use(segments('系统', 'a', 'c'), 200)).toBe(200);
    expect(cache.use(segments('系统', 'a', 'b'), 400)).toBe(200);
    expect(cache.use(segments('系统', 'a', 'b', 'd'), 700)).toBe(300);
    expect(cache.use(segments('系统', 'a', 'b', 'd'), 1001)).toBe(0);
    expect(cache.use(segments('a'), 1001)).toBe(0);
  });
});
