import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { JsonMap, JsonValue } from '../events/index.ts';
import type { StandardSchema } from '../models/index.ts';
import { ScriptedModel } from '../testing/index.ts';
import { type OpenOptions, openPalimpsest, type Palimpsest, type User } from './index.ts';
import { mergesOf, schemasOf } from './state-keys.ts';

interface Profile {
  name: string;
  nick?: string | undefined;
  tags: string[];
}

interface Trip {
  'user:profile': Profile;
  score: number;
}

const forAny = (palimpsest: Palimpsest, _user?: User): string => palimpsest.appName;

describe('state keys', () => {
  it('are parted into merges and schemas', () => {
    const schema = z.number();
    const keys = {
      a: 'append',
      b: { merge: 'max', schema },
      c: { schema },
      d: {},
      'user:é': { merge: 'union' },
    } as const;
    expect(mergesOf(keys)).toEqual({ a: 'append', b: 'max', 'user:é': 'union' });
    expect([...schemasOf(keys)]).toEqual([
      ['b', schema],
      ['c', schema],
    ]);
  });

  it('may be called like a member of every object', () => {
    const keys: Record<string, 'max'> = JSON.parse('{ "__proto__": "max", "constructor": "max" }');
    expect(Object.keys(mergesOf(keys))).toEqual(['__proto__', 'constructor']);
  });
});

describe('the type of state', () => {
  it('is inferred from the schemas of its keys', async () => {
    await using palimpsest = await openPalimpsest({
      state: { 'user:unit': { schema: z.string() }, score: { schema: z.number(), merge: 'max' } },
    });
    expectTypeOf(palimpsest).toEqualTypeOf<Palimpsest<{ 'user:unit': string; score: number }>>();
    const session = await palimpsest
      .user('u1')
      .project('p')
      .session('s1', { state: { score: 3 } });
    expectTypeOf(session.state).toEqualTypeOf<Readonly<Partial<{ 'user:unit': string; score: number }>>>();
    expect(session.state.score).toBe(3);
    // @ts-expect-error no such key was declared
    expect(session.state.socre).toBeUndefined();
    const fork = await session.fork({ atSeq: 1 });
    expectTypeOf(fork).toEqualTypeOf<typeof session>();
    expect(fork.state).toEqual({ score: 3 });
    // @ts-expect-error a score is a number
    await expect(palimpsest.user('u1').session('s2', { state: { score: '3' } })).rejects.toMatchObject({
      code: 'INVALID_EVENT',
    });
  });

  it('is what is stored, which is what a schema takes, not what it makes of it', async () => {
    await using palimpsest = await openPalimpsest({
      state: { size: { schema: z.string().transform((text) => text.length) }, notes: 'append' },
    });
    const { state } = await palimpsest.user('u1').session('s1', { state: { size: '摄氏度' } });
    expectTypeOf(state).toEqualTypeOf<Readonly<Partial<{ size: string; notes: JsonValue }>>>();
    expect(state).toEqual({ size: '摄氏度' });
  });

  it('is given by hand, with or without schemas, which then have to agree', async () => {
    await using palimpsest = await openPalimpsest<Trip>({ state: { score: { schema: z.number() } } });
    const { state } = await palimpsest.user('u1').session('s1', { state: { score: 1 } });
    expectTypeOf(state).toEqualTypeOf<Readonly<Partial<Trip>>>();
    expect(state.score).toBe(1);
    const options: OpenOptions<Trip> = {
      // @ts-expect-error a score is a number
      state: { score: { schema: z.string() } },
    };
    await using other = await openPalimpsest(options);
    expectTypeOf(other).toEqualTypeOf<Palimpsest<Trip>>();
    expect(forAny(other, other.user('u1'))).toBe('default');
  });

  it('is a JsonMap where nothing is said of it', async () => {
    const options: OpenOptions = {};
    await using plain = await openPalimpsest();
    await using merged = await openPalimpsest({ ...options, state: { notes: 'append', best: { merge: 'max' } } });
    await using given = await openPalimpsest(options);
    expectTypeOf(plain).toEqualTypeOf<Palimpsest<JsonMap>>();
    expectTypeOf(merged).toEqualTypeOf<Palimpsest<JsonMap>>();
    expectTypeOf(given).toEqualTypeOf<Palimpsest<JsonMap>>();
    const session = await merged.user('u1').session('s1', { state: { notes: ['晴'], more: 1 } });
    expectTypeOf(session.state).toEqualTypeOf<JsonMap>();
    await session.append([{ author: 'user', actions: { stateDelta: { notes: ['雨'], best: 2 } } }]);
    expect(session.state).toEqual({ notes: ['晴', '雨'], more: 1, best: 2 });
  });

  it('stands in no way where any Palimpsest will do', async () => {
    await using byHand = await openPalimpsest<Trip>();
    await using wide = await openPalimpsest<Record<string, Profile>>();
    await using inferred = await openPalimpsest({
      state: { profile: { schema: z.object({ nick: z.string().optional(), more: z.unknown() }) } },
    });
    for (const palimpsest of [byHand, wide, inferred] as const) expect(forAny(palimpsest)).toBe('default');
    const options: Parameters<typeof openPalimpsest>[0] = { state: { notes: 'append' } };
    await using opened = await openPalimpsest({ ...options, appName: 'spread' });
    expect(forAny(opened)).toBe('spread');
    expectTypeOf((await opened.user('u1').session('s1', { state: { notes: [1] } })).state).toEqualTypeOf<JsonMap>();
    const some: Palimpsest = byHand;
    expectTypeOf((await some.user('u1').session('s1')).state).toEqualTypeOf<JsonMap>();
  });

  it('is known to the callbacks and the output key of an agent', async () => {
    await using palimpsest = await openPalimpsest<Trip>();
    const agent = palimpsest.agent({
      name: 'guide',
      model: new ScriptedModel(['好']),
      callbacks: {
        beforeAgent: ({ state }) => {
          expectTypeOf(state.get('user:profile')).toEqualTypeOf<Profile | undefined>();
          state.set('score', 7);
        },
      },
    });
    for await (const _ of agent.run({ userId: 'u1', sessionId: 's1', message: '你好' }));
    expect((await palimpsest.user('u1').session('s1')).state.score).toBe(7);
    const refused = () =>
      // @ts-expect-error no such key is in the state
      palimpsest.agent({ name: 'guide', model: new ScriptedModel([]), outputKey: 'answer' });
    expectTypeOf(refused).returns.toEqualTypeOf<typeof agent>();
  });

  it('takes the schemas of any library', () => {
    expectTypeOf(z.array(z.string())).toExtend<StandardSchema<string[]>>();
    expectTypeOf<{ state: { a: { schema: StandardSchema } } }>().toExtend<OpenOptions>();
  });
});
