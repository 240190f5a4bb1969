import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

/** The same value with every object's keys in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('canonicalJson', () => {
  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is the same text exactly where values are equal', () => {
    const few = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', '"', ',', ':', '1') });
    fc.assert(
      fc.property(few, few, fc.boolean(), (a, other, same) => {
        const b = same ? reversed(a) : other;
        const equal = isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(equal);
      }),
    );
  });

  it('sorts by code unit, leaves undefined out, and keeps __proto__', () => {
    expect(canonicalJson({ b: 1, a: undefined, B: 2, ä: 3, 中: 4 })).toBe('{"B":2,"b":1,"ä":3,"中":4}');
    expect(canonicalJson(JSON.parse('{"z":1,"__proto__":{"y":2,"x":1}}'))).toBe('{"__proto__":{"x":1,"y":2},"z":1}');
    expect(canonicalJson([undefined])).toBe('[null]');
    expect(canonicalJson(undefined)).toBe('null');
  });
});
