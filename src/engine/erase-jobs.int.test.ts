import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { scratchFolder } from '../../test/durability/scratch-folder.ts';
import { openSqlite } from '../backends/sqlite/index.ts';
import { createJobRunner } from '../jobs/index.ts';
import { openPalimpsest } from './open-palimpsest.ts';

it('erases the jobs of a session and of a user that stand in the same file, and nobody else\u2019s', async () => {
  const file = join(scratchFolder(), 'jobs.db');
  const palimpsest = await openPalimpsest({ file, appName: 'app', ingest: 'never', sweepSeconds: 0 });
  const stores = await openSqlite({ file });
  const runner = createJobRunner({ store: stores.jobs });
  onTestFinished(async () => {
    await runner.close();
    stores.file.close();
    await palimpsest.close();
  });
  const enqueue = (userId: string, sessionId: string) =>
    runner.enqueue({ queue: 'fold', scope: { appName: 'app', userId, sessionId }, payload: { words: '秘密' } });
  const count = async () => Number(stores.file.get('SELECT count(*) AS n FROM jobs')?.n);
  for (const [userId, sessionId] of [
    ['u1', 's1'],
    ['u1', 's2'],
    ['u2', 's1'],
  ] as const) {
    await palimpsest.user(userId).session(sessionId);
    await enqueue(userId, sessionId);
  }
  await palimpsest.eraseSession({ appName: 'app', userId: 'u1', sessionId: 's1' });
  expect(await count()).toBe(2);
  await palimpsest.user('u1').erase();
  expect(await count()).toBe(1);
});
