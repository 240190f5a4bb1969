import { describe, expect, it } from 'vitest';
import type { SessionKey } from '../events/index.ts';
import { createInMemorySessionStore, createSessionService, type SessionService } from '../sessions/index.ts';
import { LogCache } from './log-cache.ts';

const keyOf = (sessionId: string): SessionKey => ({ appName: 'app', userId: 'u1', sessionId });

/** A service that counts the events it gives out. */
function counting() {
  const service = createSessionService({ store: createInMemorySessionStore() });
  const given: number[] = [];
  const sessions: SessionService = new Proxy(service, {
    get: (target, name) => {
      if (name === 'readLive')
        return async (...of: Parameters<SessionService['readLive']>) => {
          const window = await target.readLive(...of);
          given.push(window.events.length);
          return window;
        };
      if (name !== 'read') return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
      return async (...of: Parameters<SessionService['read']>) => {
        const page = await target.read(...of);
        given.push(page.items.length);
        return page;
      };
    },
  });
  const make = async (sessionId: string, count: number) => {
    await service.create(keyOf(sessionId));
    await append(sessionId, count);
  };
  const append = async (sessionId: string, count: number) =>
    (await service.append(keyOf(sessionId), Array(count).fill({ author: 'user', content: '好' }))).events;
  const open = async (sessionId: string) => {
    const session = await service.open(keyOf(sessionId));
    expect(session).toBeDefined();
    return session ?? (await service.create(keyOf(sessionId)));
  };
  const readSize = async (cache: LogCache, sessionId: string) => {
    given.length = 0;
    const log = cache.take(await open(sessionId));
    const { events } = await log.read(sessions);
    cache.keep(log);
    return { length: events.length, read: given.reduce((sum, count) => sum + count, 0) };
  };
  return { service, sessions, make, append, open, readSize };
}

describe('LogCache', () => {
  it('reads a log once, however long it is, and then what is new', async () => {
    const { make, append, readSize } = counting();
    const cache = new LogCache();
    await make('a', 2500);
    expect(await readSize(cache, 'a')).toEqual({ length: 2500, read: 2500 });
    expect(await readSize(cache, 'a')).toEqual({ length: 2500, read: 0 });
    await append('a', 3);
    expect(await readSize(cache, 'a')).toEqual({ length: 2503, read: 3 });
  });

  it('takes in what was appended if it follows on, and in any case no event twice', async () => {
    const { make, append, open, sessions } = counting();
    const cache = new LogCache();
    await make('a', 2);
    const log = cache.take(await open('a'));
    await log.read(sessions);
    log.add(await append('a', 2));
    expect(log.size).toBe(4);
    await append('a', 1);
    const newest = await append('a', 1);
    log.add(newest);
    log.add(newest);
    const [one, two] = await Promise.all([log.read(sessions), log.read(sessions)]);
    expect(one.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(two.events).toEqual(one.events);
  });

  it('lets go what was used longest ago, and keeps nothing that is larger than all it may hold', async () => {
    const { make, readSize } = counting();
    const cache = new LogCache(10);
    await make('a', 4);
    await make('b', 4);
    await make('c', 4);
    await make('large', 11);
    for (const id of ['a', 'b', 'a', 'c']) await readSize(cache, id);
    expect(await readSize(cache, 'a')).toMatchObject({ read: 0 });
    expect(await readSize(cache, 'b')).toMatchObject({ read: 4 });
    expect(await readSize(cache, 'large')).toMatchObject({ read: 11 });
    expect(await readSize(cache, 'large')).toMatchObject({ read: 11 });
  });

  it('reads a fork anew when copied events are erased, and keeps nothing of a life that is over or was forgotten', async () => {
    const { service, make, readSize } = counting();
    const cache = new LogCache();
    await make('origin', 4);
    await service.fork(keyOf('origin'), { atSeq: 3, sessionId: 'fork' });
    await service.append(keyOf('fork'), [{ author: 'user', content: '自己的' }]);
    expect(await readSize(cache, 'fork')).toEqual({ length: 4, read: 4 });
    expect(await readSize(cache, 'fork')).toEqual({ length: 4, read: 0 });
    await service.delete(keyOf('origin'));
    expect(await readSize(cache, 'fork')).toMatchObject({ length: 1 });
    await make('a', 4);
    await readSize(cache, 'a');
    cache.forget(keyOf('a'));
    expect(await readSize(cache, 'a')).toEqual({ length: 4, read: 4 });
    await service.delete(keyOf('a'));
    await make('a', 1);
    expect(await readSize(cache, 'a')).toEqual({ length: 1, read: 1 });
  });
});
