import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import type { Event, View } from '../../events/index.ts';
import { CallLedger } from './call-ledger.ts';
import { blockOf, HistoryWindow, isInside } from './history-window.ts';

type Window = Exclude<View['history'], string>['window'];

/** A turn: whether it begins an invocation, its tokens, and which call it makes or answers. */
interface Turn {
  readonly isNew: boolean;
  readonly n: number;
  readonly does: 'say' | 'call' | 'answer' | 'answerOld';
}

const someTurn: fc.Arbitrary<Turn> = fc.record({
  isNew: fc.boolean(),
  n: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, 200)),
  does: fc.constantFrom('say', 'say', 'call', 'answer', 'answerOld'),
});
const someTurns = fc.array(someTurn, { minLength: 1, maxLength: 120, size: 'max' });

function logOf(turns: readonly Turn[]): readonly Event[] {
  let invocation = 0;
  let calls = 0;
  return buildLog(
    turns.map(({ isNew, n, does }, index): LoggedInput => {
      if (isNew || index === 0) invocation++;
      const base = { seq: index + 1, invocationId: `i${invocation}`, tokens: { n, by: 'test' }, author: 'assistant' };
      if (does === 'say') return { ...base, author: 'user', content: '天气怎么样？' };
      if (does === 'call') return { ...base, content: { parts: [{ functionCall: { id: `c${++calls}`, name: 'f' } }] } };
      const id = `c${does === 'answer' ? calls : Math.ceil(calls / 2)}`;
      return { ...base, content: { parts: [{ functionResponse: { id, name: 'f', response: {} } }] } };
    }),
  );
}

function windowOf(events: readonly Event[], window: Window): HistoryWindow {
  const links = new CallLedger();
  const history = new HistoryWindow({ window }, links);
  for (const event of events) {
    links.add(event);
    history.add(event);
  }
  return history;
}

/** What stands in the window after each event, found while the log grows. */
function grow(events: readonly Event[], window: Window): { start: number; standing: readonly Event[] }[] {
  const links = new CallLedger();
  const history = new HistoryWindow({ window }, links);
  return events.map((event, index) => {
    links.add(event);
    history.add(event);
    const start = history.start();
    return { start: start.place, standing: events.slice(0, index + 1).filter((one) => isInside(one, start)) };
  });
}

const invocationsOf = (events: readonly Event[]) => new Set(events.map(({ invocationId }) => invocationId)).size;
const tokensOf = (events: readonly Event[]) => events.reduce((sum, { tokens }) => sum + (tokens?.n ?? 0), 0);

describe('HistoryWindow', () => {
  it('keeps the limit and at most a block more, and moves once a block', () => {
    fc.assert(
      fc.property(someTurns, fc.integer({ min: 1, max: 20 }), (turns, invocations) => {
        const events = logOf(turns);
        let moved = { start: 0, at: 0 };
        grow(events, { invocations }).forEach(({ start, standing }, index) => {
          const all = invocationsOf(events.slice(0, index + 1));
          expect(invocationsOf(standing)).toBeGreaterThanOrEqual(Math.min(all, invocations));
          expect(invocationsOf(standing)).toBeLessThan(invocations + blockOf(invocations));
          if (start === moved.start) return;
          expect(start).toBeGreaterThan(moved.start);
          expect(all - moved.at).toBeGreaterThanOrEqual(blockOf(invocations));
          moved = { start, at: all };
        });
      }),
    );
  });

  it('keeps by tokens no more than the limit and a block, and no less than the limit without what a cut would part', () => {
    fc.assert(
      fc.property(someTurns, fc.integer({ min: 0, max: 400 }), (turns, tokens) => {
        const events = logOf(turns);
        const block = blockOf(tokens);
        grow(events, { tokens }).forEach(({ standing }, index) => {
          const seen = events.slice(0, index + 1);
          const sum = tokensOf(standing);
          const newest = tokensOf(seen.slice(-1));
          expect(standing.length).toBeGreaterThan(0);
          if (standing.length > 1) expect(sum).toBeLessThanOrEqual(Math.max(tokens + block, newest));
          // One event more may be cut, and what a block holds to spare a pair.
          const before = seen.at(-1 - standing.length);
          if (before !== undefined) expect(sum + tokensOf([before]) + block).toBeGreaterThan(tokens);
        });
      }),
    );
  });

  it('moves its start by tokens only when a block came in', () => {
    fc.assert(
      fc.property(someTurns, fc.integer({ min: 160, max: 400 }), (turns, tokens) => {
        // A response may come when its call is at the start of the window, and a turn may be larger than a block.
        const events = logOf(turns.map((turn) => ({ ...turn, n: turn.n % 40, does: 'say' })));
        let moved = { start: 0, at: tokens };
        grow(events, { tokens }).forEach(({ start }, index) => {
          if (start === moved.start) return;
          const all = tokensOf(events.slice(0, index + 1));
          // The grid is fixed: between two moves lies at least one of its lines.
          expect(start).toBeGreaterThan(moved.start);
          expect(Math.floor((all - tokens) / blockOf(tokens))).toBeGreaterThan(
            Math.floor((moved.at - tokens) / blockOf(tokens)),
          );
          moved = { start, at: all };
        });
      }),
    );
  });

  it('is the same, asked after every event, as if asked once', () => {
    const window = fc.record(
      { invocations: fc.integer({ min: 0, max: 9 }), tokens: fc.integer({ min: 0, max: 300 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(someTurns, window, (turns, window) => {
        const events = logOf(turns);
        const grown = grow(events, window).at(-1)?.start;
        expect(grown).toBe(windowOf(events, window).start().place);
      }),
      { numRuns: 500 },
    );
  });

  it('does not let a late response to a call from before it empty the window', () => {
    const say = { isNew: true, n: 10, does: 'say' } as const;
    const turns: Turn[] = [
      { ...say, does: 'call' },
      ...Array.from({ length: 60 }, () => say),
      { ...say, does: 'answer' },
    ];
    const [before, after] = [logOf(turns.slice(0, -1)), logOf(turns)];
    const kept = (events: readonly Event[]) => tokensOf(grow(events, { tokens: 100 }).at(-1)?.standing ?? []);
    expect(kept(before)).toBeGreaterThanOrEqual(100);
    expect(kept(after)).toBeGreaterThanOrEqual(100);
  });
});
