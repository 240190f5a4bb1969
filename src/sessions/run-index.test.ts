import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeRanges, rangeAt, type SeqRange } from '../events/index.ts';
import { RunIndex } from './run-index.ts';

const invocation = fc.constantFrom('a', 'b', 'c');
const range = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 12 }))
  .map(([from, length]): SeqRange => [from, from + length]);
const ranges = fc.array(range, { minLength: 1, maxLength: 4 }).map(normalizeRanges);

/** An index of a log that has these invocations, in order from seq 1; the starts are noted in any order. */
function indexOf(log: readonly string[], notedFrom = 0): RunIndex {
  const starts = log.flatMap((invocationId, at) =>
    log[at - 1] === invocationId ? [] : [{ seq: at + 1, invocationId }],
  );
  const index = new RunIndex();
  const middle = notedFrom % (starts.length + 1);
  for (const start of [...starts.slice(middle), ...starts.slice(0, middle)]) index.add(start);
  return index;
}

describe('the runs of an invocation', () => {
  it('are the stretches of the log that name it, clipped, in the wanted direction', () => {
    fc.assert(
      fc.property(
        fc.record({
          log: fc.array(invocation, { maxLength: 40 }),
          wanted: invocation,
          ranges,
          newestFirst: fc.boolean(),
          notedFrom: fc.nat(),
        }),
        ({ log, wanted, ranges: within, newestFirst, notedFrom }) => {
          const expected = log.flatMap((invocationId, at) =>
            invocationId === wanted && rangeAt(within, at + 1) !== -1 ? [at + 1] : [],
          );
          const found = [...indexOf(log, notedFrom).within(wanted, within, newestFirst)].flatMap(([from, to]) => {
            const seqs = log.map((_, at) => at + 1).filter((seq) => seq >= from && seq <= to);
            return newestFirst ? seqs.reverse() : seqs;
          });
          expect(found).toEqual(newestFirst ? expected.reverse() : expected);
        },
      ),
    );
  });

  it('start where the invocation changes', () => {
    const index = indexOf(['a', 'a', 'b', 'a']);
    expect([1, 2, 3, 4, 5].filter((seq) => index.startsAt(seq))).toEqual([1, 3, 4]);
  });

  it('are walked no further than they are asked for', () => {
    const index = indexOf(Array.from({ length: 10_000 }, (_, at) => (at % 2 === 0 ? 'a' : 'b')));
    const [newest] = index.within('a', [[1, Number.MAX_SAFE_INTEGER]], true);
    expect(newest).toEqual([9999, 9999]);
  });
});
