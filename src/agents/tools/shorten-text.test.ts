import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstCodePoints, shortenText } from './shorten-text.ts';

describe('firstCodePoints', () => {
  it('takes so many code points of any text, and never half of one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, count) => {
        const beginning = firstCodePoints(text, count);
        expect(Array.from(beginning)).toEqual(Array.from(text).slice(0, count));
        expect(beginning.isWellFormed()).toBe(true);
      }),
    );
  });

  it('replaces what was half a pair before', () => {
    expect(firstCodePoints('\ud83d中文🙂\udfff', 9)).toBe('\ufffd中文🙂\ufffd');
  });
});

describe('shortenText', () => {
  it.each([
    ['明天多云', 4, '明天多云'],
    ['明天多云', 3, '明天多…'],
    ['🙂🙂🙂', 2, '🙂🙂…'],
    ['', 2, ''],
  ])('makes of %s at most %d: %s', (text, count, expected) => {
    expect(shortenText(text, count)).toBe(expected);
  });
});
