import { describe, expect, it } from 'vitest';
import { text } from '../events/index.ts';
import { type OpenSession, openPalimpsest, type Palimpsest } from './index.ts';

const exchange = (question: string, answer = 'Yes.') => [
  { author: 'user', content: question },
  { author: 'assistant', content: answer },
];

async function learnt(palimpsest: Palimpsest): Promise<string[]> {
  await palimpsest.settled();
  return (await palimpsest.user('u1').memories({ limit: 1000 })).items.map((entry) => entry.text).sort();
}

async function invocations(session: OpenSession): Promise<string[]> {
  const { items } = await session.read({ limit: 1000 });
  return [...new Set(items.map(({ invocationId }) => invocationId))];
}

describe('version', () => {
  it('guards an append, and a stale handle gets APPEND_CONFLICT with both numbers', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const [first, second] = [await user.session('s1'), await user.session('s1')];
    await first.append([{ author: 'user', content: text('hi') }], { expectedVersion: first.version });
    expect([first.version, second.version]).toEqual([1, 0]);
    const stale = second.append([{ author: 'user', content: 'hello' }], { expectedVersion: second.version });
    await expect(stale).rejects.toMatchObject({
      code: 'APPEND_CONFLICT',
      details: { sessionId: 's1', expected: 0, actual: 1 },
    });
    expect((await first.read()).items).toHaveLength(1);
    const fresh = await user.session('s1');
    await fresh.append([{ author: 'user', content: 'hello' }], { expectedVersion: fresh.version });
  });

  it('counts only what the handle has seen: another writer in between is a conflict', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const [first, second] = [await user.session('s1'), await user.session('s1')];
    // The second append is planned before the first handle has looked at the session again.
    await Promise.all([
      first.append([{ author: 'user', content: 'one' }]),
      second.append([{ author: 'user', content: 'two' }]),
    ]);
    expect([first.version, second.version]).toEqual([1, 2]);
    const unaware = first.append([{ author: 'assistant', content: 'x' }], { expectedVersion: first.version });
    await expect(unaware).rejects.toMatchObject({ code: 'APPEND_CONFLICT' });
  });

  it('survives summaries, pins and the end of the session, which outdate nobody', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const session = await user.session('s1');
    await session.append(exchange('Is it cold?'));
    const other = await user.session('s1');
    await other.append([{ author: 'system', actions: { pin: { seqs: [1] } } }]);
    await other.end();
    await session.append(exchange('Really?'), { expectedVersion: session.version });
    expect(session.version).toBe(6);
  });

  it('shows state as of the last call', async () => {
    await using palimpsest = await openPalimpsest({ state: { seen: 'union' } });
    const user = palimpsest.user('u1');
    const session = await user.session('s1', { state: { seen: ['a'], 'user:unit': 'C' } });
    await session.append([{ author: 'assistant', actions: { stateDelta: { seen: ['b', 'a'] } } }]);
    expect(session.state).toEqual({ seen: ['a', 'b'], 'user:unit': 'C' });
    expect((await user.session('s2')).state).toEqual({ 'user:unit': 'C' });
  });
});

describe('rewinding', () => {
  it('takes memories back, and rewinding the rewind brings them again', async () => {
    await using palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append(exchange('First?', 'One.'));
    await session.append(exchange('Second?', 'Two.'));
    const [, second] = await invocations(session);
    expect(await learnt(palimpsest)).toEqual(['First?', 'One.', 'Second?', 'Two.']);
    const rewind = await session.rewind({ beforeInvocationId: second ?? '' });
    expect(await learnt(palimpsest)).toEqual(['First?', 'One.']);
    await session.append(exchange('Third?', 'Three.'));
    expect(await learnt(palimpsest)).toEqual(['First?', 'One.', 'Third?', 'Three.']);
    await session.rewind({ beforeInvocationId: rewind.invocationId });
    expect(await learnt(palimpsest)).toEqual(['First?', 'One.', 'Second?', 'Two.']);
  });

  it('does so too as an appended event', async () => {
    await using palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append(exchange('First?', 'One.'));
    const [first] = await invocations(session);
    await palimpsest.settled();
    await session.append([{ author: 'system', actions: { rewind: { beforeInvocationId: first ?? '' } } }]);
    expect(await learnt(palimpsest)).toEqual([]);
  });
});

describe('forking', () => {
  it('has memory read the fork from where it left the original', async () => {
    await using palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append(exchange('First?', 'One.'));
    const fork = await session.fork({ atSeq: 2, sessionId: 's2' });
    await fork.append(exchange('Elsewhere?', 'There.'));
    expect(await learnt(palimpsest)).toEqual(['Elsewhere?', 'First?', 'One.', 'There.']);
    const { items } = await palimpsest.user('u1').memories();
    expect(items.filter(({ sessionId }) => sessionId === 's2').map(({ provenance }) => provenance[0])).toMatchObject([
      { seq: 4 },
      { seq: 3 },
    ]);
  });

  it('does not learn the copied events a second time when a rewind in the fork is rewound', async () => {
    await using palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append(exchange('First?', 'One.'));
    const fork = await session.fork({ atSeq: 2, sessionId: 's2' });
    await fork.append(exchange('Elsewhere?', 'There.'));
    const [first] = await invocations(fork);
    const all = await learnt(palimpsest);
    const rewind = await fork.rewind({ beforeInvocationId: first ?? '' });
    expect(await learnt(palimpsest)).toEqual(['First?', 'One.']);
    await fork.rewind({ beforeInvocationId: rewind.invocationId });
    expect(await learnt(palimpsest)).toEqual(all);
  });
});

describe('lives of a session', () => {
  it('starts anew under an id that was deleted, without the memories of the old life', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    const old = await user.session('s1');
    await old.append(exchange('Old?', 'Past.'));
    await palimpsest.settled();
    const receipt = await old.delete();
    expect(receipt).toMatchObject({ events: 2, memories: 2, sessions: [{ sessionId: 's1' }] });
    const young = await user.session('s1');
    expect(young.version).toBe(0);
    expect(young.info.incarnation).not.toBe(old.info.incarnation);
    await young.append(exchange('New?', 'Now.'));
    expect(await learnt(palimpsest)).toEqual(['New?', 'Now.']);
    await young.delete();
    await expect(young.append(exchange('Gone?'))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(young.delete()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('leaves nothing when it is deleted while memory reads it', async () => {
    await using palimpsest = await openPalimpsest();
    const user = palimpsest.user('u1');
    for (let round = 0; round < 20; round++) {
      const session = await user.session('s1');
      for (let i = 0; i <= round % 4; i++) await session.append(exchange(`Round ${round}, part ${i}?`));
      for (let tick = 0; tick < round; tick++) await Promise.resolve();
      await session.delete();
    }
    expect(await learnt(palimpsest)).toEqual([]);
  });
});

describe('bad input', () => {
  const calls: readonly (readonly [string, (session: OpenSession) => Promise<unknown>, string])[] = [
    ['no events', (session) => session.append(undefined as never), 'INVALID_ARGUMENT'],
    ['an event that is none', (session) => session.append([null as never]), 'INVALID_EVENT'],
    ['an event without author', (session) => session.append([{ content: 'x' } as never]), 'INVALID_ID'],
    ['a version that is none', (session) => session.append(exchange('x'), { expectedVersion: -1 }), 'INVALID_ARGUMENT'],
    ['a part of an event', (session) => session.append([{ author: 'a', partial: true }]), 'INVALID_EVENT'],
    ['null for options', (session) => session.append(exchange('x'), null as never), 'INVALID_ARGUMENT'],
    ['null for a page', (session) => session.read(null as never), 'INVALID_ARGUMENT'],
    ['no place to rewind to', (session) => session.rewind(undefined as never), 'INVALID_ARGUMENT'],
    ['no place to fork at', (session) => session.fork(undefined as never), 'INVALID_ARGUMENT'],
    ['an unknown invocation', (session) => session.rewind({ beforeInvocationId: 'nowhere' }), 'INVALID_REWIND'],
    ['an invocation without a name', (session) => session.rewind({ beforeInvocationId: '' }), 'INVALID_ID'],
    ['a fork beyond the end', (session) => session.fork({ atSeq: 99 }), 'INVALID_ARGUMENT'],
    ['a page of nothing', (session) => session.read({ limit: 0 }), 'INVALID_ARGUMENT'],
    ['a foreign cursor', (session) => session.readEffective({ cursor: 'x' }), 'INVALID_ARGUMENT'],
  ];
  it.each(calls)('is refused, and nothing is half done: %s', async (_, call, code) => {
    await using palimpsest = await openPalimpsest();
    const session = await palimpsest.user('u1').session('s1');
    await session.append(exchange('First?'));
    await expect(call(session)).rejects.toMatchObject({ code });
    expect((await session.read()).items).toHaveLength(2);
    expect(session.version).toBe(2);
  });
});
