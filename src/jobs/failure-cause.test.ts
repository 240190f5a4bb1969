import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { causeOf } from './failure-cause.ts';

class Unreadable extends Error {
  override get message(): string {
    throw new TypeError('no');
  }
}

describe('the cause of a dead letter', () => {
  it('has the code of a failure of this library', () => {
    const error = new PalimpsestError('STORE_FULL', { file: '记忆.db' });
    expect(causeOf(error, 5, 7)).toEqual({ message: error.message, code: 'STORE_FULL', attempts: 5, at: 7 });
  });

  it.each([
    ['an error', new TypeError('坏了 😀'), '坏了 😀'],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['a text', 'broken', 'broken'],
    ['nothing', undefined, 'undefined'],
    ['what cannot be read', new Unreadable(), 'The failure cannot be read.'],
    ['what has no text', Object.create(null), 'The failure cannot be read.'],
    ['half a surrogate pair', 'a\ud83d', 'a\ufffd'],
    ['a long text', '😀'.repeat(2_001), `${'😀'.repeat(2_000)}…`],
    ['the longest text', '😀'.repeat(2_000), '😀'.repeat(2_000)],
  ])('is said by %s', (_name, thrown, message) => {
    expect(causeOf(thrown, 1, 0)).toEqual({ message, attempts: 1, at: 0 });
  });
});
