import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openSqlite, SqliteFile } from '../../src/backends/sqlite/index.ts';
import { isPalimpsestError } from '../../src/errors/index.ts';
import { openPalimpsest } from '../../src/index.ts';
import { createSessionService } from '../../src/sessions/index.ts';
import { readAllIds } from './read-all-ids.ts';
import { scratchFolder } from './scratch-folder.ts';
import { type Worker, workerPool } from './start-worker.ts';
import { sharedMerges, sharedSession, type WorkerTask } from './worker-program.ts';

const pool = workerPool();

/** Starts workers at one moment and returns what each of them printed. */
async function together(tasks: readonly WorkerTask[]): Promise<string[][]> {
  const workers: Worker[] = await Promise.all(tasks.map((task) => pool.start(task)));
  for (const worker of workers) worker.start();
  return Promise.all(workers.map(({ ended }) => ended));
}

function writers(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `w${index}`);
}

async function storeWithSession(): Promise<string> {
  const file = join(scratchFolder(), 'shared.db');
  const palimpsest = await openPalimpsest({ file, ingest: 'never' });
  await palimpsest.sessions.create(sharedSession);
  await palimpsest.close();
  return file;
}

async function expectSound(file: string): Promise<void> {
  const opened = await SqliteFile.open({ file, readOnly: true });
  expect(opened.integrityProblems()).toEqual([]);
  opened.close();
}

describe('several processes on one file', () => {
  test('append to one session: dense seqs, each acknowledged once', async () => {
    const file = await storeWithSession();
    const tasks = writers(4).map((writer) => ({ do: 'append', file, writer, count: 200, versioned: false }) as const);
    const printed = await together(tasks);
    const acknowledged = printed.flat().map((line) => line.split(' '));
    const bySeq = acknowledged.sort((a, b) => Number(a[2]) - Number(b[2]));
    expect(bySeq.map(([, , seq]) => Number(seq))).toEqual(Array.from({ length: 800 }, (_, index) => index + 1));
    const palimpsest = await openPalimpsest({ file, ingest: 'never' });
    expect(await readAllIds(palimpsest.sessions, sharedSession)).toEqual(
      bySeq.map(([writer, number]) => `${writer}-${number}`),
    );
    await palimpsest.close();
    await expectSound(file);
  });

  test('append with the version they have seen: no update is lost', async () => {
    const file = await storeWithSession();
    const tasks = writers(4).map((writer) => ({ do: 'append', file, writer, count: 25, versioned: true }) as const);
    await together(tasks);
    const palimpsest = await openPalimpsest({ file, ingest: 'never' });
    const session = await palimpsest.sessions.open(sharedSession);
    expect(session?.version).toBe(100);
    expect(session?.state).toEqual({ counter: 100 });
    await palimpsest.close();
  });

  test('make one new file: one schema, and nobody fails', async () => {
    const file = join(scratchFolder(), 'new.db');
    const names = writers(8);
    const printed = await together(names.map((writer) => ({ do: 'makeStore', file, writer })));
    expect(printed).toEqual(names.map(() => ['made']));
    const palimpsest = await openPalimpsest({ file });
    await palimpsest.settled();
    for (const writer of names) {
      const user = palimpsest.user(writer);
      expect((await user.session('s1')).version).toBe(1);
      expect((await user.recall(`likes ${writer}`)).memories[0]?.text).toBe(`likes ${writer}`);
    }
    await palimpsest.close();
    await expectSound(file);
  });

  test('create one session: one of them wins', async () => {
    const file = join(scratchFolder(), 'new.db');
    const names = writers(6);
    const printed = await together(names.map((writer) => ({ do: 'createSession', file, writer })));
    const won = names.filter((_, index) => printed[index]?.[0] === 'won');
    expect(printed.flat().sort()).toEqual([...Array(5).fill('SESSION_EXISTS'), 'won']);
    const palimpsest = await openPalimpsest({ file, ingest: 'never' });
    const session = await palimpsest.sessions.open(sharedSession);
    expect(session?.state).toEqual({ creator: won[0], 'user:owner': won[0] });
    await palimpsest.close();
  });

  test("write a user's state from their own sessions: nothing is lost", async () => {
    const file = join(scratchFolder(), 'new.db');
    const names = writers(4);
    await together(names.map((writer) => ({ do: 'shareState', file, writer, count: 50 })));
    const palimpsest = await openPalimpsest({ file, ingest: 'never', state: sharedMerges });
    const { state } = await palimpsest.user('u1').session('another');
    const notes = state['user:notes'];
    expect(Array.isArray(notes) && [...notes].sort()).toEqual(
      names.flatMap((writer) => Array.from({ length: 50 }, (_, index) => `${writer}-${index + 1}`)).sort(),
    );
    expect(names.map((writer) => state[`user:last-${writer}`])).toEqual([50, 50, 50, 50]);
    const history = await palimpsest.sessions.stateHistory({ appName: 'default', userId: 'u1' }, 'notes');
    expect(history.map(({ revision }) => revision)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    await palimpsest.close();
  });
});

describe('a process that holds the write lock', () => {
  const event = { id: 'late', author: 'user', content: 'late' };

  test('only delays the others, and blocks no event loop', async () => {
    const file = await storeWithSession();
    const stores = await openSqlite({ file });
    const sessions = createSessionService({ store: stores.sessions });
    const holder = await pool.start({ do: 'holdLock', file });
    holder.start();
    await holder.printed(1);
    // Reads do not wait, and see nothing of what is not committed.
    expect((await sessions.open(sharedSession))?.version).toBe(0);
    let isStored = false;
    const appended = sessions.append(sharedSession, [event]).then(() => {
      isStored = true;
    });
    // Only a free event loop comes to let the lock go, before the append gives up.
    await sleep(200);
    expect(isStored).toBe(false);
    holder.goOn();
    await appended;
    expect(await readAllIds(sessions, sharedSession)).toEqual(['late']);
    await holder.ended;
    stores.file.close();
  });

  test('for longer than a write may wait makes it fail as a whole, and it can be tried again', async () => {
    const file = await storeWithSession();
    const stores = await openSqlite({ file, busyTimeoutMs: 300 });
    const sessions = createSessionService({ store: stores.sessions });
    const holder = await pool.start({ do: 'holdLock', file });
    holder.start();
    await holder.printed(1);
    const attempts = [
      () => sessions.append(sharedSession, [event, { author: 'user', content: 'second' }]),
      () => sessions.create({ appName: 'app', userId: 'u1' }),
    ];
    for (const attempt of attempts) {
      const error = await attempt().catch((thrown: unknown) => thrown);
      if (!isPalimpsestError(error, 'STORE_BUSY')) throw error;
      expect(error.retryable).toBe(true);
      expect(error.details.file).toBe(file);
      expect(error.details.waitedMs).toBeGreaterThanOrEqual(300);
    }
    expect((await sessions.open(sharedSession))?.version).toBe(0);
    holder.goOn();
    await holder.ended;
    await sessions.append(sharedSession, [event]);
    expect(await readAllIds(sessions, sharedSession)).toEqual(['late']);
    stores.file.close();
    await expectSound(file);
  });
});
