import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryService } from '../../memory/service/index.ts';
import { eventAt } from '../../testing/index.ts';
import { SqliteFile } from './sqlite-file.ts';
import { createSqliteMemoryStore } from './sqlite-memory-store.ts';

let folder: string;
let files: SqliteFile[];

async function open(): Promise<SqliteFile> {
  const file = await SqliteFile.open({ file: join(folder, 'memory.db') });
  files.push(file);
  return file;
}

const serviceOn = (file: SqliteFile) => createMemoryService({ store: createSqliteMemoryStore(file) });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-memory-'));
  files = [];
});

afterEach(() => {
  for (const file of files) file.close();
  rmSync(folder, { recursive: true });
});

test('what was erased is in no table and in no file', async () => {
  const file = await open();
  const memory = serviceOn(file);
  const user = { appName: 'app', userId: 'canaryuser' };
  const source = { ...user, sessionId: 'canarysession', incarnation: 'i1' };
  await memory.add(user, [{ text: 'canaryword one 金丝雀' }, { text: 'other' }]);
  await memory.add({ ...user, projectId: 'canaryproject' }, [{ text: `canaryword ${'long '.repeat(200)}` }]);
  await memory.ingest({ source, fromSeq: 0, toSeq: 1, events: [eventAt(1, 'canaryword said')] });
  await memory.delete(user, { sessionId: 'canarysession', incarnation: 'i1' });
  expect(await memory.delete(user, { all: true })).toBe(3);
  for (const table of ['owners', 'partitions', 'sources', 'entries', 'provenance', 'postings']) {
    expect(file.all(`SELECT * FROM memory_${table}`), table).toEqual([]);
  }
  file.checkpoint();
  const bytes = readFileSync(file.file);
  for (const trace of ['canary', '金丝']) expect(bytes.includes(trace), trace).toBe(false);
});

test('memories outlive the process that added them', async () => {
  const first = await open();
  await serviceOn(first).add({ appName: 'app', userId: 'u' }, [{ text: 'likes tea' }]);
  first.close();
  const found = await serviceOn(await open()).search({ scope: { appName: 'app', userId: 'u' }, query: 'tea' });
  expect(found.memories.map(({ text }) => text)).toEqual(['likes tea']);
});
