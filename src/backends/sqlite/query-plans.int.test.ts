import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import type { EventInput } from '../../events/index.ts';
import { createMemoryService } from '../../memory/service/index.ts';
import { createSessionService } from '../../sessions/index.ts';
import type { SqlValue } from './driver.ts';
import { SqliteFile } from './sqlite-file.ts';
import { createSqliteMemoryStore } from './sqlite-memory-store.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';

const app = 'app';
const key = { appName: app, userId: 'u1', sessionId: 's1' };
const user = { appName: app, userId: 'u1' };

/** A file that notes every statement sent to it, with its values. */
function recording(file: SqliteFile): { file: SqliteFile; statements: Map<string, readonly SqlValue[]> } {
  const statements = new Map<string, readonly SqlValue[]>();
  const proxy = new Proxy(file, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const isStatement = name === 'all' || name === 'get' || name === 'run';
      return (...values: unknown[]): unknown => {
        if (isStatement) statements.set(String(values[0]), values.slice(1) as SqlValue[]);
        return Reflect.apply(member, target, values);
      };
    },
  });
  return { file: proxy, statements };
}

async function openRecorded() {
  const opened = await SqliteFile.open({ file: join(scratchFolder(), 'plans.db') });
  const { file, statements } = recording(opened);
  const sessions = createSessionService({ store: createSqliteSessionStore(file) });
  const memory = createMemoryService({ store: createSqliteMemoryStore(file) });
  const store = createSqliteSessionStore(file);
  return { opened, statements, sessions, memory, store };
}

type Recorded = Awaited<ReturnType<typeof openRecorded>>;

const turn: readonly EventInput[] = [
  { author: 'user', content: 'where is it?', invocationId: 'i1' },
  { author: 'a', content: { parts: [{ functionCall: { id: 'c1', name: 'find' } }] }, invocationId: 'i1' },
  { author: 'a', content: { parts: [{ functionResponse: { id: 'c1', name: 'find' } }] }, invocationId: 'i1' },
  { author: 'a', content: 'here', actions: { stateDelta: { at: 1, 'user:at': 1, 'app:at': 1 } }, invocationId: 'i1' },
  { author: 'system', actions: { pin: { seqs: [1] } } },
];

/** The hot paths: what is done, and the indexes that its statements go by. */
const paths: Readonly<Record<string, { run: (on: Recorded) => Promise<unknown>; by: readonly string[] }>> = {
  'head by key': { run: ({ store }) => store.head(key), by: ['sqlite_autoindex_sessions_1'] },
  'create and append': {
    run: async ({ sessions }) => {
      await sessions.create({ ...key, sessionId: 's2', state: { a: 1, 'user:b': 2 } });
      for (let time = 0; time < 3; time++) await sessions.append({ ...key, sessionId: 's2' }, [...turn]);
    },
    by: ['INTEGER PRIMARY KEY', 'PRIMARY KEY'],
  },
  'an append with ids that are stored': {
    run: async ({ sessions }) => {
      for (let time = 0; time < 2; time++)
        await sessions.append(key, [{ id: 'again', author: 'user', content: 'again' }]);
    },
    by: ['events_id'],
  },
  'rows by range': {
    run: ({ store }) => store.rows({ key, ranges: [[2, 4]], limit: 10 }),
    by: ['PRIMARY KEY'],
  },
  'rows by range, newest first': {
    run: ({ store }) => store.rows({ key, newestFirst: true, limit: 2 }),
    by: ['PRIMARY KEY'],
  },
  'rows that are bookkeeping': {
    run: ({ store }) => store.rows({ key, kind: 'bookkeeping' }),
    by: ['events_bookkeeping'],
  },
  'rows that change state': { run: ({ store }) => store.rows({ key, kind: 'state' }), by: ['events_state'] },
  'rows by id': { run: ({ store }) => store.rows({ key, ids: ['a', 'b'] }), by: ['events_id'] },
  'rows by call': { run: ({ store }) => store.rows({ key, callIds: ['c1'] }), by: ['PRIMARY KEY'] },
  'rows of an invocation': { run: ({ store }) => store.rows({ key, invocationId: 'i1' }), by: ['events_run'] },
  'state of all scopes': { run: ({ sessions }) => sessions.open(key), by: ['PRIMARY KEY'] },
  'history of shared state': {
    run: ({ store }) => store.states({ kind: 'user', ...user }, { history: true }),
    by: ['PRIMARY KEY'],
  },
  'sessions of an app': {
    run: ({ store }) => store.list({ by: 'active', appName: app, oldestFirst: false, limit: 10 }),
    by: ['sessions_active'],
  },
  'sessions of an app, next page, oldest first': {
    run: ({ store }) => store.list({ by: 'active', appName: app, oldestFirst: true, after: [5, 5], limit: 10 }),
    by: ['sessions_active'],
  },
  'sessions of a user': {
    run: ({ store }) => store.list({ by: 'active', ...user, oldestFirst: false, after: [2 ** 40, 5], limit: 10 }),
    by: ['sessions_of_user'],
  },
  "sessions of a user's project": {
    run: ({ store }) => store.list({ by: 'active', ...user, projectId: 'p1', oldestFirst: false, limit: 10 }),
    by: ['sessions_of_user'],
  },
  'sessions that memory is behind of': {
    run: ({ store }) => store.list({ by: 'behind', appName: app, limit: 10 }),
    by: ['sessions_behind'],
  },
  'idle sessions': {
    run: ({ store }) => store.list({ by: 'idle', appName: app, before: 2 ** 40, limit: 10 }),
    by: ['sessions_open'],
  },
  'expired sessions': {
    run: ({ store }) => store.list({ by: 'expired', before: 2 ** 50, limit: 10 }),
    by: ['sessions_expiring'],
  },
  'forks of a session': {
    run: ({ store }) => store.list({ by: 'forkedFrom', incarnation: 'x', limit: 10 }),
    by: ['sessions_forked'],
  },
  artifacts: {
    run: async ({ sessions }) => {
      await sessions.artifacts.put(key, 'a.txt', new Uint8Array([1]), 'text/plain');
      await sessions.artifacts.get(key, 'a.txt');
      await sessions.artifacts.list(key);
    },
    by: ['sqlite_autoindex_artifacts_1'],
  },
  'deletion of a session and its forks': {
    run: async ({ sessions }) => {
      await sessions.fork(key, { atSeq: 1, sessionId: 'fork' });
      await sessions.delete(key);
      await sessions.deleteUserData(user);
    },
    by: ['PRIMARY KEY', 'sqlite_autoindex_artifacts_1'],
  },
  'learning, search and list of memories': {
    run: async ({ memory, sessions }) => {
      const { incarnation } = (await sessions.open(key)) ?? { incarnation: 'gone' };
      const source = { ...key, incarnation };
      const { items: events } = await sessions.read(key);
      await memory.ingest({ source, fromSeq: 0, toSeq: events.length, events });
      await memory.add(user, [{ text: 'likes tea' }]);
      await memory.watermark(source);
      const { memories } = await memory.search({ scope: user, query: 'tea where' });
      for (const { id } of memories) await memory.get(user, id);
      await memory.list(user, { limit: 1 });
    },
    by: ['memory_entries_id', 'memory_entries_newest', 'memory_entries_turn', 'PRIMARY KEY'],
  },
  'forgetting of memories': {
    run: async ({ memory, sessions }) => {
      const { incarnation } = (await sessions.open(key)) ?? { incarnation: 'gone' };
      const { items: events } = await sessions.read(key);
      await memory.ingest({ source: { ...key, incarnation }, fromSeq: 0, toSeq: events.length, events });
      await memory.delete(user, { sessionId: key.sessionId, incarnation });
      await memory.add(user, [{ text: 'likes tea' }]);
      await memory.delete(user, { all: true });
    },
    by: ['PRIMARY KEY', 'memory_entries_id'],
  },
};

/** A scan of the ids in a query's own list reads no table. */
const isTableScan = (step: string) => step.startsWith('SCAN') && !/json_each|CONSTANT ROW/.test(step);

describe('every statement goes by an index', () => {
  test.each(Object.entries(paths))('%s', async (_name, { run, by }) => {
    const recorded = await openRecorded();
    const { opened, statements, sessions } = recorded;
    await sessions.create(key);
    await sessions.append(key, turn);
    statements.clear();
    await run(recorded);
    const steps = [...statements]
      .filter(([sql]) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(sql))
      .flatMap(([sql, values]) =>
        opened.all(`EXPLAIN QUERY PLAN ${sql}`, ...values).map((row) => ({ sql, step: String(row.detail) })),
      );
    opened.close();
    expect(steps.filter(({ step }) => isTableScan(step))).toEqual([]);

    process.stdout.write(`\n## ${_name}\n` + steps.map(({sql,step})=>`${step}    <- ${sql.replace(/\s+/g," ").slice(0,150)}`).join("\n")+"\n");
    const searched = steps.map(({ step }) => step);
    const unused = by.filter(
      (index) => !searched.some((step) => new RegExp(`USING (COVERING )?(INDEX )?${index}\\b`).test(step)),
    );
    expect(unused, searched.join('\n')).toEqual([]);
  });

  test('and a statement that scans is noticed', async () => {
    const { opened, statements, store } = await openRecorded();
    await store.health();
    const [sql = ''] = statements.keys();
    expect(isTableScan(String(opened.get(`EXPLAIN QUERY PLAN ${sql}`)?.detail))).toBe(true);
    opened.close();
  });
});
