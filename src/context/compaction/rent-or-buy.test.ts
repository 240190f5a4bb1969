import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type FoldFacts, freshTriggerState } from './decide.ts';
import type { FoldPrices } from './fold-costs.ts';
import { rentOrBuy } from './triggers.ts';

interface Call {
  readonly secondsBefore: number;
  readonly incoming: number;
  readonly reply: number;
}

interface Session {
  readonly calls: readonly Call[];
  readonly base: number;
  readonly tail: number;
  readonly share: number;
  readonly prices: FoldPrices;
}

interface Moment {
  readonly call: number;
  readonly foldable: NonNullable<FoldFacts['foldable']> | undefined;
}

const instructionTokens = 400;
const shortestSummary = 250;

/** No limit to summaries: older ones are never written anew here. */
const summaryRegion = 1e9;

/** What a session costs if it is folded, before a call, wherever `folds` says so; replies cost the same in any case. */
function costOf({ calls, base, tail, share, prices }: Session, folds: (moment: Moment) => boolean): number {
  let cost = 0;
  let head = base;
  let items: number[] = [];
  let shared = 0;
  for (const [call, { secondsBefore, incoming, reply }] of calls.entries()) {
    const kept = newest(items, tail);
    const folded = sumOf(items) - sumOf(kept);
    const foldable = folded > 0 ? { folded, merged: 0, stays: sumOf(kept) } : undefined;
    if (call > 0 && folds({ call, foldable }) && foldable !== undefined) {
      const summary = Math.max(shortestSummary, Math.round(share * folded));
      cost += prices.summarizerFactor * (folded + instructionTokens + prices.outputFactor * summary);
      shared = head;
      head += summary;
      items = kept;
    }
    items.push(incoming);
    const prompt = head + sumOf(items);
    const read = call > 0 && secondsBefore <= prices.ttlSeconds ? shared : 0;
    cost += prices.readFactor * read + prices.writeFactor * (prompt - read);
    shared = prompt;
    items.push(reply);
  }
  return cost;
}

/** The newest items that hold so many tokens together, or all of them. */
function newest(items: readonly number[], tokens: number): number[] {
  let first = items.length;
  for (let sum = 0; first > 0 && sum < tokens; first--) sum += items[first - 1] ?? 0;
  return items.slice(first);
}

function sumOf(items: readonly number[]): number {
  return items.reduce((sum, tokens) => sum + tokens, 0);
}

/** Folds as the trigger has it: asked after each reply, told of cold requests, and before a cold one too if so wished. */
function foldsOnline({ calls, share, prices }: Session, isAskedWhenCold: boolean): (moment: Moment) => boolean {
  let state = freshTriggerState;
  const isCold = (call: number) => (calls[call]?.secondsBefore ?? 0) > prices.ttlSeconds;
  return ({ call, foldable }) => {
    const facts: FoldFacts = {
      newInvocations: 0,
      requests: 1,
      coldRequests: call > 1 && isCold(call - 1) ? 1 : 0,
      prices,
      summaryRegion,
      ...(foldable && { foldable }),
      ...(isAskedWhenCold && isCold(call) ? { isBeforeRequest: true, secondsSinceRequest: Infinity } : {}),
    };
    const decision = decide([rentOrBuy({ summaryShare: share })], facts, state);
    state = decision.fires?.stateAfter ?? decision.state;
    return decision.fires !== undefined;
  };
}

function cheapestOf(session: Session): number {
  let cheapest = Number.POSITIVE_INFINITY;
  for (let schedule = 0; schedule < 2 ** (session.calls.length - 1); schedule++) {
    const cost = costOf(session, ({ call }) => ((schedule >> (call - 1)) & 1) === 1);
    cheapest = Math.min(cheapest, cost);
  }
  return cheapest;
}

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const tokensBetween = (min: number, max: number) =>
  between(Math.log(min), Math.log(max)).map((power) => Math.round(Math.exp(power)));

const sessions: fc.Arbitrary<Session> = fc.record({
  calls: fc.array(
    fc.record({
      secondsBefore: fc.constantFrom(20, 20, 20, 20, 20, 400),
      incoming: tokensBetween(50, 30_000),
      reply: tokensBetween(20, 2000),
    }),
    { minLength: 2, maxLength: 11 },
  ),
  base: fc.integer({ min: 0, max: 16_000 }),
  tail: fc.integer({ min: 1, max: 6000 }),
  share: between(0.05, 0.25),
  prices: fc.record({
    readFactor: between(0.025, 1),
    writeFactor: fc.constantFrom(1, 1.25, 2),
    ttlSeconds: fc.constant(300),
    summarizerFactor: between(0.05, 1.5),
    outputFactor: fc.integer({ min: 3, max: 8 }),
  }),
});

describe('rent or buy', () => {
  it.each([
    ['asked after replies', false],
    ['asked before cold requests too', true],
  ])('costs at most twice as much as the best of all schedules, %s', (_, isAskedWhenCold) => {
    fc.assert(
      fc.property(sessions, (session) => {
        const cost = costOf(session, foldsOnline(session, isAskedWhenCold));
        expect(cost / cheapestOf(session)).toBeLessThanOrEqual(2);
      }),
      { numRuns: 200 },
    );
  });
});
