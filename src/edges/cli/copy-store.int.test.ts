import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SqliteFile } from '../../backends/sqlite/index.ts';
import { openPalimpsest } from '../../engine/index.ts';
import { copyStore } from './copy-store.ts';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-copy-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const key = { appName: 'default', userId: 'u1', sessionId: 's1' };

async function eventsIn(file: string): Promise<number> {
  const store = await SqliteFile.open({ file, readOnly: true });
  expect(store.integrityProblems()).toEqual([]);
  store.close();
  const palimpsest = await openPalimpsest({ file, mustExist: true, ingest: 'never' });
  const { items } = await palimpsest.sessions.read(key, { limit: 1000 });
  await palimpsest.close();
  expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => index + 1));
  return items.length;
}

test('what stands in the write-ahead log is copied, and nothing is left beside the original', async () => {
  const file = join(directory, 'open.db');
  const palimpsest = await openPalimpsest({ file, ingest: 'never' });
  const session = await palimpsest.user('u1').session('s1');
  await session.append([
    { author: 'user', content: '你好' },
    { author: 'user', content: 'again' },
  ]);
  const beside = readdirSync(directory);
  const copy = join(directory, 'of-open.db');
  expect(await copyStore(file, copy)).toBe('bytes');
  expect(readdirSync(directory).filter((name) => name.startsWith('open.db'))).toEqual(beside);
  await palimpsest.close();
  expect(await eventsIn(copy)).toBe(2);
});

test('while others keep writing it is a picture of one moment', async () => {
  const file = join(directory, 'busy.db');
  const palimpsest = await openPalimpsest({ file, ingest: 'never' });
  const session = await palimpsest.user('u1').session('s1');
  let isOver = false;
  let written = 0;
  const writing = (async () => {
    while (!isOver) {
      await session.append([{ author: 'user', content: '好' }]);
      written += 1;
      await new Promise((again) => setImmediate(again));
    }
  })();
  const copy = join(directory, 'of-busy.db');
  const before = written;
  expect(await copyStore(file, copy)).toBe('picture');
  isOver = true;
  await writing;
  await palimpsest.close();
  expect(existsSync(`${copy}-wal`)).toBe(false);
  const count = await eventsIn(copy);
  expect(count).toBeGreaterThanOrEqual(before);
  expect(count).toBeLessThanOrEqual(written);
});

test('the log of a process that was killed is copied with the file', async () => {
  const file = join(directory, 'alive.db');
  const palimpsest = await openPalimpsest({ file, ingest: 'never' });
  const session = await palimpsest.user('u1').session('s1');
  await session.append([{ author: 'user', content: 'one' }]);
  const left = join(directory, 'left.db');
  for (const end of ['', '-wal']) copyFileSync(file + end, left + end);
  await palimpsest.close();
  const copy = join(directory, 'of-left.db');
  await copyStore(left, copy);
  expect(readdirSync(directory).filter((name) => name.startsWith('left.db'))).toEqual(['left.db', 'left.db-wal']);
  expect(await eventsIn(copy)).toBe(1);
});
