import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countRanges,
  intersectRanges,
  normalizeRanges,
  rangeAt,
  rangesMeet,
  type SeqRange,
  subtractRanges,
} from './ranges.ts';

const anyRanges = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })), {
  maxLength: 8,
});

function setOf(ranges: readonly SeqRange[]): Set<number> {
  const seqs = new Set<number>();
  for (const [from, to] of ranges) for (let seq = from; seq <= to; seq++) seqs.add(seq);
  return seqs;
}

const sorted = (seqs: Iterable<number>) => [...seqs].sort((a, b) => a - b);

function expectNormal(ranges: readonly SeqRange[]): void {
  ranges.forEach(([from, to], index) => {
    expect(from).toBeLessThanOrEqual(to);
    const next = ranges[index + 1];
    if (next !== undefined) expect(next[0]).toBeGreaterThan(to + 1);
  });
}

describe('ranges, against plain sets', () => {
  it('normalize: the same seqs, sorted, disjoint, touching ones joined', () => {
    fc.assert(
      fc.property(anyRanges, (ranges) => {
        const normal = normalizeRanges(ranges);
        expectNormal(normal);
        expect(sorted(setOf(normal))).toEqual(sorted(setOf(ranges)));
        expect(countRanges(normal)).toBe(setOf(ranges).size);
      }),
    );
  });

  it('subtract and intersect', () => {
    fc.assert(
      fc.property(anyRanges, anyRanges, (first, second) => {
        const a = normalizeRanges(first);
        const b = normalizeRanges(second);
        const inB = setOf(b);
        expect(sorted(setOf(subtractRanges(a, b)))).toEqual(sorted([...setOf(a)].filter((seq) => !inB.has(seq))));
        expect(sorted(setOf(intersectRanges(a, b)))).toEqual(sorted([...setOf(a)].filter((seq) => inB.has(seq))));
        expectNormal(subtractRanges(a, b));
      }),
    );
  });

  it('subtract in steps that grow with both lists together, not with their product', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 3000 }), (kept, cut) => {
        const ranges = Array.from({ length: kept }, (_, index): SeqRange => [index * 10, index * 10 + 8]);
        const taken = Array.from({ length: cut }, (_, index): SeqRange => [index * 7, index * 7 + 2]);
        let steps = 0;
        const counted = new Proxy(taken, {
          get(target, name) {
            if (typeof name === 'string' && /^\d+$/.test(name)) steps++;
            return Reflect.get(target, name);
          },
        });
        expect(subtractRanges(ranges, counted)).toEqual(subtractRanges(ranges, taken));
        expect(steps).toBeLessThanOrEqual(4 * (kept + cut));
      }),
      { numRuns: 20 },
    );
  });

  it('find the range that holds a seq', () => {
    fc.assert(
      fc.property(anyRanges, fc.integer({ min: 0, max: 42 }), (ranges, seq) => {
        const normal = normalizeRanges(ranges);
        expect(rangeAt(normal, seq)).toBe(normal.findIndex(([from, to]) => from <= seq && seq <= to));
        const wide: SeqRange = [seq, seq + 3];
        expect(rangesMeet(normal, wide)).toBe(intersectRanges(normal, [wide]).length > 0);
      }),
    );
  });

  it('do not change what they are given', () => {
    const ranges: SeqRange[] = [
      [5, 6],
      [1, 2],
    ];
    normalizeRanges(ranges);
    expect(ranges).toEqual([
      [5, 6],
      [1, 2],
    ]);
  });
});
