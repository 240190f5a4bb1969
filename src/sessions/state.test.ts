import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonValue, noActions, type SessionKey } from '../events/index.ts';
import {
  changesOf,
  foldSessionState,
  fullKey,
  mergeFor,
  mergeScopes,
  reduceValue,
  type StateChange,
  type StateMerges,
  scopedKey,
  scopeOf,
  writesOf,
} from './state.ts';

const key: SessionKey = { appName: 'a', userId: 'u', sessionId: 's' };
const merges: StateMerges = { list: 'append', set: 'union', peak: 'max', 'user:set': 'union', 'app:list': 'append' };

const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom('摄氏度', 'x', null, true),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  fc.constant({ a: [1] }),
);
const stateKey = fc.constantFrom('list', 'set', 'peak', 'plain', '__proto__', '名');
const changes: fc.Arbitrary<StateChange[]> = fc
  .array(fc.record({ key: stateKey, value: fc.option(value, { nil: undefined, freq: 4 }) }), { maxLength: 20 })
  .map((list) => list.map((change, index) => ({ ...change, seq: index + 1 })));

describe('keys', () => {
  it('are taken apart and put together without loss', () => {
    const any = fc.oneof(fc.string(), fc.constantFrom('app:', 'user:', 'app:user:x', 'user:app:x', 'temp:x', 'App:x'));
    fc.assert(fc.property(any, (name) => fullKey(scopedKey(name)) === name));
  });

  it('belong to a scope by their prefix and nothing else', () => {
    expect(scopedKey('app:plan')).toEqual({ kind: 'app', name: 'plan' });
    expect(scopedKey('user:app:plan')).toEqual({ kind: 'user', name: 'app:plan' });
    expect(scopedKey('application:plan')).toEqual({ kind: 'session', name: 'application:plan' });
    expect(scopeOf('user', key)).toEqual({ kind: 'user', appName: 'a', userId: 'u' });
    expect(scopeOf('app', key)).toEqual({ kind: 'app', appName: 'a' });
  });
});

describe('changesOf', () => {
  it('lists what an event writes, then what it removes', () => {
    const actions = { stateDelta: { b: 1, a: null }, stateRemoved: ['b'] };
    expect(changesOf({ seq: 7, actions })).toEqual([
      { key: 'b', value: 1, seq: 7 },
      { key: 'a', value: null, seq: 7 },
      { key: 'b', value: undefined, seq: 7 },
    ]);
    expect(changesOf({ seq: 1, actions: noActions })).toEqual([]);
  });
});

describe('reduceValue', () => {
  it('replaces without a merge, sets what is new and removes what is removed with any', () => {
    fc.assert(
      fc.property(value, value, fc.constantFrom(undefined, 'append', 'union', 'max'), (before, change, merge) => {
        expect(reduceValue(undefined, { before, change })).toEqual(change);
        expect(reduceValue(merge, { before: undefined, change })).toEqual(change);
        expect(reduceValue(merge, { before, change: undefined })).toBeUndefined();
      }),
    );
  });

  it('appends in order, and takes a single value as a list of one', () => {
    expect(reduceValue('append', { before: 1, change: [2, 2] })).toEqual([1, 2, 2]);
    expect(reduceValue('append', { before: [1], change: 'x' })).toEqual([1, 'x']);
  });

  it('unites by value: what is there is not added, and uniting again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(value), fc.array(value), (before, change) => {
        const once = reduceValue('union', { before, change });
        expect(reduceValue('union', { before: once ?? null, change })).toEqual(once);
        const names = (Array.isArray(once) ? once : []).slice(before.length).map((item) => JSON.stringify(item));
        expect(new Set(names).size).toBe(names.length);
      }),
    );
    expect(reduceValue('union', { before: [{ a: 1, b: 2 }], change: [{ b: 2, a: 1 }] })).toEqual([{ a: 1, b: 2 }]);
  });

  it('keeps the greater number, and replaces what is none', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (before, change) => {
        expect(reduceValue('max', { before, change })).toBe(Math.max(before, change));
      }),
    );
    expect(reduceValue('max', { before: 'a', change: 1 })).toBe(1);
    expect(reduceValue('max', { before: 1, change: 'a' })).toBe('a');
  });
});

describe('foldSessionState', () => {
  it('is the same however the changes are cut into commits', () => {
    fc.assert(
      fc.property(changes, fc.array(fc.nat(20)), (list, cuts) => {
        const whole = foldSessionState(list, merges);
        const stored = new Map<string, JsonValue>();
        const bounds = [0, ...cuts.map((cut) => Math.min(cut, list.length)).sort((a, b) => a - b), list.length];
        for (let i = 1; i < bounds.length; i++) {
          const current = new Map([...stored].map(([name, one]) => [name, { key: name, value: one, revision: 0 }]));
          const part = list.slice(bounds[i - 1], bounds[i]);
          for (const write of writesOf({ changes: part, key, incarnation: 'i', merges, current })) {
            if (write.value === undefined) stored.delete(write.key);
            else stored.set(write.key, write.value);
          }
        }
        expect(Object.fromEntries([...stored].sort())).toEqual(Object.fromEntries([...whole].sort()));
      }),
    );
  });

  it('passes shared keys over', () => {
    const list = ['app:x', 'user:x', 'x'].map((name) => ({ key: name, value: 1, seq: 1 }));
    expect([...foldSessionState(list, {})]).toEqual([['x', 1]]);
  });
});

describe('writesOf', () => {
  it('writes a key once, with its last value and its scope', () => {
    const list = [
      { key: 'user:unit', value: 'F', seq: 1 },
      { key: 'user:unit', value: 'C', seq: 2 },
      { key: 'x', value: 1, seq: 2 },
    ];
    expect(writesOf({ changes: list, key, incarnation: 'i', merges, current: new Map() })).toEqual([
      {
        scope: { kind: 'user', appName: 'a', userId: 'u' },
        key: 'unit',
        value: 'C',
        source: { incarnation: 'i', seq: 2 },
      },
      { scope: { kind: 'session', key }, key: 'x', value: 1, source: { incarnation: 'i', seq: 2 } },
    ]);
  });

  it('names the revision that a merged shared key was computed from', () => {
    const list = [{ key: 'user:set', value: ['b'], seq: 1 }];
    const current = new Map([['user:set', { key: 'set', value: ['a'], revision: 4 }]]);
    expect(writesOf({ changes: list, key, incarnation: 'i', merges, current })).toMatchObject([
      { value: ['a', 'b'], expectedRevision: 4 },
    ]);
    expect(writesOf({ changes: list, key, incarnation: 'i', merges, current: new Map() })).toMatchObject([
      { value: ['b'], expectedRevision: 0 },
    ]);
  });

  it('merges on from a key that the same commit has removed', () => {
    const list = [
      { key: 'list', value: undefined, seq: 1 },
      { key: 'list', value: 2, seq: 2 },
    ];
    const current = new Map([['list', { key: 'list', value: [1], revision: 0 }]]);
    expect(writesOf({ changes: list, key, incarnation: 'i', merges, current })).toMatchObject([{ value: 2 }]);
  });
});

describe('merges and scopes', () => {
  it('know only declared keys, not what every object has', () => {
    expect(mergeFor(merges, 'constructor')).toBeUndefined();
    expect(mergeFor(merges, 'user:set')).toBe('union');
  });

  it('show all scopes in one frozen map without a prototype, removed keys absent', () => {
    const state = mergeScopes([
      { kind: 'session', values: [{ key: '__proto__', value: 1, revision: 0 }] },
      { kind: 'user', values: [{ key: 'unit', value: 'C', revision: 2 }] },
      {
        kind: 'app',
        values: [
          { key: 'gone', value: undefined, revision: 3 },
          { key: 'nil', value: null, revision: 1 },
        ],
      },
    ]);
    expect(Object.entries(state)).toEqual([
      ['__proto__', 1],
      ['app:nil', null],
      ['user:unit', 'C'],
    ]);
    expect(Object.isFrozen(state)).toBe(true);
    expect(Object.getPrototypeOf(state)).toBeNull();
  });

  it('are in one order, whatever the order in which a store gives them', () => {
    const inSomeOrder = fc
      .uniqueArray(fc.string(), { maxLength: 12 })
      .chain((keys) => fc.tuple(...[keys, keys].map((all) => fc.shuffledSubarray(all, { minLength: all.length }))));
    const keysOf = (keys: readonly string[]) =>
      Object.keys(mergeScopes([{ kind: 'user', values: keys.map((each) => ({ key: each, value: 1, revision: 1 })) }]));
    fc.assert(
      fc.property(inSomeOrder, ([one = [], other = []]) => {
        expect(keysOf(one)).toEqual(keysOf(other));
        expect(keysOf(one)).toEqual(one.map((name) => fullKey({ kind: 'user', name })).sort());
      }),
    );
  });
});
