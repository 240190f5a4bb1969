import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../../errors/index.ts';
import { failureText } from './failure-text.ts';

const hostile = {
  get message(): string {
    throw new PalimpsestError('CLOSED', { what: 'The message' });
  },
};
const circle: { self?: unknown } = {};
circle.self = circle;
const revoked = Proxy.revocable({}, {});
revoked.revoke();

describe('failureText', () => {
  it.each<[string, unknown, string | undefined]>([
    ['an error', new RangeError('the city is unknown'), 'the city is unknown'],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['a text', '没有这个城市', '没有这个城市'],
    ['an object with a message', { message: 'no such city', code: 7 }, 'no such city'],
    ['another object', { code: 7 }, '{"code":7}'],
    ['a number', 7, '7'],
    ['a bigint', 7n, '7'],
    ['a symbol', Symbol('city'), 'Symbol(city)'],
    ['undefined', undefined, undefined],
    ['null', null, undefined],
    ['white space', ' \n', undefined],
    ['a message that throws', hostile, undefined],
    ['a circle', circle, undefined],
    ['an object that JSON leaves out', { toJSON: () => undefined }, undefined],
    ['a revoked proxy', revoked.proxy, undefined],
    ['an error of ours', new PalimpsestError('CLOSED', { what: 'The store' }), 'The store is closed.'],
  ])('says of %s what it says', (_name, thrown, expected) => {
    expect(failureText(thrown)).toBe(expected);
  });

  it('gives no stack, and a long message shortened', () => {
    expect(failureText(new PalimpsestError('CLOSED', { what: 'It' }))).not.toMatch(/\bat \S+:\d+/);
    expect(failureText('雨'.repeat(5_000))).toBe(`${'雨'.repeat(2_000)}…`);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (thrown) => {
          expect(['string', 'undefined']).toContain(typeof failureText(thrown));
        },
      ),
    );
  });
});
