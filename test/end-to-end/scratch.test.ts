import { expect, it } from 'vitest';
import { ManualClock } from '../../src/testing/index.ts';
import { createInMemorySessionStore, createSessionService } from '../../src/sessions/index.ts';
import { openPalimpsest } from '../../src/index.ts';

it('delete meets a new life', async () => {
  const store = createInMemorySessionStore();
  const other = createSessionService({ store });
  const key = { appName: 'a', userId: 'u', sessionId: 's' };
  const told: string[] = [];
  let once = false;
  const first = createSessionService({ store, beforeErase: async (s) => {
    told.push(s.incarnation);
    if (once) return 0;
    once = true;
    await other.delete(key); await other.create(key); await other.append(key, [{ author: 'user', content: 'new life' }]);
    return 0;
  } });
  await first.create(key);
  await first.delete(key).catch((e) => console.log(String(e)));
  const now = await other.open(key);
  console.log('after delete race', now?.version, told.length);
});
it('sweep meets a new life', async () => {
  const store = createInMemorySessionStore();
  const clock = new ManualClock();
  const other = createSessionService({ store, clock });
  const key = { appName: 'a', userId: 'u', sessionId: 's' };
  let once = false;
  const first = createSessionService({ store, clock, beforeErase: async () => {
    if (once) return 0;
    once = true;
    await other.create(key); await other.append(key, [{ author: 'user', content: 'new life' }]);
    return 0;
  } });
  await first.create({ ...key, ttlSeconds: 1 });
  clock.advance(5000);
  await first.sweepExpired('2026-01-01T01:00:00.000Z');
  console.log('after sweep race', (await other.open(key))?.version);
});
it('null options', async () => {
  await using p = await openPalimpsest();
  const s = await p.user('u').session('s');
  await s.append([{ author: 'user', content: 'x' }]);
  const bad: Record<string, () => unknown> = {
    append: () => s.append([{ author: 'user', content: 'x' }], null as never),
    appendNull: () => s.append(null as never),
    appendItem: () => s.append([null] as never),
    read: () => s.read(null as never),
    readEffective: () => s.readEffective(null as never),
    rewind: () => s.rewind(undefined as never),
    fork: () => s.fork(undefined as never),
    sessions: () => p.user('u').sessions(null as never),
    memories: () => p.user('u').memories(null as never),
    remember: () => p.user('u').remember(5 as never),
    rememberOpt: () => p.user('u').remember('x', null as never),
    rememberLabels: () => p.user('u').remember('x', { labels: 'a' } as never),
    recall: () => p.user('u').recall(null as never),
    recallOpt: () => p.user('u').recall('x', null as never),
    recallLimit: () => p.user('u').recall('x', { limit: -1 }),
    forget: () => p.user('u').forget(null as never),
    forgetU: () => p.user('u').forget(undefined as never),
    forgetE: () => p.user('u').forget({} as never),
    session: () => p.user('u').session(null as never),
    sessionOpt: () => p.user('u').session('q', null as never),
    sessionOptTtl: () => p.user('u').session('q', { ttlSeconds: 'x' } as never),
    sessionOptState: () => p.user('u').session('q', { state: 'x' } as never),
    sessionOptMeta: () => p.user('u').session('q', { metadata: 5 } as never),
    sessionOptTz: () => p.user('u').session('q', { timeZone: 'Mars' } as never),
    user: () => p.user(undefined as never),
    project: () => p.user('u').project(undefined as never),
    ctx: () => p.context(null as never),
    ctxOpt: () => p.context(s.key, null as never),
    erase: () => p.eraseSession(undefined as never),
    import: () => p.import(null as never, null as never),
    import2: () => p.import({ userId: 'u', sessionId: 'i', events: [] }, null as never),
    import3: () => p.import({ userId: 'u', sessionId: 'i', events: null } as never, { from: 'x' }),
    import4: () => p.import({ userId: 'u', sessionId: 'i', events: [null] } as never, { from: 'x' }),
    import5: () => p.import({ userId: 'u', sessionId: 'i', events: [{}] } as never, { from: 'x' }),
    list: () => p.sessions.list(null as never),
    create: () => p.sessions.create(null as never),
    stateHistory: () => p.sessions.stateHistory(null as never, 'x'),
    listBehind: () => p.sessions.listBehind(null as never),
    endIdle: () => p.sessions.endIdle(null as never),
    deleteUserData: () => p.sessions.deleteUserData(null as never),
    renew: () => p.sessions.renewLease(null as never),
    release: () => p.sessions.releaseLease(null as never),
    acquire: () => p.sessions.acquireLease(s.key, 'o', null as never),
    backup: () => p.backup(null as never),
    sweep: () => p.sweep(null as never),
    memoryWatermark: () => p.memory.watermark(null as never),
    memoryIngest: () => p.memory.ingest(null as never),
    memoryAdd: () => p.memory.add(null as never, []),
  };
  for (const [n, f] of Object.entries(bad)) {
    try { await f(); console.log(n, 'RESOLVED'); } catch (e) { const x = e as Error & { code?: string, details?: unknown }; if (!x.code) console.log(n, 'RAW', String(x)); else console.log(n, x.code, JSON.stringify(x.details)); }
  }
});
