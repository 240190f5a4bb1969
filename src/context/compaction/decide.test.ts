import { describe, expect, it } from 'vitest';
import { ceilingOf, decide, type FoldFacts, freshTriggerState, type TriggerState } from './decide.ts';
import type { FoldPrices } from './fold-costs.ts';
import { idle, modelDriven, rentOrBuy, type Trigger, taskComplete, threshold, window } from './triggers.ts';

const prices: FoldPrices = {
  readFactor: 0.1,
  writeFactor: 1.25,
  ttlSeconds: 300,
  summarizerFactor: 0.2,
  outputFactor: 5,
};

const fired = (triggers: readonly Trigger[], facts: Partial<FoldFacts>, state?: TriggerState) =>
  decide(triggers, { newInvocations: 0, ...facts }, state).fires?.trigger;

describe('which trigger fires', () => {
  const all = [idle({ seconds: 60 }), rentOrBuy(), window({ interval: 3 }), taskComplete(), modelDriven()];
  const every = [...all, threshold({ tokens: 100, retain: { events: 4 } })];
  const facts: FoldFacts = {
    newInvocations: 3,
    promptTokens: 100,
    secondsSinceEvent: 60,
    isTaskComplete: true,
    asked: {},
  };

  it('is one, the threshold before the others', () => {
    expect(fired(every, facts)).toBe('threshold');
    expect(fired(all, facts)).toBe('modelDriven');
    expect(fired([idle({ seconds: 60 }), window({ interval: 3 })], facts)).toBe('window');
    expect(fired([], facts)).toBeUndefined();
  });

  it.each<[Trigger, Partial<FoldFacts>, Partial<FoldFacts>]>([
    [window({ interval: 3 }), { newInvocations: 3 }, { newInvocations: 2 }],
    [threshold({ tokens: 100, retain: { events: 1 } }), { promptTokens: 100 }, { promptTokens: 99 }],
    [idle({ seconds: 60 }), { secondsSinceEvent: 60 }, { secondsSinceEvent: 59 }],
    [taskComplete(), { isTaskComplete: true }, { isTaskComplete: false }],
    [modelDriven(), { asked: { throughSeq: 9 } }, {}],
  ])('%j fires at its limit, and not below', (trigger, at, below) => {
    expect(fired([trigger], at)).toBe(trigger.kind);
    expect(fired([trigger], below)).toBeUndefined();
    expect(fired([trigger], {})).toBeUndefined();
  });

  it('says what is to be folded', () => {
    const fold = (trigger: Trigger) => decide([trigger], { ...facts, asked: { throughSeq: 7 } }).fires?.fold;
    expect(fold(window({ interval: 3, overlap: 2 }))).toEqual({
      between: 'invocations',
      most: { invocations: 3 },
      overlap: 2,
    });
    expect(fold(threshold({ tokens: 9, retain: { tokens: 5 } }))).toEqual({
      retain: { tokens: 5 },
      summaryRegion: 400,
    });
    expect(fold(modelDriven())).toEqual({ retain: { invocations: 1 }, throughSeq: 7 });
    expect(fold(taskComplete())).toEqual({ between: 'invocations', retain: { invocations: 1 } });
  });
});

describe('the progress gate', () => {
  const trigger = threshold({ tokens: 100, retain: { events: 2 } });

  it('makes one fold of a loop of thirty rounds that stays above the threshold, and opens again below', () => {
    let state = freshTriggerState;
    let folds = 0;
    const decideAt = (promptTokens: number) => {
      const decision = decide([trigger], { newInvocations: 0, promptTokens }, state);
      state = decision.fires?.stateAfter ?? decision.state;
      if (decision.fires !== undefined) folds++;
    };
    for (let round = 0; round < 30; round++) decideAt(120 + round);
    expect(folds).toBe(1);
    decideAt(99);
    decideAt(100);
    expect(folds).toBe(2);
  });

  it('lets the ceiling through once, whatever waits', () => {
    const facts = { newInvocations: 0, promptTokens: 900, ceilingTokens: ceilingOf(1000) };
    const first = decide([trigger], facts, { rent: 0, waitsBelow: 'threshold' });
    expect(first.fires?.trigger).toBe('ceiling');
    expect(first.fires?.fold).toEqual({ retain: { tokens: 225 }, summaryRegion: 450 });
    const second = decide([trigger], facts, first.fires?.stateAfter);
    expect(second).toEqual({ state: { rent: 0, waitsBelow: 'ceiling' } });
    const below = decide([trigger], { ...facts, promptTokens: 500 }, second.state);
    expect(below.state.waitsBelow).toBe('threshold');
    expect(decide([trigger], { ...facts, promptTokens: 50 }, below.state).state).toEqual({ rent: 0 });
    expect(fired([], { promptTokens: 899, ceilingTokens: 900 })).toBeUndefined();
  });
});

describe('rent or buy', () => {
  const foldable = { folded: 20_000, merged: 0, stays: 6000 };
  // A summary of at most 2,000. Whatever is folded, 0.2 × (400 + 5 × 2,000) + 1.25 × 2,000 and 1.15 × 6,000 are paid.
  const price = 2080 + 2500 + 6900;
  const spared = 18_000;
  // 0.1 × (20,000 − 2,000) for each request that could have been spared them.
  const rent = 1800;
  const facts: FoldFacts = { newInvocations: 0, foldable, prices };

  it('adds up what requests pay, and buys when that is the price of folding at all', () => {
    let state = freshTriggerState;
    let requests = 0;
    for (; requests < 100; requests++) {
      const decision = decide([rentOrBuy()], { ...facts, requests: 1 }, state);
      state = decision.fires?.stateAfter ?? decision.state;
      if (decision.fires !== undefined) break;
    }
    // The first request sent all of it for the first time.
    expect(requests).toBe(Math.ceil(price / rent));
    expect(state).toEqual({ rent: 0 });
  });

  it('counts for each request what was foldable before it, as far as is known', () => {
    const rentAfter = (more: Partial<FoldFacts>, before: TriggerState) =>
      decide([rentOrBuy()], { ...facts, ...more }, before).state;
    expect(rentAfter({ requests: 1 }, { rent: 7 })).toEqual({ rent: 7, spared });
    expect(rentAfter({ requests: 1 }, { rent: 7, spared: 10_000 })).toEqual({ rent: 1007, spared });
    // 10,000, 12,000, 14,000 and 16,000.
    expect(rentAfter({ requests: 4 }, { rent: 0, spared: 10_000 })).toEqual({ rent: 5200, spared });
    expect(rentAfter({ requests: 4, coldRequests: 1 }, { rent: 0, spared: 10_000 }).rent).toBe(5200 + 11_500);
    expect(decide([rentOrBuy()], { newInvocations: 0, prices, requests: 4 }, { rent: 9, spared }).state).toEqual({
      rent: 9,
    });
  });

  it('buys early if the price would be reached by far before it is asked again', () => {
    const fires = (requests: number, before: TriggerState) =>
      decide([rentOrBuy()], { ...facts, requests }, before).fires !== undefined;
    // Four more requests pay half of 3 × 1,800 on average until they have all been sent.
    const before = { rent: price - 4 * rent - 2700, spared };
    expect(fires(4, before)).toBe(true);
    expect(fires(4, { ...before, rent: before.rent - 1 })).toBe(false);
    expect(fires(1, { rent: price - rent - 1, spared })).toBe(false);
  });

  it('does not wait for what each token costs, now or later, beyond what it takes to be sent once', () => {
    // A summary of 1,200: what is in proportion to the 10,000 falls out, the tail and the instruction remain.
    const half = { folded: 10_000, merged: 0, stays: 6000 };
    const fires = (summarizerFactor: number, rent: number) => {
      const facts = { newInvocations: 0, foldable: half, prices: { ...prices, summarizerFactor } };
      return decide([rentOrBuy()], facts, { rent }).fires !== undefined;
    };
    expect([6979, 6981].map((rent) => fires(0.2, rent))).toEqual([false, true]);
    // 1 × (10,400 + 5 × 1,200) + 1.25 × 1,200 + 6,900, less 10,000 for what was sent once.
    expect([14_799, 14_801].map((rent) => fires(1, rent))).toEqual([false, true]);
  });

  it('keeps the rent if the fold is not made', () => {
    const { state, fires } = decide([rentOrBuy()], { ...facts, requests: 50 }, { rent: 0, spared });
    expect(fires?.trigger).toBe('rentOrBuy');
    expect(state).toEqual({ rent: 50 * rent, spared });
  });

  it('folds before a request that finds the prefix gone, if that pays at once', () => {
    const resumed = { foldable, prices, isBeforeRequest: true, secondsSinceRequest: 301 };
    expect(fired([rentOrBuy()], resumed)).toBe('rentOrBuy');
    expect(fired([rentOrBuy()], { ...resumed, secondsSinceRequest: 300 })).toBeUndefined();
    expect(fired([rentOrBuy()], { ...resumed, isBeforeRequest: false })).toBeUndefined();
    expect(fired([rentOrBuy()], { ...resumed, prices: { ...prices, summarizerFactor: 2 } })).toBeUndefined();
  });

  it('never buys what is hardly smaller than it was', () => {
    const small = { foldable: { folded: 400, merged: 0, stays: 0 }, prices, requests: 10_000 };
    expect(fired([rentOrBuy()], small, { rent: 1e9 })).toBeUndefined();
  });

  it('does not wait for ever where a request comes before the prefix is lost, however often', () => {
    let prompt = 10_000;
    let state = freshTriggerState;
    let highest = 0;
    for (let request = 0; request < 2000; request++) {
      prompt += 400;
      highest = Math.max(highest, prompt);
      const size = { folded: Math.max(0, prompt - 16_000), merged: 0, stays: 6000 };
      const facts = { newInvocations: 0, promptTokens: prompt, ceilingTokens: ceilingOf(200_000), prices, requests: 1 };
      const decision = decide([rentOrBuy()], { ...facts, foldable: size, secondsSinceRequest: 150 }, state);
      if (decision.fires !== undefined) prompt = 16_000 + Math.round(0.12 * size.folded);
      state = decision.fires?.stateAfter ?? decision.state;
    }
    expect(highest).toBeLessThan(ceilingOf(200_000));
  });
});
