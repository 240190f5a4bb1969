import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCoverage } from './coverage.ts';
import { type EventActions, noActions } from './event.ts';
import type { SeqRange } from './ranges.ts';

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

  it('follows a chain of summaries to the one in force', () => {
    const coverage = foldCoverage(log(said, said, said, summary([[1, 1]]), summary([[1, 2]], 4), summary([[1, 3]], 5)));
    expect([1, 2, 3, 4, 5, 6].map((seq) => coverage.coveredBy(seq))).toEqual([6, 6, 6, 6, 6, undefined]);
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
