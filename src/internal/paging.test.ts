import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './paging.ts';

describe('cursors', () => {
  it('give back what they were made of, and are safe in a URL', () => {
    const part = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constantFrom('中文', '🙂', ''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const cursor = encodeCursor(parts);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]*$/);
        expect(decodeCursor(cursor)).toEqual(parts);
      }),
    );
  });

  it('never throw: what is no cursor is undefined', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parts = decodeCursor(text);
        expect(parts === undefined || Array.isArray(parts)).toBe(true);
      }),
    );
    const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const value of [{}, null, 1, 'x', [{}], [[1]], [null], [true]])
      expect(decodeCursor(of(value))).toBeUndefined();
  });
});
