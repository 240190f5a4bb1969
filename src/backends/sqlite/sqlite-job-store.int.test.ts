import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import { createJobRunner, type JobRow, type JobStore } from '../../jobs/index.ts';
import type { SqlValue } from './driver.ts';
import { SqliteFile } from './sqlite-file.ts';
import { createSqliteJobStore } from './sqlite-job-store.ts';

const scope = { appName: 'a', userId: '用户', sessionId: 's', projectId: 'p' };
const row: JobRow = { id: 'j1', queue: 'q', scope, payload: { 茶: '😀\u0000' }, enqueuedAt: 5 };
const claim = { queues: ['q', 'r'], owner: 'w', now: 10, leaseUntil: 40 };
const cause = { message: '坏\u0000了', attempts: 5, at: 7 };

/** A store that notes every statement it sends, with its values. */
async function openRecorded() {
  const file = await SqliteFile.open({ file: join(scratchFolder(), 'jobs.db') });
  const statements = new Map<string, readonly SqlValue[]>();
  const recording = new Proxy(file, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...values: unknown[]): unknown => {
        if (/^(all|get|run)$/.test(String(name))) statements.set(String(values[0]), values.slice(1) as SqlValue[]);
        return Reflect.apply(member, target, values);
      };
    },
  });
  return { file, statements, store: createSqliteJobStore(recording) };
}

function planOf(file: SqliteFile, statements: ReadonlyMap<string, readonly SqlValue[]>): string[] {
  return [...statements].flatMap(([sql, values]) =>
    file.all(`EXPLAIN QUERY PLAN ${sql}`, ...values).map(({ detail }) => String(detail)),
  );
}

/** What stands in a file and its log. */
function bytesOf(path: string): string {
  return [path, `${path}-wal`].map((name) => (existsSync(name) ? readFileSync(name, 'latin1') : '')).join('');
}

async function claimOne(store: JobStore) {
  const { job } = await store.claim(claim);
  return job ?? { id: 'none', token: 0 };
}

/** What is done, and the indexes that its statements go by. */
const paths: Readonly<Record<string, { run: (store: JobStore) => Promise<unknown>; by: readonly string[] }>> = {
  enqueue: {
    run: (store) => store.enqueue({ ...row, id: 'j2', dedupeId: 'x' }),
    by: [
      'jobs_equal (app=? AND user=? AND session=? AND project=? AND queue=? AND dedupe=?)',
      'jobs_line (app=? AND user=? AND session=? AND project=? AND queue=?)',
    ],
  },
  claim: {
    run: claimOne,
    by: [
      'jobs_free (queue=? AND free>?)',
      'jobs_free (queue=? AND free=?)',
      'jobs USING INTEGER PRIMARY KEY (rowid=?)',
    ],
  },
  'renew and complete': {
    run: async (store) => {
      const hold = await claimOne(store);
      await store.renew(hold, 50);
      await store.complete(hold);
    },
    by: ['sqlite_autoindex_jobs_1 (id=?)', 'COVERING INDEX jobs_line (app=? AND user=? AND session=? AND project=?'],
  },
  fail: {
    run: async (store) => {
      await store.fail(await claimOne(store), { freeAt: 0, attempts: 1 });
      await store.fail(await claimOne(store), { cause });
    },
    by: ['sqlite_autoindex_jobs_1 (id=?)'],
  },
  'dead letters of an app': {
    run: (store) => store.deadLetters({ filter: { appName: 'a' }, limit: 5 }),
    by: ['dead_jobs_of_app (app=? AND no<?)'],
  },
  'dead letters of a session': {
    run: (store) => store.deadLetters({ filter: scope, queue: 'q', before: 9, limit: 5 }),
    by: ['dead_jobs_of_user (app=? AND user=? AND no<?)'],
  },
  requeue: {
    run: async (store) => {
      await store.fail(await claimOne(store), { cause });
      await store.requeue({ appName: 'a' }, 'j1');
    },
    by: ['sqlite_autoindex_dead_jobs_1 (id=?)', 'dead_jobs USING INTEGER PRIMARY KEY (rowid=?)'],
  },
  remove: {
    run: async (store) => {
      await store.remove(scope);
      await store.remove({ appName: 'a', userId: '用户' });
    },
    by: [
      'jobs_line (app=? AND user=? AND session=? AND project=?)',
      'jobs_line (app=? AND user=?)',
      'dead_jobs_of_user (app=? AND user=?)',
    ],
  },
};

describe('every statement goes by an index', () => {
  test.each(Object.entries(paths))('%s', async (_name, { run, by }) => {
    const { file, statements, store } = await openRecorded();
    await store.enqueue(row);
    statements.clear();
    await run(store);
    const plan = planOf(file, statements);
    file.close();
    // The one row of tokens is the whole table.
    expect(plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN job_tokens')).toEqual([]);
    expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
    expect(
      by.filter((index) => !plan.some((step) => step.includes(index))),
      plan.join('\n'),
    ).toEqual([]);
  });
});

describe('jobs in a file', () => {
  test('stand there for whoever opens it next, held, waiting and dead', async () => {
    const path = join(scratchFolder(), 'jobs.db');
    const before = await SqliteFile.open({ file: path });
    const store = createSqliteJobStore(before);
    await store.enqueue(row);
    const held = await claimOne(store);
    await store.enqueue({ ...row, id: 'j2', dedupeId: 'x' });
    await store.enqueue({ ...row, id: 'dead', queue: 'r' });
    await store.fail(await claimOne(store), { cause });
    before.close();

    const after = await SqliteFile.open({ file: path });
    const reopened = createSqliteJobStore(after);
    const letters = await reopened.deadLetters({ filter: scope, limit: 10 });
    expect(letters).toEqual([{ ...row, id: 'dead', queue: 'r', cause, place: 1 }]);
    expect(await reopened.claim(claim)).toEqual({ freeAt: 40 });
    expect(await reopened.complete(held)).toBe('held');
    const next = { ...row, id: 'j2', dedupeId: 'x', attempts: 1, token: held.token + 2 };
    expect(await reopened.claim(claim)).toEqual({ job: next });
    after.close();
  });

  test('leave no byte behind when they are erased', async () => {
    const path = join(scratchFolder(), 'jobs.db');
    const file = await SqliteFile.open({ file: path });
    const runner = createJobRunner({
      store: createSqliteJobStore(file),
      maxAttempts: 1,
      handlers: {
        q: async () => {
          throw new TypeError('unmistakable cause');
        },
      },
    });
    for (const queue of ['q', 'r']) await runner.enqueue({ queue, scope, payload: { text: 'unmistakable payload' } });
    await runner.settled();
    expect(bytesOf(path)).toContain('unmistakable payload');
    const { appName, userId } = scope;
    expect(await runner.erase({ appName, userId })).toBe(2);
    await runner.close();
    expect(bytesOf(path)).not.toContain('unmistakable');
    file.close();
  });

  test('idle looks take no lock that keeps others from writing', async () => {
    const path = join(scratchFolder(), 'jobs.db');
    const [file, other] = [await SqliteFile.open({ file: path }), await SqliteFile.open({ file: path })];
    const store = createSqliteJobStore(file);
    other.run('BEGIN IMMEDIATE');
    expect(await store.claim(claim)).toEqual({});
    other.run('ROLLBACK');
    await store.enqueue(row);
    await claimOne(store);
    other.run('BEGIN IMMEDIATE');
    expect(await store.claim(claim)).toEqual({ freeAt: 40 });
    other.run('ROLLBACK');
    for (const one of [file, other]) one.close();
  });
});
