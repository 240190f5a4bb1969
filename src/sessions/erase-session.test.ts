import { expect, test } from 'vitest';
import { createSessionService } from './create-session-service.ts';
import { createInMemorySessionStore } from './in-memory-session-store.ts';
import type { RowQuery } from './session-store.ts';

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const talk = (length: number) => Array.from({ length }, () => ({ author: 'user', content: 'hello' }));

/** A session with a fork that has grown, and what was read of the store since. */
async function forked(own: number) {
  const store = createInMemorySessionStore();
  const sessions = createSessionService({ store });
  await sessions.create(key);
  await sessions.append(key, talk(1));
  const { key: fork } = await sessions.fork(key, { atSeq: 1, sessionId: 'fork' });
  await sessions.append(fork, talk(own));
  let read = 0;
  const rows = store.rows.bind(store);
  store.rows = async (query: RowQuery) => {
    const found = await rows(query);
    read += found.length;
    return found;
  };
  return { store, sessions, fork, readSoFar: () => read };
}

test('a deletion gives up on a store that goes on refusing, and can be made again', async () => {
  const { store, sessions, fork } = await forked(1);
  const remove = store.remove.bind(store);
  store.remove = async (removal) => (removal.what === 'events' ? 'moved' : remove(removal));
  await expect(sessions.delete(key)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect((await sessions.open(key))?.version).toBe(1);
  store.remove = remove;
  await sessions.delete(key);
  expect((await sessions.read(fork)).items.map(({ seq }) => seq)).toEqual([2]);
});

test('a deletion reads a fork that is written to meanwhile once, and lets others have their turn', async () => {
  const { store, sessions, fork, readSoFar } = await forked(20_000);
  const remove = store.remove.bind(store);
  let late = 50;
  store.remove = async (removal) => {
    if (removal.what === 'events' && late-- > 0) await sessions.append(fork, talk(1));
    return remove(removal);
  };
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  await sessions.delete(key);
  clearInterval(others);
  expect(readSoFar()).toBeLessThan(20_200);
  expect(turns).toBeGreaterThan(0);
  expect((await sessions.open(fork))?.version).toBe(20_051);
});
