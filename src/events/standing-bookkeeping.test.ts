import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLog } from '../../test/logs/log-builder.ts';
import { longRandomLog } from '../../test/logs/random-log.ts';
import { foldCoverage } from './coverage.ts';
import { type Event, isBookkeeping } from './event.ts';
import { rangeAt } from './ranges.ts';
import { noBookkeeping, type StandingBookkeeping, standingBookkeeping } from './standing-bookkeeping.ts';

function standing(events: readonly Event[]): StandingBookkeeping {
  const found = standingBookkeeping(events.filter(isBookkeeping), { before: noBookkeeping, throughSeq: 0 });
  return found ?? expect.fail('nothing stands before the first event');
}

const seqsOf = (events: readonly Event[]) => events.map(({ seq }) => seq);
const said = { author: 'user', content: '说' };
const note = (actions: object) => ({ author: 'system', actions });
const summary = (covers: number[][], supersedes?: number[]) =>
  note({
    compaction: {
      covers,
      content: { parts: [{ text: 's' }] },
      trigger: 't',
      sourceHash: '',
      ...(supersedes && { supersedes }),
    },
  });
const logOf = (...inputs: { author: string }[]) => buildLog(inputs.map((input, at) => ({ ...input, seq: at + 1 })));

describe('standing bookkeeping', () => {
  it('drops superseded summaries, session ends, overflows and marks that are over', () => {
    const log = logOf(
      said,
      said,
      summary([[1, 1]]),
      note({ sessionEnd: true }),
      summary([[1, 2]], [3]),
      note({ pin: { seqs: [1] } }),
      note({ unpin: { seqs: [1] } }),
      note({ overflow: { why: 'blocked', by: [2] } }),
      said,
    );
    const { events, idle } = standing(log);
    expect(seqsOf(events)).toEqual([5]);
    expect(idle).toEqual([
      [3, 4],
      [6, 8],
    ]);
  });

  it('keeps trims of covered events apart', () => {
    const log = logOf(
      said,
      said,
      note({ trim: { seqs: [1], keepChars: 1 } }),
      note({ trim: { seqs: [1, 2], keepChars: 1 } }),
      summary([[1, 1]]),
    );
    expect(seqsOf(standing(log).events)).toEqual([4, 5]);
    expect(seqsOf(standing(log).dormant)).toEqual([3]);
  });

  it('keeps what a summary runs over in a rewound span', () => {
    const rewind = note({ rewind: { beforeInvocationId: 'i2', fromSeq: 2 } });
    const log = logOf(said, note({ sessionEnd: true }), rewind, said, summary([[1, 4]]));
    const { events, coverage } = standing(log);
    expect(seqsOf(events)).toEqual([2, 3, 5]);
    expect(coverage.summaries.map(({ seq }) => seq)).toEqual([5]);
  });

  it('gives up where a rewind reaches back above what it started from', () => {
    const log = logOf(said, said, note({ rewind: { beforeInvocationId: 'i2', fromSeq: 2 } }));
    const added = log.slice(2);
    expect(standingBookkeeping(added, { before: noBookkeeping, throughSeq: 2 })).toBeUndefined();
    expect(standingBookkeeping(added, { before: noBookkeeping, throughSeq: 1 })).toBeDefined();
  });

  it('says of the conversation what all of it says, built at once or bit by bit', () => {
    fc.assert(
      fc.property(longRandomLog, fc.array(fc.nat(40), { maxLength: 4 }), (inputs, cuts) => {
        const log = buildLog(inputs);
        let [bits, throughSeq] = [noBookkeeping, 0];
        for (const cut of [...cuts, log.length].sort((a, b) => a - b)) {
          const added = log.slice(throughSeq, cut).filter(isBookkeeping);
          bits = standingBookkeeping(added, { before: bits, throughSeq }) ?? standing(log.slice(0, cut));
          throughSeq = Math.max(throughSeq, cut);
        }
        const whole = foldCoverage(log);
        for (const { events, dormant, coverage, idle } of [bits, standing(log)]) {
          const folded = [coverage, foldCoverage([...events, ...dormant].sort((a, b) => a.seq - b.seq))];
          for (const { summaries, hidden, pinned, trimmed, isLive, coveredBy } of folded) {
            expect(summaries).toEqual(whole.summaries);
            expect(hidden).toEqual(whole.hidden);
            expect(pinned).toEqual(whole.pinned);
            expect(trimmed).toEqual(whole.trimmed);
            for (const event of log) {
              if (isBookkeeping(event)) continue;
              expect(isLive(event.seq)).toBe(whole.isLive(event.seq));
              expect(coveredBy(event.seq)).toBe(whole.coveredBy(event.seq));
            }
          }
          for (const event of log) if (rangeAt(idle, event.seq) !== -1) expect(isBookkeeping(event)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
