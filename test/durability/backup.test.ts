import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SqliteFile } from '../../src/backends/sqlite/index.ts';
import { openPalimpsest } from '../../src/index.ts';
import { expectMemoryBehind } from './expect-memory-behind.ts';
import { readAllIds } from './read-all-ids.ts';
import { scratchFolder } from './scratch-folder.ts';
import { workerPool } from './start-worker.ts';

const pool = workerPool();
const openFile = (file: string) => openPalimpsest({ file, ingest: 'never', sweepSeconds: 0 });
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `e${index + 1}`);

test('a backup made while others write is a sound store of one moment', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'agent.db');
  const keys = ['a', 'b'].map((sessionId) => ({ appName: 'default', userId: 'u1', sessionId }));
  const palimpsest = await openFile(file);
  const talkers = await Promise.all(keys.map((key) => pool.start({ do: 'talk', file, ...key })));
  for (const talker of talkers) talker.start();
  await Promise.all(talkers.map((talker) => talker.printed(10)));
  const copies = ['one', 'two', 'three'].map((name) => join(folder, `${name}.db`));
  const acknowledged: number[][] = [];
  for (const copy of copies) {
    await sleep(Math.random() * 50);
    acknowledged.push(talkers.map((talker) => Number(talker.lines().at(-1))));
    await palimpsest.backup(copy);
  }
  for (const talker of talkers) talker.kill();
  await Promise.all(talkers.map(({ ended }) => ended));
  await palimpsest.close();

  for (const [index, copy] of copies.entries()) {
    const restored = await openFile(copy);
    for (const [writer, key] of keys.entries()) {
      const version = (await restored.sessions.open(key))?.version ?? 0;
      expect(version).toBeGreaterThanOrEqual(acknowledged[index]?.[writer] ?? 0);
      expect(version % 2).toBe(0);
      expect(await readAllIds(restored.sessions, key)).toEqual(idsUpTo(version));
      await expectMemoryBehind(restored, key);
    }
    await restored.close();
    const opened = await SqliteFile.open({ file: copy });
    expect(opened.integrityProblems()).toEqual([]);
    opened.close();
  }
});

test('a restored backup is read and written like the store it came from', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'agent.db');
  const palimpsest = await openPalimpsest({ file });
  const session = await palimpsest.user('u1').session('s1', { state: { lang: 'zh' } });
  await session.append([{ id: 'e1', author: 'user', content: '我喜欢绿茶 and walks' }]);
  await session.append([{ id: 'e2', author: 'assistant', content: 'Noted.' }]);
  await palimpsest.artifacts.put(session.key, 'a.bin', new Uint8Array([1, 2, 3]), 'application/octet-stream');
  await palimpsest.settled();
  await palimpsest.backup(join(folder, 'copy.db'));
  await session.append([{ id: 'e3', author: 'user', content: 'after the backup' }]);
  await palimpsest.close();

  copyFileSync(join(folder, 'copy.db'), join(folder, 'restored.db'));
  const restored = await openPalimpsest({ file: join(folder, 'restored.db'), mustExist: true });
  const again = await restored.user('u1').session('s1');
  expect(again.state).toEqual({ lang: 'zh' });
  expect((await again.read()).items.map(({ id }) => id).slice(1)).toEqual(['e1', 'e2']);
  expect((await restored.user('u1').recall('绿茶')).memories[0]?.text).toBe('我喜欢绿茶 and walks');
  expect((await restored.artifacts.get(session.key, 'a.bin'))?.bytes).toEqual(new Uint8Array([1, 2, 3]));
  await again.append([{ id: 'e4', author: 'user', content: 'goes on' }]);
  await restored.close();
});

test('a backup never replaces a file, and needs its folder', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'agent.db');
  const palimpsest = await openFile(file);
  const taken = join(folder, 'taken.db');
  writeFileSync(taken, '');
  for (const to of [taken, file, folder]) {
    await expect(palimpsest.backup(to)).rejects.toMatchObject({ code: 'FILE_EXISTS', details: { file: to } });
  }
  expect(readFileSync(taken).byteLength).toBe(0);
  const missing = join(folder, 'missing');
  await expect(palimpsest.backup(join(missing, 'a.db'))).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
    details: { file: missing },
  });
  await expect(palimpsest.backup('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await palimpsest.close();
  expect(readdirSync(folder).filter((name) => !name.startsWith('agent.db'))).toEqual(['taken.db']);
});

test('a backup of a damaged store names the store and leaves no file', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'agent.db');
  const palimpsest = await openFile(file);
  const session = await palimpsest.user('u1').session('s1');
  for (let number = 0; number < 40; number++) await session.append([{ author: 'user', content: 'x'.repeat(3_000) }]);
  await palimpsest.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, bytes.length - 20 * 4096);
  writeFileSync(file, bytes);
  const damaged = await SqliteFile.open({ file });
  const copy = join(folder, 'copy.db');
  expect(() => damaged.backup(copy)).toThrow(
    expect.objectContaining({ code: 'STORE_CORRUPT', details: expect.objectContaining({ file }) }),
  );
  damaged.close();
  expect(existsSync(copy)).toBe(false);
});
