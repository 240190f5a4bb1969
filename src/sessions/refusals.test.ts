import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { createInMemorySessionStore, createSessionService, type Lease } from './index.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const refusal = (code: string, details: object) =>
  expect.objectContaining({ code, details: expect.objectContaining(details) });

function service() {
  return createSessionService({ store: createInMemorySessionStore() });
}

describe('what a session service refuses', () => {
  it.each([1e300, Number.POSITIVE_INFINITY, Number.NaN, 0, -1, 8e9 * 1000])(
    'a time to live of %s seconds',
    async (ttlSeconds) => {
      const sessions = service();
      await expect(sessions.create({ ...key, ttlSeconds })).rejects.toThrow(PalimpsestError);
      expect(await sessions.open(key)).toBeUndefined();
      expect((await sessions.list({ appName: 'a' })).items).toEqual([]);
    },
  );

  it('a lease that ends after the year 9999', async () => {
    const sessions = service();
    await sessions.create(key);
    await expect(sessions.acquireLease(key, 'run', { seconds: 1e15 })).rejects.toEqual(
      refusal('INVALID_ARGUMENT', { argument: 'seconds' }),
    );
  });

  it.each([{}, null, 5, { token: 1, incarnation: 'x' }])('an append under the lease %j', async (lease) => {
    const sessions = service();
    await sessions.create(key);
    const options = { lease: Object(lease) as Lease };
    await expect(sessions.append(key, [{ author: 'user', content: 'x' }], options)).rejects.toThrow(PalimpsestError);
  });

  it.each([5, null, {}, 'a\0b', ''])('to note %j as the system that events come from', async (importedFrom) => {
    const sessions = service();
    await sessions.create(key);
    const options = { importedFrom: importedFrom as string };
    await expect(sessions.append(key, [{ author: 'user', content: 'x' }], options)).rejects.toEqual(
      refusal('INVALID_ID', { field: 'importedFrom' }),
    );
  });

  it('an order of a list that it does not know, and metadata that would be rewritten at every append', async () => {
    const sessions = service();
    const order = 'bogus' as 'newestFirst';
    await expect(sessions.list({ appName: 'a', order })).rejects.toEqual(
      refusal('INVALID_ARGUMENT', { argument: 'order' }),
    );
    await expect(sessions.create({ ...key, metadata: { note: 'x'.repeat(20_000) } })).rejects.toEqual(
      refusal('INVALID_ARGUMENT', { argument: 'metadata' }),
    );
  });

  it('a shared rewind beside other events', async () => {
    const sessions = service();
    await sessions.create(key);
    await sessions.append(key, [{ author: 'user', content: 'a', invocationId: 'i1' }]);
    const rewind = { author: 'system', actions: { rewind: { beforeInvocationId: 'i1', shared: true as const } } };
    const write = { author: 'user', content: 'b', actions: { stateDelta: { 'user:u': 2 } } };
    await expect(sessions.append(key, [rewind, write])).rejects.toEqual(
      refusal('INVALID_REWIND', { invocationId: 'i1' }),
    );
    expect((await sessions.open(key))?.version).toBe(1);
  });
});

describe('a session service at work', () => {
  it('lets timers have their turn between awaited calls', async () => {
    const sessions = service();
    await sessions.create(key);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const started = performance.now();
    while (performance.now() - started < 100) await sessions.append(key, [{ author: 'user', content: 'x' }]);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
  });

  it('finds a session that is behind beyond any number of expired ones', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const sessions = createSessionService({ store: createInMemorySessionStore(), clock: { now: () => now } });
    for (let number = 0; number < 60; number++) {
      const expiring = { ...key, sessionId: `e${number}` };
      await sessions.create({ ...expiring, ttlSeconds: 10 });
      await sessions.append(expiring, [{ author: 'user', content: 'x' }]);
    }
    now += 11_000;
    await sessions.create(key);
    await sessions.append(key, [{ author: 'user', content: 'x' }]);
    expect((await sessions.listBehind({ appName: 'a' })).map((info) => info.key.sessionId)).toEqual(['s']);
    now += 1_000_000;
    const idleSince = new Date(now - 1000).toISOString();
    expect((await sessions.endIdle({ appName: 'a', idleSince })).map((info) => info.key.sessionId)).toEqual(['s']);
  });
});
