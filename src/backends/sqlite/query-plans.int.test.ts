import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import type { EventInput } from '../../events/index.ts';
import { sha256 } from '../../internal/index.ts';
import { createMemoryService } from '../../memory/service/index.ts';
import { createSessionService } from '../../sessions/index.ts';
import type { SqlValue } from './driver.ts';
import { SqliteFile } from './sqlite-file.ts';
import { createSqliteMemoryStore } from './sqlite-memory-store.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';

const app = 'app';
const key = { appName: app, userId: 'u1', sessionId: 's1' };
const user = { appName: app, userId: 'u1' };

/** A text of a request that quotes a memory. */
function textOf(text: string) {
  const json = JSON.stringify({ parts: [{ text }], role: 'user' });
  const source = { kind: 'direct', source: 'api', id: 'm1', at: '2026-01-01T00:00:00.000Z' } as const;
  return { hash: sha256(json), json, sources: [source] };
}

function journalOf(hash: string): NonNullable<EventInput['request']> {
  const view = { agentName: 'a', history: 'full', provider: 'gemini' } as const;
  const blocks = [{ hash, kind: 'memory', stable: false }];
  const hashes = { configHash: '', requestHash: '', prefixFingerprint: '' };
  return { throughSeq: 0, view, model: 'none', blocks, ...hashes, rules: 1, breaks: [] };
}

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
  { author: 'user', content: 'where is the teapot?', invocationId: 'i1' },
  { author: 'a', content: { parts: [{ functionCall: { id: 'c1', name: 'find' } }] }, invocationId: 'i1' },
  { author: 'a', content: { parts: [{ functionResponse: { id: 'c1', name: 'find' } }] }, invocationId: 'i1' },
  { author: 'a', content: 'here', actions: { stateDelta: { at: 1, 'user:at': 1, 'app:at': 1 } }, invocationId: 'i1' },
  { author: 'system', actions: { pin: { seqs: [1] } } },
];

/** The hot paths: what is done, and the indexes that its statements go by. */
const paths: Readonly<Record<string, { run: (on: Recorded) => Promise<unknown>; by: readonly string[] }>> = {
  'head by key': {
    run: ({ store }) => store.head(key),
    by: ['sqlite_autoindex_sessions_1 (app=? AND user=? AND id=?)'],
  },
  'create and append': {
    run: async ({ sessions }) => {
      await sessions.create({ ...key, sessionId: 's2', state: { a: 1, 'user:b': 2 } });
      for (let time = 0; time < 3; time++) await sessions.append({ ...key, sessionId: 's2' }, [...turn]);
    },
    by: ['sessions USING INTEGER PRIMARY KEY', 'sqlite_autoindex_shared_state_1 (app=? AND user=? AND key=?)'],
  },
  'an append with ids that are stored': {
    run: async ({ sessions }) => {
      for (let time = 0; time < 2; time++)
        await sessions.append(key, [{ id: 'again', author: 'user', content: 'again' }]);
    },
    by: ['events_id (session=? AND id=? AND seq>? AND seq<?)'],
  },
  'rows by range': {
    run: ({ store }) => store.rows({ key, ranges: [[2, 4]], limit: 10 }),
    by: ['events USING PRIMARY KEY (session=? AND seq>? AND seq<?)'],
  },
  'rows by range, newest first': {
    run: ({ store }) => store.rows({ key, newestFirst: true, limit: 2 }),
    by: ['events USING PRIMARY KEY (session=? AND seq>? AND seq<?)'],
  },
  'rows that are bookkeeping': {
    run: ({ store }) => store.rows({ key, kind: 'bookkeeping' }),
    by: ['events_bookkeeping (session=? AND seq>? AND seq<?)'],
  },
  'rows that change state': {
    run: ({ store }) => store.rows({ key, kind: 'state' }),
    by: ['events_state (session=? AND seq>? AND seq<?)'],
  },
  'rows by id': {
    run: ({ store }) => store.rows({ key, ids: ['a', 'b'] }),
    by: ['events_id (session=? AND id=? AND seq>? AND seq<?)'],
  },
  'rows by call': {
    run: ({ store }) => store.rows({ key, callId: 'c1', newestFirst: true, limit: 2 }),
    by: [
      'calls USING PRIMARY KEY (session=? AND call=? AND seq>? AND seq<?)',
      'event USING PRIMARY KEY (session=? AND seq=?)',
    ],
  },
  'rows of an invocation': {
    run: async ({ store }) => {
      await store.rows({ key, invocationId: 'i1' });
      await store.rows({ key, invocationId: 'i1', newestFirst: true, limit: 1 });
    },
    by: ['events_run (session=? AND run=? AND seq>? AND seq<?)', 'events_starts (session=? AND seq>?)'],
  },
  'the live window, with a late response': {
    run: async ({ sessions, statements }) => {
      const content = { role: 'model' as const, parts: [{ text: '摘要' }] };
      const compaction = { covers: [[1, 4]] as const, content, trigger: 't', sourceHash: '' };
      const response = { functionResponse: { id: 'c1', name: 'find' } };
      await sessions.append(key, [{ author: 'system', actions: { compaction } }]);
      await sessions.append(key, [{ author: 'a', content: { parts: [response] } }]);
      statements.clear();
      await sessions.readLive(key, { agentName: 'a', branch: 'root', history: 'full', provider: 'gemini' });
    },
    by: [
      'events_bookkeeping (session=? AND seq>? AND seq<?)',
      'events USING PRIMARY KEY (session=? AND seq>? AND seq<?)',
      'calls USING PRIMARY KEY (session=? AND call=? AND seq>? AND seq<?)',
      'event USING PRIMARY KEY (session=? AND seq=?)',
    ],
  },
  'state of all scopes': {
    run: ({ sessions }) => sessions.open(key),
    by: [
      'session_state USING PRIMARY KEY (session=?)',
      'COVERING INDEX sqlite_autoindex_shared_state_1 (app=? AND user=? AND key>?)',
      'COVERING INDEX sqlite_autoindex_shared_state_1 (app=? AND user=? AND key=?)',
      'shared_state USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  },
  'state of some keys': {
    run: async ({ store }) => {
      for (const scope of [
        { kind: 'session', key },
        { kind: 'app', appName: app },
      ] as const)
        await store.states(scope, { keys: ['at'] });
    },
    by: [
      'session_state USING PRIMARY KEY (session=? AND key=?)',
      'COVERING INDEX sqlite_autoindex_shared_state_1 (app=? AND user=? AND key=?)',
      'shared_state USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  },
  'history of shared state': {
    run: async ({ store }) => {
      await store.states({ kind: 'user', ...user }, { history: true });
      await store.states({ kind: 'user', ...user }, { history: true, keys: ['at'] });
    },
    by: [
      'sqlite_autoindex_shared_state_1 (app=? AND user=?)',
      'sqlite_autoindex_shared_state_1 (app=? AND user=? AND key=?)',
    ],
  },
  'sessions of an app': {
    run: ({ store }) => store.list({ by: 'active', appName: app, oldestFirst: false, limit: 10 }),
    by: ['sessions_active (app=?)'],
  },
  'sessions of an app, next page, oldest first': {
    run: ({ store }) => store.list({ by: 'active', appName: app, oldestFirst: true, after: [5, 5], limit: 10 }),
    by: ['sessions_active (app=? AND active>?)'],
  },
  'sessions of a user': {
    run: ({ store }) => store.list({ by: 'active', ...user, oldestFirst: false, after: [2 ** 40, 5], limit: 10 }),
    by: ['sessions_of_user (app=? AND user=? AND active<?)'],
  },
  "sessions of a user's project": {
    run: ({ store }) => store.list({ by: 'active', ...user, projectId: 'p1', oldestFirst: false, limit: 10 }),
    by: ['sessions_of_user (app=? AND user=?)'],
  },
  'sessions that memory is behind of': {
    run: ({ store }) => store.list({ by: 'behind', liveAt: 0, appName: app, limit: 10 }),
    by: ['sessions_behind (app=?)'],
  },
  'idle sessions': {
    run: ({ store }) => store.list({ by: 'idle', liveAt: 0, appName: app, before: 2 ** 40, limit: 10 }),
    by: ['sessions_open (app=? AND active<?)'],
  },
  'expired sessions': {
    run: ({ store }) => store.list({ by: 'expired', before: 2 ** 50, limit: 10 }),
    by: ['sessions_expiring (expires<?)'],
  },
  'forks of a session': {
    run: ({ store }) => store.list({ by: 'forkedFrom', incarnation: 'x', limit: 10 }),
    by: ['sessions_forked (forked_from=?'],
  },
  artifacts: {
    run: async ({ sessions }) => {
      await sessions.artifacts.put(key, 'a.txt', new Uint8Array([1]), 'text/plain');
      await sessions.artifacts.get(key, 'a.txt');
      await sessions.artifacts.list(key);
    },
    by: ['sqlite_autoindex_artifacts_1 (app=? AND user=? AND session=? AND name=?)'],
  },
  'texts of requests, by name and by what they quote': {
    run: async ({ sessions }) => {
      const text = textOf('指令');
      const told = { author: 'a', content: '答', request: journalOf(text.hash) };
      await sessions.append(key, [told], { texts: [text] });
      await sessions.readText(key, text.hash);
      await sessions.fork(key, { atSeq: 1, sessionId: 'fork' });
      await sessions.eraseQuotes({ ...user, sources: [{ directId: 'm1' }] });
      await sessions.append(key, [told], { texts: [text] });
      await sessions.delete(key);
    },
    by: [
      'sqlite_autoindex_artifacts_1 (app=? AND user=? AND session=? AND name=? AND version=?)',
      'artifact_sources_quoting (app=? AND user=? AND source=?)',
      'artifact_sources USING PRIMARY KEY (app=? AND user=? AND session=?',
      'sqlite_autoindex_gone_sources_1 (source=?)',
      'gone_sources USING INTEGER PRIMARY KEY (rowid<?)',
    ],
  },
  'deletion of a session and its forks': {
    run: async ({ sessions }) => {
      await sessions.fork(key, { atSeq: 1, sessionId: 'fork' });
      await sessions.delete(key);
      await sessions.deleteUserData(user);
    },
    by: [
      'events USING PRIMARY KEY (session=?)',
      'sessions_forked',
      'events_bookkeeping',
      'sqlite_autoindex_artifacts_1',
    ],
  },
  'learning, search and list of memories': {
    run: async ({ memory, sessions }) => {
      const { incarnation } = (await sessions.open(key)) ?? { incarnation: 'gone' };
      const source = { ...key, incarnation };
      const { items: events } = await sessions.read(key);
      await memory.ingest({ source, fromSeq: 0, toSeq: events.length, events });
      await memory.add(user, [{ text: 'likes tea' }]);
      await memory.watermark(source);
      const { memories } = await memory.search({ scope: user, query: 'tea teapot' });
      for (const { id } of memories) await memory.get(user, id);
      await memory.list(user, { limit: 1 });
    },
    by: [
      'memory_entries_id (owner=? AND id=?)',
      'memory_entries_newest (partition=?',
      'memory_entries_turn (source=? AND turn>? AND turn<?)',
      'memory_postings USING PRIMARY KEY (partition=? AND term=?)',
    ],
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
    by: [
      'memory_provenance USING PRIMARY KEY (source=? AND seq>? AND seq<?)',
      'memory_postings USING PRIMARY KEY (partition=?',
    ],
  },
};

/** A scan of the ids in a query's own list, or of the names that it has found so far, reads no table. */
const isTableScan = (step: string) => step.startsWith('SCAN') && !/json_each|CONSTANT ROW|^SCAN names$/.test(step);

/** What is sorted after it was found: as many rows as were asked for, or as a user has projects. */
const mayBeSorted = /INDEXED BY events_id|FROM memory_partitions WHERE owner = \?/;

/** How SQLite would go about each statement. */
function planOf(file: SqliteFile, statements: ReadonlyMap<string, readonly SqlValue[]>) {
  return [...statements]
    .filter(([sql]) => /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)/.test(sql))
    .flatMap(([sql, values]) =>
      file.all(`EXPLAIN QUERY PLAN ${sql}`, ...values).map((row) => ({ sql, step: String(row.detail) })),
    );
}

describe('every statement goes by an index', () => {
  test.each(Object.entries(paths))('%s', async (_name, { run, by }) => {
    const recorded = await openRecorded();
    const { opened, statements, sessions } = recorded;
    await sessions.create(key);
    await sessions.append(key, turn);
    statements.clear();
    await run(recorded);
    const plan = planOf(opened, statements);
    opened.close();
    expect(plan.filter(({ step }) => isTableScan(step))).toEqual([]);
    expect(plan.filter(({ sql, step }) => step.includes('TEMP B-TREE') && !mayBeSorted.test(sql))).toEqual([]);
    const unused = by.filter((index) => !plan.some(({ step }) => step.includes(index)));
    expect(unused, plan.map(({ step }) => step).join('\n')).toEqual([]);
  });

  test('and a statement that scans is noticed', async () => {
    const { opened, statements, store } = await openRecorded();
    await store.health();
    expect(planOf(opened, statements).filter(({ step }) => isTableScan(step))).toHaveLength(1);
    opened.close();
  });
});
