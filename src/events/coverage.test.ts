import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCoverage } from './coverage.ts';
import { type EventActions, noActions } from './event.ts';
import { normalizeRanges, type SeqRange } from './ranges.ts';

interface Logged {
  readonly seq: number;
  readonly actions: EventActions;
}

function log(...actions: readonly EventActions[]): Logged[] {
  return actions.map((action, index) => ({ seq: index + 1, actions: action }));
}

const said = noActions;
const rewind = (fromSeq: number): EventActions => ({ rewind: { beforeInvocationId: 'i', fromSeq } });
const summary = (covers: readonly SeqRange[], ...supersedes: number[]): EventActions => ({
  compaction: { covers, content: { role: 'model', parts: [{ text: 's' }] }, trigger: 't', sourceHash: '', supersedes },
});

/** A log in which each summary covers new events and, whole, some of the summaries in force. */
function nested(steps: readonly { covers: number; takes: readonly number[] }[]): Logged[] {
  const events: Logged[] = [];
  let inForce: { seq: number; covers: readonly SeqRange[] }[] = [];
  for (const { covers: fresh, takes } of steps) {
    const from = events.length + 1;
    for (let said = 0; said < fresh; said++) events.push({ seq: events.length + 1, actions: noActions });
    const taken = inForce.filter((_, index) => takes.includes(index));
    const own: SeqRange[] = fresh === 0 ? [] : [[from, from + fresh - 1]];
    const covers = normalizeRanges([...taken.flatMap((older) => older.covers), ...own]);
    if (covers.length === 0) continue;
    const seq = events.length + 1;
    events.push({ seq, actions: summary(covers, ...taken.map((older) => older.seq)) });
    inForce = [...inForce.filter((older) => !taken.includes(older)), { seq, covers }];
  }
  return events;
}

/** The same answer by looking through the whole log at each step. */
function walk(events: readonly Logged[], seq: number): number | undefined {
  const { actions } = events[seq - 1] ?? {};
  const next = events.find((event) => {
    const { compaction } = event.actions;
    if (compaction === undefined) return false;
    if (actions?.compaction !== undefined) return compaction.supersedes?.includes(seq);
    return compaction.covers.some(([from, to]) => from <= seq && seq <= to);
  });
  if (next === undefined) return undefined;
  return walk(events, next.seq) ?? next.seq;
}

describe('foldCoverage', () => {
  it('ignores events that are no bookkeeping', () => {
    const events = log(said, said, said, summary([[1, 3]]), rewind(3), summary([[1, 2]]));
    const bare = events.filter(({ actions }) => actions !== noActions);
    for (const given of [events, bare]) {
      const coverage = foldCoverage(given);
      expect(coverage.summaries.map(({ seq }) => seq)).toEqual([6]);
      expect(coverage.isLive(4)).toBe(false);
      expect(coverage.isLive(3)).toBe(false);
      expect(coverage.coveredBy(1)).toBe(6);
    }
  });

  it('keeps marks inside a rewound span whose events stay live', () => {
    const coverage = foldCoverage(log(said, said, { pin: { seqs: [1] } }, { pin: { seqs: [2] } }, rewind(2)));
    expect([3, 4].map((seq) => coverage.isLive(seq))).toEqual([true, false]);
    expect([...coverage.pinned]).toEqual([1]);
  });

  it('keeps the older of two summaries of one event, where the rewind of a rewind brings it back', () => {
    const events = log(said, said, summary([[1, 2]]), rewind(2), summary([[1, 1]]), rewind(4));
    const coverage = foldCoverage(events);
    expect(coverage.summaries.map(({ seq }) => seq)).toEqual([3]);
    expect([1, 2].map((seq) => coverage.coveredBy(seq))).toEqual([3, 3]);
    const before = foldCoverage(events.slice(0, 5));
    expect(before.summaries.map(({ seq }) => seq)).toEqual([5]);
    expect([1, 2].map((seq) => before.coveredBy(seq))).toEqual([5, undefined]);
  });

  it('follows a chain of summaries to the one in force', () => {
    const coverage = foldCoverage(log(said, said, said, summary([[1, 1]]), summary([[1, 2]], 4), summary([[1, 3]], 5)));
    expect([1, 2, 3, 4, 5, 6].map((seq) => coverage.coveredBy(seq))).toEqual([6, 6, 6, 6, 6, undefined]);
  });

  it('answers as a walk from summary to summary would, in whatever order it is asked', () => {
    const step = fc.record({ covers: fc.integer({ min: 0, max: 3 }), takes: fc.array(fc.nat(9), { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.infiniteStream(fc.nat()), (steps, asks) => {
        const events = nested(steps);
        const coverage = foldCoverage(events);
        const inForce = coverage.summaries.map(({ seq }) => seq);
        for (let ask = 0; ask < 40; ask++) {
          const seq = 1 + ((asks.next().value ?? 0) % (events.length + 1));
          expect([seq, coverage.coveredBy(seq)]).toEqual([seq, walk(events, seq)]);
          const by = coverage.coveredBy(seq);
          if (by !== undefined) expect(inForce).toContain(by);
        }
      }),
    );
  });

  it('folds a long chain of summaries, each in the place of the one before', () => {
    const texts = Array.from({ length: 20_000 }, () => said);
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      summary([[1, index + 1]], ...(index === 0 ? [] : [20_000 + index])),
    );
    const events = log(...texts, ...chain);
    const coverage = foldCoverage(events);
    const found = events.map(({ seq }) => coverage.coveredBy(seq));
    expect(coverage.summaries.map(({ seq }) => seq)).toEqual([40_000]);
    expect(found).toEqual(events.map(({ seq }) => (seq === 40_000 ? undefined : 40_000)));
    const asked = foldCoverage(events);
    expect([20_001, 39_999, 30_000, 1].map((seq) => asked.coveredBy(seq))).toEqual([40_000, 40_000, 40_000, 40_000]);
  });

  it('ends even where a log claims that a summary took its own place or that of a later one', () => {
    const circle = log(said, summary([[1, 1]], 2, 3), summary([[1, 1]], 2, 3));
    const coverage = foldCoverage(circle);
    expect([1, 2, 3].map((seq) => coverage.coveredBy(seq))).toEqual([3, 3, undefined]);
  });

  it('hides what a walk back from the end would skip', () => {
    const actions = fc.array(fc.option(fc.integer({ min: 0, max: 12 }), { freq: 3 }), { maxLength: 12 });
    fc.assert(
      fc.property(actions, (targets) => {
        const events = log(...targets.map((fromSeq) => (fromSeq === null ? said : rewind(fromSeq))));
        const live = new Set<number>();
        for (let seq = events.length; seq >= 1; seq--) {
          live.add(seq);
          const from = events[seq - 1]?.actions.rewind?.fromSeq;
          if (from !== undefined && from < seq) seq = Math.max(1, from);
        }
        const coverage = foldCoverage(events);
        expect(events.filter(({ seq }) => coverage.isLive(seq)).map(({ seq }) => seq)).toEqual(
          [...live].sort((a, b) => a - b),
        );
      }),
    );
  });
});
