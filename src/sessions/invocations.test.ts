import { expect, it } from 'vitest';
import { createInMemorySessionStore, createSessionService } from './index.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };

it('a late answer moves no newest invocation, in the log, in its forks and after a rewind', async () => {
  const sessions = createSessionService({ store: createInMemorySessionStore() });
  await sessions.create(key);
  await sessions.append(key, [{ author: 'user', content: 'q1', invocationId: 'A' }]);
  await sessions.append(key, [{ author: 'user', content: 'q2', invocationId: 'B' }]);
  await sessions.append(key, [{ author: 'bot', content: 'late', invocationId: 'A' }]);
  await sessions.append(key, [{ author: 'user', content: 'q3', invocationId: 'C' }]);
  const fork = await sessions.fork(key, { atSeq: 3 });
  await sessions.rewind(key, { beforeInvocationId: 'C' });
  for (const log of [key, fork.key]) {
    const { events } = await sessions.append(log, [{ author: 'bot', content: 'next' }]);
    expect(events[0]?.invocationId).toBe('B');
  }
});

it('a shared rewind that writes state itself is refused', async () => {
  const sessions = createSessionService({ store: createInMemorySessionStore() });
  await sessions.create(key);
  await sessions.append(key, [
    { author: 'user', content: 'q', invocationId: 'A', actions: { stateDelta: { 'user:x': 1 } } },
  ]);
  const rewind = { beforeInvocationId: 'A', shared: true as const };
  const event = { author: 'system', actions: { rewind, stateDelta: { 'user:x': 2 } } };
  await expect(sessions.append(key, [event])).rejects.toMatchObject({ code: 'INVALID_REWIND' });
});

it('a sweep goes past what it cannot remove, and then says so', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const sessions = createSessionService({
    store: createInMemorySessionStore(),
    clock: { now: () => now },
    beforeErase: async ({ key: { sessionId } }) => {
      if (sessionId === 'a') throw new TypeError('not now');
      return 0;
    },
  });
  for (const sessionId of ['a', 'b', 'c']) await sessions.create({ ...key, sessionId, ttlSeconds: 1 });
  now += 5000;
  const at = new Date(now).toISOString();
  await expect(sessions.sweepExpired(at)).rejects.toThrow('not now');
  await sessions.create({ ...key, sessionId: 'b' });
  await expect(sessions.sweepExpired(at)).rejects.toThrow('not now');
  expect((await sessions.list({ appName: 'a' })).items.map((info) => info.key.sessionId)).toEqual(['b']);
});
