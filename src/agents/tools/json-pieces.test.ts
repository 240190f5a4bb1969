import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson } from '../../events/index.ts';
import { jsonBeginning, jsonBytes, jsonPieces } from './json-pieces.ts';

const value = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 4 })
  .map((any) => copyJson(any, '$', { replacedSurrogates: 0, size: 0 }));

describe('jsonPieces', () => {
  it('are together what JSON.stringify writes', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect([...jsonPieces(any)].join('')).toBe(JSON.stringify(any));
      }),
    );
  });

  it.each([0, 1, 2, 3])('never part a pair at the seam of two pieces (%d before)', (before) => {
    const text = 'x'.repeat(before) + '🙂'.repeat(10_000);
    expect([...jsonPieces(text)].join('')).toBe(JSON.stringify(text));
  });

  it('of a long text are short', () => {
    const lengths = [...jsonPieces('雨'.repeat(1_000_000))].map((piece) => piece.length);
    expect(Math.max(...lengths)).toBeLessThan(10_000);
  });
});

describe('jsonBytes', () => {
  it('counts the bytes of the JSON in UTF-8', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(jsonBytes(any)).toBe(Buffer.byteLength(JSON.stringify(any)));
      }),
    );
    expect(jsonBytes(['雨', '🙂', '\n'])).toBe(19);
  });
});

describe('jsonBeginning', () => {
  it('is a beginning of the JSON, long enough', () => {
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 50 }), (any, length) => {
        const whole = JSON.stringify(any);
        const beginning = jsonBeginning(any, length);
        expect(whole.startsWith(beginning)).toBe(true);
        expect(beginning.length).toBeGreaterThanOrEqual(Math.min(length, whole.length));
      }),
    );
  });

  it('stops early', () => {
    expect(jsonBeginning(Array(100_000).fill(7), 10).length).toBeLessThan(20);
  });
});
