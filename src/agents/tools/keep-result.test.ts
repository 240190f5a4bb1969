import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../../errors/index.ts';
import { copyJson } from '../../events/index.ts';
import { keepResult } from './keep-result.ts';

const oneMebibyte = 1024 * 1024;
const keep = (result: unknown, maxBytes = oneMebibyte) => keepResult('forecast', result, maxBytes);

const circle: { self?: unknown } = {};
circle.self = circle;

describe('keepResult', () => {
  it.each<[string, unknown, unknown]>([
    ['an object', { 天气: '多云' }, { 天气: '多云' }],
    ['a text', '多云', '多云'],
    ['a list', [1, null, false], [1, null, false]],
    ['nothing', undefined, null],
    ['null', null, null],
    ['a lone surrogate', '\ud83d', '\ufffd'],
  ])('keeps %s as it is', (_name, result, response) => {
    expect(keep(result)).toEqual({ response });
  });

  it('keeps no reference to what the tool returned', () => {
    const result = { days: [1] };
    const { response } = keep(result);
    result.days.push(2);
    expect(response).toEqual({ days: [1] });
    expect(Object.isFrozen(response)).toBe(true);
  });

  it.each<[string, unknown, RegExp]>([
    ['a function', { run: () => 1 }, /^The result of forecast cannot be kept: \$\.run is a function\.$/],
    ['a bigint', [1n], /\$\[0\] is a bigint/],
    ['a date', { 时间: new Date(0) }, /\$\.时间 is an instance of Date/],
    ['a map', new Map(), /\$ is an instance of Map/],
    ['NaN', { n: Number.NaN }, /\$\.n is NaN/],
    ['a cycle', circle, /\$\.self\.self.*… is nested more than 256 levels deep, or contains itself/],
    [
      'a member that throws',
      Object.defineProperty({}, 'a', {
        enumerable: true,
        get: () => {
          throw new PalimpsestError('CLOSED', { what: 'The connection' });
        },
      }),
      /cannot be kept: The connection is closed/,
    ],
    ['a promise inside', { later: Promise.resolve(1) }, /\$\.later is an instance of Promise/],
  ])('refuses %s, naming the place', (_name, result, error) => {
    const outcome = keep(result);
    expect(outcome.failure).toBe('notJson');
    expect(outcome.response).toEqual({ error: expect.stringMatching(error) });
    expect(JSON.stringify(outcome.response).length).toBeLessThan(600);
  });

  it('refuses 20 MB, shows its beginning and says what to do', () => {
    const text = '雨'.repeat(7_000_000);
    const outcome = keep(text);
    expect(outcome.failure).toBe('tooLarge');
    expect(outcome.response).toEqual({
      error: `The result of forecast takes 21000002 bytes, the most is ${oneMebibyte}. Ask for less.`,
      beginning: '雨'.repeat(2_000),
    });
  });

  it('shows the beginning of the JSON of what is no text, cut between characters', () => {
    const outcome = keep({ a: '🙂'.repeat(oneMebibyte) });
    const { beginning } = outcome.response as { beginning: string };
    expect(beginning).toBe(`{"a":"${'🙂'.repeat(1_994)}`);
  });

  it('refuses what no event could hold without measuring it', () => {
    const outcome = keep(Array(9_000_000).fill(0));
    expect(outcome.failure).toBe('tooLarge');
    expect(outcome.response).toEqual({ error: expect.stringMatching(/takes more than 8388609 bytes/) });
  });

  it('measures exactly at the limit', () => {
    const result = ['雨', '\n'];
    const bytes = Buffer.byteLength(JSON.stringify(result));
    expect(keep(result, bytes)).toEqual({ response: result });
    expect(keep(result, bytes - 1).failure).toBe('tooLarge');
  });

  it('is not misled by text whose JSON is longer than itself', () => {
    expect(keep('\u0001'.repeat(100), 601).failure).toBe('tooLarge');
    expect(keep('\u0001'.repeat(100), 602).failure).toBeUndefined();
  });

  it('makes of anything something that can be stored', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 200 }), (result, maxBytes) => {
        const { response } = keep(result, maxBytes);
        expect(copyJson(response, '$', { replacedSurrogates: 0, size: 0 })).toEqual(response);
      }),
    );
  });
});
