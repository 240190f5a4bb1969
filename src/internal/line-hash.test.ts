import { describe, expect, it } from 'vitest';
import { sha256 } from './hash.ts';
import { LineHash } from './line-hash.ts';

describe('LineHash', () => {
  it('hashes lines as one text, at any time', () => {
    const hash = new LineHash(['', '甲']);
    expect(hash.digest()).toBe(sha256('\n甲'));
    hash.add('b');
    expect(hash.digest()).toBe(sha256('\n甲\nb'));
    expect(new LineHash().digest()).toBe(sha256(''));
  });

  it('goes on from a copy, and leaves the first as it was', () => {
    const hash = new LineHash(['a']);
    const copy = hash.copy();
    copy.add('b');
    expect([hash.digest(), copy.digest()]).toEqual([sha256('a'), sha256('a\nb')]);
    expect(new LineHash().copy().digest()).toBe(sha256(''));
  });
});
