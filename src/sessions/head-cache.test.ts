import { describe, expect, it } from 'vitest';
import { HeadCache, nameOf } from './head-cache.ts';
import { newHead } from './session-head.ts';

const headOf = (sessionId: string, incarnation = 'i') =>
  newHead({ key: { appName: 'a', userId: 'u', sessionId }, incarnation, now: 0 });

describe('HeadCache', () => {
  it('gives back the head that was set last, until it is deleted', () => {
    const cache = new HeadCache();
    const head = headOf('s');
    cache.set(headOf('s', 'older'));
    cache.set(head);
    expect(cache.get({ ...head.key })).toBe(head);
    cache.delete(head.key);
    expect(cache.get(head.key)).toBeUndefined();
  });

  it('holds a bounded number of heads and lets the one go that was set longest ago', () => {
    const cache = new HeadCache();
    for (let i = 0; i < 1024; i++) cache.set(headOf(`s${i}`));
    cache.set(headOf('s0'));
    cache.set(headOf('new'));
    expect(cache.get(headOf('s1').key)).toBeUndefined();
    expect(cache.get(headOf('s0').key)).toBeDefined();
    expect(cache.get(headOf('new').key)).toBeDefined();
  });
});

describe('nameOf', () => {
  it('parts keys whose ids contain any separator', () => {
    const names = [
      { appName: 'a/b', userId: 'c', sessionId: 'd' },
      { appName: 'a', userId: 'b/c', sessionId: 'd' },
      { appName: 'a","b', userId: 'c', sessionId: 'd' },
      { appName: 'a', userId: 'b","c', sessionId: 'd' },
    ].map(nameOf);
    expect(new Set(names).size).toBe(names.length);
  });
});
