import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SqliteFile } from '../../src/backends/sqlite/index.ts';
import { type Event, openPalimpsest, type Palimpsest, type SessionKey } from '../../src/index.ts';
import { expectMemoryBehind } from './expect-memory-behind.ts';
import { importedEvents, importedSession } from './imported-session.ts';
import { readAllIds } from './read-all-ids.ts';
import { scratchFolder } from './scratch-folder.ts';
import { workerPool } from './start-worker.ts';

/** `ROUNDS=100 npx vitest run --project suite test/durability/kill-nine` is the long run. */
const rounds = Number(process.env.ROUNDS ?? 12);
/** Each of them imports twice. */
const importRounds = Math.ceil(rounds / 4);
const sessionsInOneFile = 10;
const batchSize = 500;
const pool = workerPool();

const openAlone = (file: string) => openPalimpsest({ file, ingest: 'never', sweepSeconds: 0, mustExist: true });
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `e${index + 1}`);

async function newest(palimpsest: Palimpsest, key: SessionKey): Promise<Event | undefined> {
  return (await palimpsest.sessions.read(key, { newestFirst: true, limit: 1 })).items[0];
}

async function expectSound(file: string): Promise<void> {
  const opened = await SqliteFile.open({ file, readOnly: true });
  expect(opened.integrityProblems()).toEqual([]);
  opened.close();
}

/** Waits for a random moment of a worker's life: now and then while it opens the file, else amid its work. */
async function randomMoment(firstLine: Promise<void>, longest: number): Promise<void> {
  if (Math.random() < 0.8) await firstLine;
  await sleep(Math.random() * longest);
}

test(`a process killed while it appends loses nothing that it acknowledged (${rounds} rounds)`, {
  timeout: 30_000 + rounds * 3_000,
}, async () => {
  const folder = scratchFolder();
  let acknowledged = 0;
  let read = 0;
  for (let round = 0; round < rounds; round++) {
    const file = join(folder, `talk-${Math.floor(round / sessionsInOneFile)}.db`);
    const key = { appName: 'default', userId: 'u1', sessionId: `s${round % sessionsInOneFile}` };
    const worker = await pool.start({ do: 'talk', file, ...key });
    worker.start();
    await randomMoment(worker.printed(1), 150);
    worker.kill();
    const last = Number((await worker.ended).at(-1) ?? 0);

    if (!existsSync(file)) {
      expect(last).toBe(0);
      continue;
    }
    const palimpsest = await openAlone(file);
    const session = await palimpsest.sessions.open(key);
    const version = session?.version ?? 0;
    expect(version).toBeGreaterThanOrEqual(last);
    // A turn of two events is one append: both, or none.
    expect(version % 2).toBe(0);
    if (session) expect(await readAllIds(palimpsest.sessions, key)).toEqual(idsUpTo(version));
    if (version > 0) {
      expect((await newest(palimpsest, key))?.seq).toBe(version);
      expect(session?.state).toEqual({ asked: version - 1 });
    }
    read += await expectMemoryBehind(palimpsest, key);
    acknowledged += last;
    await palimpsest.close();
    await expectSound(file);
  }
  expect(acknowledged).toBeGreaterThan(rounds);
  expect(read).toBeGreaterThan(0);
});

test(`a process killed while it imports leaves whole batches, and importing again does the rest (${importRounds} rounds)`, {
  timeout: 30_000 + importRounds * 3_000,
}, async () => {
  const file = join(scratchFolder(), 'import.db');
  for (let round = 0; round < importRounds; round++) {
    const key = { appName: 'default', userId: `u${round}`, sessionId: 's1' };
    const worker = await pool.start({ do: 'import', file, ...key });
    worker.start();
    await randomMoment(worker.printed(1), 500);
    worker.kill();
    const lines = await worker.ended;

    if (!existsSync(file)) continue;
    const left = await openAlone(file);
    const version = (await left.sessions.open(key))?.version ?? 0;
    expect([importedEvents, 0]).toContain(version % batchSize === 0 ? 0 : version);
    if (lines.includes('imported')) expect(version).toBe(importedEvents);
    if (version > 0) expect(await readAllIds(left.sessions, key)).toEqual(idsUpTo(version));
    const read = await expectMemoryBehind(left, key);
    if (lines.includes('read')) expect(read).toBe(importedEvents);
    await left.close();

    const palimpsest = await openPalimpsest({ file, sweepSeconds: 0 });
    const result = await palimpsest.import(importedSession(key), { from: 'test' });
    expect(result).toEqual({ sessions: 1, added: importedEvents - version, unchanged: version });
    await palimpsest.settled();
    expect(await readAllIds(palimpsest.sessions, key)).toEqual(idsUpTo(importedEvents));
    expect(await expectMemoryBehind(palimpsest, key)).toBe(importedEvents);
    await palimpsest.close();
    await expectSound(file);
  }
});
