import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/durability/scratch-folder.ts';
import { isPalimpsestError } from '../../errors/index.ts';
import { createSessionService } from '../../sessions/index.ts';
import { loadDriver } from './driver.ts';
import { migrations } from './migrations.ts';
import { openSqlite } from './open-sqlite.ts';
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts';

const key = { appName: 'app', userId: 'u1', sessionId: 's1' };
const canOverrideModes = process.getuid?.() === 0 || process.platform === 'win32';

let folder: string;
let file: string;
beforeEach(() => {
  folder = scratchFolder();
  file = join(folder, 'store.db');
});

/** Runs SQL on a file past all checks. */
async function raw(path: string, sql: string): Promise<void> {
  const connection = (await loadDriver()).open(path, { readOnly: false });
  connection.exec(sql);
  connection.close();
}

/** Makes a store with a session of so many events, closed and without a write-ahead log. */
async function makeStore(path: string, events = 3): Promise<void> {
  const stores = await openSqlite({ file: path });
  const sessions = createSessionService({ store: stores.sessions });
  await sessions.create({ ...key, state: { lang: 'zh', 'user:name': '小明' } });
  const inputs = Array.from({ length: events }, (_, index) => ({
    id: `e${index}`,
    author: 'user',
    content: `第 ${index} 句 ${'x'.repeat(200)}`,
  }));
  await sessions.append(key, inputs);
  stores.file.close();
}

async function failureOf(options: Partial<SqliteFileOptions> = {}): Promise<unknown> {
  try {
    (await SqliteFile.open({ file, ...options })).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** All that a user of the file would read. */
async function readEverything(path: string): Promise<number> {
  const stores = await openSqlite({ file: path, mustExist: true });
  try {
    const sessions = createSessionService({ store: stores.sessions });
    await sessions.open(key);
    await sessions.list({ appName: key.appName });
    const { items } = await sessions.read(key, { limit: 1000 });
    await sessions.append(key, [{ author: 'user', content: 'one more' }]);
    return items.length;
  } finally {
    stores.file.close();
  }
}

describe('a path that is no file', () => {
  test('missing, where it must exist or is only read', async () => {
    for (const options of [{ mustExist: true }, { readOnly: true }]) {
      expect(await failureOf(options)).toMatchObject({ code: 'FILE_NOT_FOUND', details: { file } });
    }
  });

  test('in a folder that is missing, which is named', async () => {
    const missing = join(folder, 'missing');
    expect(await failureOf({ file: join(missing, 'a.db') })).toMatchObject({
      code: 'FILE_NOT_FOUND',
      details: { file: missing },
    });
  });

  test('a folder', async () => {
    mkdirSync(file);
    expect(await failureOf()).toMatchObject({ code: 'NOT_A_STORE', details: { file } });
  });

  test('in a folder that is a file', async () => {
    writeFileSync(file, 'text');
    expect(isPalimpsestError(await failureOf({ file: join(file, 'a.db') }))).toBe(true);
  });

  test.for(['', 5, undefined])('%s', async (path) => {
    expect(await failureOf({ file: path as string })).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { argument: 'file' },
    });
  });

  test('a link to a store is one', async () => {
    await makeStore(file);
    symlinkSync(file, join(folder, 'link.db'));
    expect(await readEverything(join(folder, 'link.db'))).toBe(4);
  });
});

describe('a file of another kind is refused and left as it is', () => {
  const contents: Readonly<Record<string, Uint8Array>> = {
    text: Buffer.from('这不是数据库。\n'.repeat(500)),
    'a few bytes': Buffer.from('hi'),
    'noise of some pages': Uint8Array.from({ length: 3 * 4096 }, (_, index) => (index * 7919 + (index >> 5)) % 256),
    'the start of a database alone': Buffer.from('SQLite format 3\0'),
  };
  test.each(Object.entries(contents))('%s', async (_name, bytes) => {
    writeFileSync(file, bytes);
    for (const readOnly of [false, true]) {
      expect(await failureOf({ readOnly })).toMatchObject({ code: 'NOT_A_STORE', details: { file } });
      expect(Buffer.compare(readFileSync(file), bytes)).toBe(0);
    }
  });

  const programs: Readonly<Record<string, string>> = {
    'with tables': 'CREATE TABLE notes (body TEXT)',
    'with a version': 'PRAGMA user_version = 1',
    'with its own mark': 'PRAGMA application_id = 42',
    'marked as a store without a version': 'PRAGMA application_id = 1346456649',
  };
  test.each(Object.entries(programs))('a database of another program %s', async (_name, sql) => {
    await raw(file, sql);
    const before = readFileSync(file);
    for (const readOnly of [false, true]) {
      expect(await failureOf({ readOnly })).toMatchObject({ code: 'NOT_A_STORE', details: { file } });
    }
    expect(Buffer.compare(readFileSync(file), before)).toBe(0);
  });

  test('a store of a newer release', async () => {
    await makeStore(file);
    await raw(file, `PRAGMA user_version = ${migrations.length + 1}`);
    for (const readOnly of [false, true]) {
      const details = { file, found: migrations.length + 1, supported: migrations.length };
      expect(await failureOf({ readOnly })).toMatchObject({ code: 'SCHEMA_NEWER', details });
    }
    await raw(file, `PRAGMA user_version = ${migrations.length}`);
    expect(await readEverything(file)).toBe(4);
  });
});

test('a store that a newer release has migrated since it was opened is written to no more', async () => {
  const stores = await openSqlite({ file });
  const sessions = createSessionService({ store: stores.sessions });
  await sessions.create(key);
  await raw(file, `PRAGMA user_version = ${migrations.length + 1}`);
  const details = { file, found: migrations.length + 1, supported: migrations.length };
  const append = () => sessions.append(key, [{ author: 'user', content: '你好' }]);
  await expect(append()).rejects.toMatchObject({ code: 'SCHEMA_NEWER', details });
  await expect(sessions.delete(key)).rejects.toMatchObject({ code: 'SCHEMA_NEWER', details });
  expect((await sessions.read(key)).items).toEqual([]);
  await raw(file, `PRAGMA user_version = ${migrations.length}`);
  expect((await append()).version).toBe(1);
  stores.file.close();
});

describe('opening', () => {
  test('makes a store of an empty file', async () => {
    writeFileSync(file, '');
    await makeStore(file);
    expect(await readEverything(file)).toBe(4);
  });

  test('of an empty file only to read is refused and leaves it empty', async () => {
    writeFileSync(file, '');
    expect(await failureOf({ readOnly: true })).toMatchObject({ code: 'NOT_A_STORE', details: { file } });
    expect(readFileSync(file).byteLength).toBe(0);
  });

  test('only to read reads, and refuses to write', async () => {
    await makeStore(file);
    const stores = await openSqlite({ file, readOnly: true });
    const sessions = createSessionService({ store: stores.sessions });
    expect((await sessions.read(key)).items).toHaveLength(4);
    expect((await sessions.open(key))?.state).toEqual({ lang: 'zh', 'user:name': '小明' });
    await expect(sessions.append(key, [{ author: 'user', content: 'no' }])).rejects.toMatchObject({
      code: 'STORE_FAILED',
      details: { file },
    });
    stores.file.close();
    expect(await readEverything(file)).toBe(4);
  });

  test('only to read sees what another connection goes on to write', async () => {
    await makeStore(file);
    const writer = await openSqlite({ file });
    const reader = await openSqlite({ file, readOnly: true });
    await createSessionService({ store: writer.sessions }).append(key, [{ author: 'user', content: 'new' }]);
    expect((await createSessionService({ store: reader.sessions }).read(key)).items).toHaveLength(5);
    reader.file.close();
    writer.file.close();
  });

  test.skipIf(canOverrideModes)('a file without the right to write is read, not written', async () => {
    await makeStore(file);
    chmodSync(file, 0o444);
    expect(await failureOf({ readOnly: true })).toBeUndefined();
    expect(await readEverything(file).catch((error: unknown) => isPalimpsestError(error))).toBe(true);
    chmodSync(file, 0o000);
    expect(isPalimpsestError(await failureOf({ readOnly: true }), 'STORE_FAILED')).toBe(true);
  });

  test('closes twice, and refuses work afterwards', async () => {
    const opened = await SqliteFile.open({ file });
    opened.close();
    opened.close();
    expect(() => opened.all('SELECT 1')).toThrow(expect.objectContaining({ code: 'CLOSED' }));
    await expect(opened.write(() => 1)).rejects.toMatchObject({ code: 'CLOSED' });
    expect(() => opened.backup(join(folder, 'copy.db'))).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });
});

describe('a damaged file', () => {
  test('cut short anywhere is refused with a typed error', async () => {
    await makeStore(file, 300);
    const { length } = readFileSync(file);
    const copy = join(folder, 'cut.db');
    // SQLite takes a file of one byte for an empty one.
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: length - 1 }), async (size) => {
        copyFileSync(file, copy);
        truncateSync(copy, size);
        const error = await readEverything(copy).catch((thrown: unknown) => thrown);
        const isTyped = isPalimpsestError(error, 'STORE_CORRUPT') || isPalimpsestError(error, 'NOT_A_STORE');
        expect(isTyped && error.details.file, String(error)).toBe(copy);
      }),
      { numRuns: 30 },
    );
  });

  test('with noise in it is read, or fails with a typed error, and never ends the process', async () => {
    await makeStore(file, 300);
    const whole = readFileSync(file);
    const copy = join(folder, 'noise.db');
    const noise = fc.record({
      at: fc.integer({ min: 0, max: whole.length - 1 }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 200 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(noise, { minLength: 1, maxLength: 8 }), async (spots) => {
        const bytes = Buffer.from(whole);
        for (const { at, bytes: written } of spots) bytes.set(written.subarray(0, bytes.length - at), at);
        writeFileSync(copy, bytes);
        const error = await readEverything(copy).catch((thrown: unknown) => thrown);
        if (typeof error !== 'number') expect(isPalimpsestError(error), String(error)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  const damages: Readonly<Record<string, { sql: string; names: RegExp; read: 'read' | 'open' | 'list' }>> = {
    'an event that is no JSON': {
      sql: "UPDATE events SET body = '{broken' WHERE seq = 3",
      names: /event 3/,
      read: 'read',
    },
    'an event that is none': { sql: "UPDATE events SET body = '[]' WHERE seq = 2", names: /event 2/, read: 'read' },
    'a head that is no JSON': { sql: "UPDATE sessions SET body = 'x'", names: /session s1/, read: 'open' },
    'a head without fields': { sql: "UPDATE sessions SET body = '{}'", names: /session s1/, read: 'open' },
    'a head that is a list, in a list of sessions': {
      sql: "UPDATE sessions SET body = '[1]'",
      names: /session s1/,
      read: 'list',
    },
    'a head with a time that is none': {
      sql: "UPDATE sessions SET body = json_set(body, '$.createdAt', 1e300)",
      names: /session s1/,
      read: 'open',
    },
    'state that is no JSON': { sql: "UPDATE session_state SET value = '{'", names: /lang/, read: 'open' },
    'shared state that is no JSON': { sql: "UPDATE shared_state SET value = '{'", names: /name/, read: 'open' },
  };
  test.each(Object.entries(damages))('%s: the place is named', async (_name, { sql, names, read }) => {
    await makeStore(file);
    await raw(file, sql);
    const stores = await openSqlite({ file });
    const sessions = createSessionService({ store: stores.sessions });
    const error = await sessions[read](key).catch((thrown: unknown) => thrown);
    stores.file.close();
    expect(error).toMatchObject({ code: 'STORE_CORRUPT', details: { file, reason: expect.stringMatching(names) } });
  });
});

describe('migrations', () => {
  test('a step that fails in the middle leaves nothing behind, and the file as it was', async () => {
    await makeStore(file);
    const steps = migrations as string[];
    steps.push('CREATE TABLE extra (a); INSERT INTO extra VALUES (1); DROP TABLE events; CREATE TABLE extra (b);');
    try {
      expect(await failureOf()).toMatchObject({ code: 'STORE_FAILED', details: { file } });
    } finally {
      steps.pop();
    }
    const opened = await SqliteFile.open({ file });
    expect(opened.get('PRAGMA user_version')).toEqual({ user_version: migrations.length });
    expect(opened.all("SELECT name FROM sqlite_master WHERE name = 'extra'")).toEqual([]);
    opened.close();
    expect(await readEverything(file)).toBe(4);
  });

  test('are applied once: opening again changes no byte', async () => {
    await makeStore(file);
    const before = readFileSync(file);
    for (let time = 0; time < 2; time++) (await SqliteFile.open({ file })).close();
    expect(Buffer.compare(readFileSync(file), before)).toBe(0);
  });
});
