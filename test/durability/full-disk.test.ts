import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/backends/sqlite/index.ts';
import { isPalimpsestError } from '../../src/errors/index.ts';
import { createSessionService, type SessionService } from '../../src/sessions/index.ts';
import { readAllIds } from './read-all-ids.ts';
import { scratchFolder, smallDisk } from './scratch-folder.ts';

const key = { appName: 'app', userId: 'u1', sessionId: 's1' };
const mebibyte = 1 << 20;

const eventOf = (number: number) => ({ id: `e${number}`, author: 'user', content: `磁盘 ${'x'.repeat(3000)}` });
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `e${index + 1}`);

async function openFile(file: string) {
  const stores = await openSqlite({ file });
  return { file: stores.file, sessions: createSessionService({ store: stores.sessions }) };
}

/** Appends until it fails and returns how many events were acknowledged before. */
async function fill(sessions: SessionService): Promise<{ readonly acknowledged: number; readonly error: unknown }> {
  for (let acknowledged = 0; ; acknowledged++) {
    try {
      await sessions.append(key, [eventOf(acknowledged + 1)]);
    } catch (error) {
      return { acknowledged, error };
    }
  }
}

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

function expectFull(error: unknown, file: string): void {
  expect(isPalimpsestError(error, 'STORE_FULL') && error.details, String(error)).toEqual({ file });
}

/** Takes all the space that a disk has, but for so many bytes. */
function putBallast(file: string, left: number): void {
  writeFileSync(file, '');
  for (let size = mebibyte; size >= 512; ) {
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      size /= 2;
    }
  }
  truncateSync(file, Math.max(0, statSync(file).size - left));
}

describe('a file system without space', () => {
  test('fails an append as a whole; what was acknowledged stays; with space the same handle goes on', async (context) => {
    const disk = smallDisk(context, '3m');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(mebibyte));
    const file = join(disk, 'full.db');
    const first = await openFile(file);
    await first.sessions.create(key);
    const { acknowledged, error } = await fill(first.sessions);
    expectFull(error, file);
    expect(acknowledged).toBeGreaterThan(50);
    expect(await readAllIds(first.sessions, key)).toEqual(idsUpTo(acknowledged));
    expect((await first.sessions.open(key))?.version).toBe(acknowledged);

    rmSync(ballast);
    await first.sessions.append(key, [eventOf(acknowledged + 1)]);
    expect(first.file.integrityProblems()).toEqual([]);
    first.file.close();
    const second = await openFile(file);
    expect(await readAllIds(second.sessions, key)).toEqual(idsUpTo(acknowledged + 1));
    expect(second.file.integrityProblems()).toEqual([]);
    second.file.close();
  });

  test('a full file is closed, and opened again once there is space', async (context) => {
    const disk = smallDisk(context, '2m');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(mebibyte));
    const file = join(disk, 'full.db');
    const first = await openFile(file);
    await first.sessions.create(key);
    const { acknowledged } = await fill(first.sessions);
    first.file.close();
    rmSync(ballast);
    const second = await openFile(file);
    expect(await readAllIds(second.sessions, key)).toEqual(idsUpTo(acknowledged));
    await second.sessions.append(key, [eventOf(acknowledged + 1)]);
    expect(second.file.integrityProblems()).toEqual([]);
    second.file.close();
  });

  test.for([0, 4, 16, 32, 48, 80, 120])(
    'of which %d KiB are left makes no store, whole or half',
    async (kib, context) => {
      const disk = smallDisk(context, '2m');
      const ballast = join(disk, 'ballast');
      putBallast(ballast, kib * 1024);
      const file = join(disk, 'new.db');
      expectFull(await failureOf(() => openSqlite({ file })), file);

      rmSync(ballast);
      const { file: opened, sessions } = await openFile(file);
      await sessions.create(key);
      expect(opened.integrityProblems()).toEqual([]);
      opened.close();
    },
  );

  test('takes no part of a backup', async (context) => {
    const disk = smallDisk(context, '64k');
    const { file, sessions } = await openFile(join(scratchFolder(), 'whole.db'));
    await sessions.create(key);
    for (let number = 1; number <= 50; number++) await sessions.append(key, [eventOf(number)]);
    const copy = join(disk, 'copy.db');
    expectFull(await failureOf(async () => file.backup(copy)), copy);
    expect(await readdir(disk)).toEqual([]);
    expect(await readAllIds(sessions, key)).toEqual(idsUpTo(50));
    file.close();
  });
});

test('a file at its page limit fails an append as a whole, and goes on when the limit is lifted', async () => {
  const path = join(scratchFolder(), 'limited.db');
  const { file, sessions } = await openFile(path);
  await sessions.create(key);
  file.all('PRAGMA max_page_count = 200');
  const { acknowledged, error } = await fill(sessions);
  expectFull(error, path);
  expect(acknowledged).toBeGreaterThan(50);
  expect(await readAllIds(sessions, key)).toEqual(idsUpTo(acknowledged));
  expect(file.integrityProblems()).toEqual([]);
  file.all('PRAGMA max_page_count = 4294967294');
  await sessions.append(key, [eventOf(acknowledged + 1)]);
  expect(await readAllIds(sessions, key)).toEqual(idsUpTo(acknowledged + 1));
  file.close();
  expect(readFileSync(path).byteLength).toBeGreaterThan(200 * 4096);
});
