import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdkLogEntry, type AdkRecord, adkCompactionsToSeqs } from './adk-compactions.ts';
import { modelText } from './content.ts';
import { foldCoverage } from './coverage.ts';
import type { Event } from './event.ts';
import { intersectRanges, subtractRanges } from './ranges.ts';

type Log = readonly (
  | number
  | { rewind: number; at: number }
  | { from: number; to: number; at: number; branch?: string }
)[];

/** A log from its timestamps; seqs are positions. */
function outcomes(log: Log, branchOf: (seq: number) => string | undefined = () => undefined) {
  const entries: AdkLogEntry[] = [];
  const records: AdkRecord[] = [];
  log.forEach((item, index) => {
    const seq = index + 1;
    const branch = typeof item === 'object' && 'from' in item ? item.branch : branchOf(seq);
    const place = { seq, ...(branch === undefined ? {} : { branch }) };
    const timestamp = typeof item === 'number' ? item : item.at;
    if (typeof item === 'object' && 'rewind' in item) entries.push({ ...place, timestamp, rewindFromSeq: item.rewind });
    else entries.push({ ...place, timestamp });
    if (typeof item === 'object' && 'from' in item)
      records.push({ ...place, compaction: { start: item.from, end: item.to, content: modelText('Prose.') } });
  });
  return adkCompactionsToSeqs(records, entries);
}

const short = (log: Log, branchOf?: (seq: number) => string | undefined) =>
  outcomes(log, branchOf).map((outcome) =>
    outcome.valid ? [outcome.compaction.covers, ...(outcome.compaction.supersedes ?? [])] : outcome.reason,
  );

describe('adkCompactionsToSeqs', () => {
  it('covers what stands before the record in its time range', () => {
    expect(short([1, 2, 3, { from: 1, to: 2, at: 4 }, 2])).toEqual([[[[1, 2]]]]);
  });

  it('does not cover the record itself, nor other bookkeeping', () => {
    const log: Log = [1, { from: 1, to: 1, at: 1 }, 1, { from: 1, to: 1, at: 1 }];
    expect(short(log)).toEqual([
      [[[1, 1]]],
      [
        [
          [1, 1],
          [3, 3],
        ],
        2,
      ],
    ]);
  });

  it('supersedes an older one that is contained whole, equal ranges included', () => {
    expect(short([1, 2, { from: 1, to: 2, at: 2 }, 3, { from: 1, to: 3, at: 3 }])).toEqual([
      [[[1, 2]]],
      [
        [
          [1, 2],
          [4, 4],
        ],
        3,
      ],
    ]);
    expect(short([1, { from: 1, to: 1, at: 1 }, { from: 1, to: 1, at: 1 }])).toEqual([[[[1, 1]]], [[[1, 1]], 2]]);
  });

  it('clips the later of two that overlap in part, as sliding windows with overlap do', () => {
    expect(short([1, 2, { from: 1, to: 2, at: 2 }, 3, 4, { from: 2, to: 4, at: 4 }])).toEqual([[[[1, 2]]], [[[4, 5]]]]);
  });

  it('reports what stays invalid', () => {
    expect(short([1, 2, { from: 1, to: 2, at: 2 }, { from: 2, to: 2, at: 2 }])[1]).toMatch(/older summaries/);
    expect(short([1, { from: 5, to: 9, at: 9 }])).toEqual([expect.stringMatching(/no live event/)]);
    expect(short([1, { from: 2, to: 1, at: 2 }])).toEqual(['ends before it starts']);
    const [noProse] = adkCompactionsToSeqs(
      [{ seq: 2, compaction: { start: 1, end: 1, content: undefined } }],
      [{ seq: 1, timestamp: 1 }],
    );
    expect(noProse).toEqual({ seq: 2, valid: false, reason: 'holds no prose' });
    const thought = { role: 'model' as const, parts: [{ text: 'Hm.', thought: true }] };
    const [onlyThought] = adkCompactionsToSeqs(
      [{ seq: 2, compaction: { start: 1, end: 1, content: thought } }],
      [{ seq: 1, timestamp: 1 }],
    );
    expect(onlyThought).toMatchObject({ valid: false, reason: 'holds no prose' });
    const [noBound] = adkCompactionsToSeqs(
      [{ seq: 2, compaction: { start: undefined, end: 1, content: modelText('x') } }],
      [{ seq: 1, timestamp: 1 }],
    );
    expect(noBound).toMatchObject({ valid: false, reason: expect.stringMatching(/bound/) });
  });

  it('places none beside a rewind, which still rewinds and leaves the range to the next', () => {
    const prose = { start: 1, end: 2, content: modelText('Prose.') };
    const entries = [
      { seq: 1, timestamp: 1 },
      { seq: 2, timestamp: 2 },
      { seq: 3, timestamp: 2, rewindFromSeq: 2 },
      { seq: 4, timestamp: 3 },
    ];
    const records: AdkRecord[] = [
      { seq: 3, compaction: { ...prose, besideRewind: true } },
      { seq: 4, compaction: prose },
    ];
    expect(adkCompactionsToSeqs(records, entries)).toMatchObject([
      { seq: 3, valid: false, reason: 'stands beside a rewind' },
      { seq: 4, valid: true, compaction: { covers: [[1, 1]] } },
    ]);
  });

  it('keeps to its own branch', () => {
    const onB = (seq: number) => (seq === 2 ? 'b' : undefined);
    expect(short([1, 1, 1, { from: 1, to: 1, at: 1 }], onB)).toEqual([
      [
        [
          [1, 1],
          [3, 3],
        ],
      ],
    ]);
    expect(short([1, 1, 1, { from: 1, to: 1, at: 1, branch: 'b' }], onB)).toEqual([[[[2, 2]]]]);
  });

  it('covers nothing that a rewind hides, and again what a rewound rewind gave back', () => {
    expect(short([1, 2, { rewind: 2, at: 3 }, { from: 1, to: 2, at: 4 }])).toEqual([[[[1, 1]]]]);
    const twice: Log = [1, 2, { rewind: 2, at: 3 }, { rewind: 3, at: 4 }, { from: 1, to: 2, at: 5 }];
    expect(short(twice)).toEqual([[[[1, 2]]]]);
    const summaryDies: Log = [1, 2, { from: 1, to: 2, at: 2 }, { rewind: 2, at: 3 }, { from: 1, to: 2, at: 4 }];
    expect(short(summaryDies)).toEqual([[[[1, 2]]], [[[1, 1]]]]);
  });

  it('makes compactions by the rule of append, whatever the log', () => {
    const item = fc.oneof(
      { weight: 4, arbitrary: fc.nat(9) },
      { weight: 2, arbitrary: fc.record({ from: fc.nat(9), to: fc.nat(9), at: fc.nat(9) }) },
      { weight: 1, arbitrary: fc.record({ rewind: fc.integer({ min: 1, max: 20 }), at: fc.nat(9) }) },
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 20 }), (items) => {
        const log = items.map((entry, index) =>
          typeof entry === 'object' && 'rewind' in entry
            ? { ...entry, rewind: Math.min(entry.rewind, index + 1) }
            : entry,
        );
        const found = outcomes(log);
        const bookkeeping: Pick<Event, 'seq' | 'actions'>[] = [];
        log.forEach((entry, index) => {
          const seq = index + 1;
          if (typeof entry === 'object' && 'rewind' in entry)
            bookkeeping.push({ seq, actions: { rewind: { beforeInvocationId: 'i', fromSeq: entry.rewind } } });
          const outcome = found.find((one) => one.seq === seq);
          if (!outcome?.valid) return;
          const { covers, supersedes = [] } = outcome.compaction;
          const coverage = foldCoverage(bookkeeping);
          for (const [from, to] of covers) {
            expect(to).toBeLessThan(seq);
            for (let covered = from; covered <= to; covered++) expect(coverage.isLive(covered)).toBe(true);
          }
          for (const older of coverage.summaries) {
            const contained = supersedes.includes(older.seq);
            if (contained) expect(subtractRanges(older.compaction.covers, covers)).toEqual([]);
            else expect(intersectRanges(older.compaction.covers, covers)).toEqual([]);
          }
          bookkeeping.push({ seq, actions: { compaction: outcome.compaction } });
        });
      }),
    );
  });
});
