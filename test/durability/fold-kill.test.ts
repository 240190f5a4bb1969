import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteFile } from '../../src/backends/sqlite/index.ts';
import { openFolding, type Point, points, session, summary } from './fold-kill-program.ts';
import { scratchFolder } from './scratch-folder.ts';

const program = join(import.meta.dirname, 'fold-kill-program.ts');

/** Longer than a job is held by a process that has died. */
const later = { now: () => Date.now() + 60_000 };

async function dieAt(file: string, point: Point): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', program, file, point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [[, signal], printed] = await Promise.all([once(child, 'close'), text(child.stdout)]);
  expect(signal).toBe('SIGKILL');
  // The fold may be quicker than the word about the second answer.
  expect(printed).toMatch(/^(answered\n){1,2}$/);
}

test.each(points)('a process that dies %s leaves one fold to the next one', { timeout: 60_000 }, async (point) => {
  const file = join(scratchFolder(), 'folds.db');
  await dieAt(file, point);

  const isWritten = point === 'afterApply';
  for (const attempt of ['first', 'second']) {
    const { palimpsest, scripted } = await openFolding(file, () => undefined, later);
    await palimpsest.settled();
    const key = { appName: palimpsest.appName, ...session };
    const { items } = await palimpsest.sessions.read(key, { limit: 100 });
    expect(items.map(({ author }) => author)).toEqual(['user', 'weather', 'user', 'weather', 'system']);
    expect(items[4]?.actions.compaction).toMatchObject({ covers: [[1, 4]] });
    expect(JSON.stringify(items[4])).toContain(summary);
    // A summary that was stored is not paid for again.
    expect(scripted.calls).toHaveLength(isWritten || attempt === 'second' ? 0 : 1);
    const { items: covered } = await palimpsest.expand(key, 5);
    expect(covered).toEqual(items.slice(0, 4));
    await palimpsest.close();
  }
  const opened = await SqliteFile.open({ file, readOnly: true });
  expect(opened.integrityProblems()).toEqual([]);
  opened.close();
});
