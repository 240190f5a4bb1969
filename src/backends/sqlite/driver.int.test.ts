import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import { createMemoryService } from '../../memory/service/index.ts';
import { createSessionService } from '../../sessions/index.ts';
import { type DriverName, loadDriver } from './driver.ts';
import { openSqlite } from './open-sqlite.ts';

const require = createRequire(import.meta.url);
const key = { appName: 'app', userId: 'u1', sessionId: 's1' };
const event = (id: string, size = 10) => ({ id, author: 'user', content: `你好 ${'x'.repeat(size)}` });

/** A folder of packages to look in, for a driver that is not among the project's own. */
const folderOfBetterSqlite3 = process.env.PALIMPSEST_TEST_BETTER_SQLITE3;
if (folderOfBetterSqlite3 !== undefined) {
  process.env.NODE_PATH = folderOfBetterSqlite3;
  require('node:module')._initPaths();
}

function isThere(name: DriverName): boolean {
  try {
    return name === 'node:sqlite' ? process.getBuiltinModule(name) !== undefined : require.resolve(name) !== '';
  } catch {
    return false;
  }
}

const drivers: readonly DriverName[] = ['node:sqlite', '@photostructure/sqlite', 'better-sqlite3'];

let file: string;
beforeEach(() => {
  file = join(scratchFolder(), 'store.db');
});

describe.each(drivers.map((driver) => ({ driver, there: isThere(driver) })))('$driver', ({ driver, there }) => {
  const open = async (options: { readOnly?: boolean; busyTimeoutMs?: number } = {}) => {
    const stores = await openSqlite({ file, driver, ...options });
    const sessions = createSessionService({ store: stores.sessions });
    return { file: stores.file, sessions, memory: createMemoryService({ store: stores.memory }) };
  };

  test.skipIf(!there)('keeps sessions, state, bytes and memories', async () => {
    const first = await open();
    expect(first.file.driverName).toBe(driver);
    await first.sessions.create({ ...key, state: { a: null, 'user:b': [1, '二'] } });
    await first.sessions.append(key, [event('e1'), event('e2')], { expectedVersion: 1 });
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await first.sessions.artifacts.put(key, 'a.bin', bytes, 'application/octet-stream');
    await first.memory.add({ appName: 'app', userId: 'u1' }, [{ text: '喜欢绿茶 and walks' }]);
    first.file.close();
    const second = await open();
    expect((await second.sessions.open(key))?.state).toEqual({ a: null, 'user:b': [1, '二'] });
    expect((await second.sessions.read(key, { fromSeq: 2 })).items.map(({ id }) => id)).toEqual(['e1', 'e2']);
    expect((await second.sessions.artifacts.get(key, 'a.bin'))?.bytes).toEqual(bytes);
    const found = await second.memory.search({ scope: { appName: 'app', userId: 'u1' }, query: '绿茶' });
    expect(found.memories.map(({ text }) => text)).toEqual(['喜欢绿茶 and walks']);
    expect(second.file.integrityProblems()).toEqual([]);
    second.file.close();
  });

  test.skipIf(!there)('refuses what the log refuses', async () => {
    const { file: opened, sessions } = await open();
    await sessions.create(key);
    await sessions.append(key, [event('e1')]);
    await expect(sessions.create(key)).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    await expect(sessions.append(key, [event('e2')], { expectedVersion: 0 })).rejects.toMatchObject({
      code: 'APPEND_CONFLICT',
    });
    await expect(sessions.append(key, [event('e1', 20)])).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
    expect((await sessions.append(key, [event('e1')])).version).toBe(1);
    opened.close();
  });

  test.skipIf(!there)('tells a file that is locked, for writing and for a wait that ends', async () => {
    const first = await open();
    await first.sessions.create(key);
    const second = await open({ busyTimeoutMs: 150 });
    first.file.run('BEGIN IMMEDIATE');
    const error = await second.sessions.append(key, [event('e1')]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'STORE_BUSY', details: { file }, retryable: true });
    const waiting = second.sessions.append(key, [event('e1')]);
    first.file.run('COMMIT');
    expect((await waiting).version).toBe(1);
    second.file.close();
    first.file.close();
  });

  test.skipIf(!there)('tells a full file, rolls back and goes on', async () => {
    const { file: opened, sessions } = await open();
    await sessions.create(key);
    const pages = Number(opened.get('PRAGMA page_count')?.page_count);
    opened.all(`PRAGMA max_page_count = ${pages + 2}`);
    await expect(sessions.append(key, [event('e1', 40_000)])).rejects.toMatchObject({
      code: 'STORE_FULL',
      details: { file },
    });
    expect((await sessions.append(key, [event('e2')])).version).toBe(1);
    opened.close();
  });

  test.skipIf(!there)('tells what is no database, what is damaged, and what is only read', async () => {
    writeFileSync(file, 'no database at all, but long enough to be one. '.repeat(100));
    await expect(open()).rejects.toMatchObject({ code: 'NOT_A_STORE', details: { file } });
    writeFileSync(file, '');
    const first = await open();
    await first.sessions.create(key);
    for (let number = 0; number < 40; number++) await first.sessions.append(key, [event(`e${number}`, 3_000)]);
    first.file.close();
    const reader = await open({ readOnly: true });
    await expect(reader.sessions.append(key, [event('no')])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    reader.file.close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, bytes.length - 20 * 4096));
    const damaged = await open();
    await expect(damaged.sessions.read(key, { limit: 1000 })).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      details: { file },
    });
    damaged.file.close();
  });

  test.skipIf(there)('says how to install it where it is missing', async () => {
    const install = driver === 'node:sqlite' ? 'Node.js 22.13 or newer' : `npm install ${driver}`;
    await expect(loadDriver(driver)).rejects.toMatchObject({
      code: 'MISSING_PACKAGE',
      details: { package: driver, install },
    });
    await expect(open()).rejects.toMatchObject({ code: 'MISSING_PACKAGE' });
  });
});

test('without a name, the first that is there is loaded', async () => {
  const { name } = await loadDriver();
  expect(name).toBe(drivers.find(isThere));
});

test('a name of no driver is refused, and nothing is recommended for installation', async () => {
  await expect(loadDriver('sqlite9' as DriverName)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { argument: 'driver' },
  });
});
