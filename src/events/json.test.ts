import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { canonicalJson } from '../internal/index.ts';
import { addSize, copyJson, copyJsonMap, copyText, freezeParsed, isPlainObject, maxEventBytes } from './json.ts';

const report = () => ({ replacedSurrogates: 0, size: 0 });

function refusal(value: unknown): unknown {
  try {
    copyJson(value, 'data', report());
  } catch (error) {
    return error instanceof PalimpsestError && error.code === 'NOT_JSON' ? error.details : error;
  }
  return 'accepted';
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

describe('copyJson', () => {
  it('copies any JSON value, deep-frozen, keeping nothing by reference', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = canonicalJson(value);
        const copy = copyJson(value, 'x', report());
        expect(canonicalJson(copy)).toBe(before);
        expect(isDeepFrozen(copy)).toBe(true);
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value);
      }),
    );
  });

  it('makes maps without a prototype, so that __proto__ is a key like any other', () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "a": {"__proto__": 2}}');
    const copy = copyJsonMap(value, 'x', report());
    expect(Object.getPrototypeOf(copy)).toBeNull();
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor', 'a']);
    expect(copy.polluted).toBeUndefined();
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('leaves out what is undefined in maps, makes -0 zero, keeps NUL and null', () => {
    const copy = copyJson({ a: undefined, b: -0, c: '\u0000', d: null }, 'x', report());
    expect(Object.entries(copy as object)).toEqual([
      ['b', 0],
      ['c', '\u0000'],
      ['d', null],
    ]);
    expect(Object.is((copy as { b: number }).b, 0)).toBe(true);
  });

  it('replaces lone surrogates, also in keys, and counts them', () => {
    const counted = report();
    const copy = copyJson({ 'k\ud800': ['\udfff中\ud83d', '🙂'] }, 'x', counted);
    expect(copy).toEqual({ 'k\ufffd': ['\ufffd中\ufffd', '🙂'] });
    expect(counted.replacedSurrogates).toBe(3);
    expect(copyText('🙂', counted, 'text')).toBe('🙂');
  });

  class Point {
    x = 1;
  }
  it.each<[string, unknown, string, RegExp]>([
    ['a date', { at: new Date(0) }, 'data.at', /instance of Date/],
    ['a map', { m: new Map() }, 'data.m', /instance of Map/],
    ['a class', [new Point()], 'data[0]', /instance of Point/],
    ['bytes', { b: new Uint8Array(1) }, 'data.b', /instance of Uint8Array/],
    ['a function', { f: () => 1 }, 'data.f', /function/],
    ['a symbol', { s: Symbol('s') }, 'data.s', /symbol/],
    ['a bigint', { a: [{ n: 1n }] }, 'data.a[0].n', /bigint/],
    ['NaN', { n: Number.NaN }, 'data.n', /NaN/],
    ['Infinity', [1, Number.POSITIVE_INFINITY], 'data[1]', /Infinity/],
    ['a hole in a list', { l: Object.assign(new Array(3), { 0: 1, 2: 3 }) }, 'data.l[1]', /undefined/],
    ['undefined', undefined, 'data', /undefined/],
    ['an object of no class', Object.create({ inherited: 1 }), 'data', /instance of Object/],
  ])('refuses %s, naming its path', (_name, value, path, reason) => {
    expect(refusal(value)).toEqual({ path, reason: expect.stringMatching(reason) });
  });

  it('refuses what contains itself, and what is nested too deep, but not what is just deep', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(refusal(circle)).toMatchObject({
      path: expect.stringMatching(/^data\.self\.self/),
      reason: expect.stringMatching(/itself/),
    });
    const nested = (levels: number) => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    expect(refusal(nested(256))).toBe('accepted');
    expect(refusal(nested(257))).toMatchObject({ reason: expect.stringMatching(/256 levels/) });
  });

  it('copies the same object twice where it stands twice', () => {
    const shared = { a: 1 };
    expect(copyJson([shared, shared], 'x', report())).toEqual([{ a: 1 }, { a: 1 }]);
  });
});

describe('addSize', () => {
  it('lets what JSON may still hold pass, and stops at the path where no spelling could', () => {
    const counted = report();
    addSize(counted, 8 * maxEventBytes, 'a');
    expect(counted.size).toBe(8 * maxEventBytes);
    expect(() => addSize(counted, 1, 'b.c')).toThrowError(
      expect.objectContaining({
        code: 'EVENT_TOO_LARGE',
        details: { field: 'b.c', bytes: maxEventBytes + 1, limit: maxEventBytes },
      }),
    );
  });

  it('stops a copy in the middle, so that a text referenced often is not counted to the end', () => {
    let read = 0;
    const long = 'x'.repeat(maxEventBytes);
    const list = Array.from({ length: 100 }, () => ({
      get text() {
        read++;
        return long;
      },
    }));
    expect(() => copyJson(list, 'data', report())).toThrowError(
      expect.objectContaining({
        code: 'EVENT_TOO_LARGE',
        details: expect.objectContaining({ field: 'data[7].text' }),
      }),
    );
    expect(read).toBe(8);
  });

  it('never refuses early what fits, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const counted = report();
        copyJson(value, 'x', counted);
        // The early stop is right because nothing counts more than eight times the bytes that it takes.
        expect(counted.size).toBeLessThanOrEqual(8 * Buffer.byteLength(JSON.stringify(value)));
      }),
    );
  });
});

describe('isPlainObject', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [Object.create(null), true],
    [[], false],
    [null, false],
    [new Date(), false],
    [new Map(), false],
    ['text', false],
    [new (class {})(), false],
  ])('tells %o: %s', (value, expected) => {
    expect(isPlainObject(value)).toBe(expected);
  });
});

describe('freezeParsed', () => {
  it('freezes to the bottom and takes the prototype from every object', () => {
    const value: unknown = JSON.parse('{"a": [{"__proto__": 1}]}');
    freezeParsed(value);
    expect(isDeepFrozen(value)).toBe(true);
    const inner = (value as { a: object[] }).a[0];
    expect(Object.getPrototypeOf(inner)).toBeNull();
    expect(Object.entries(inner ?? {})).toEqual([['__proto__', 1]]);
  });
});
