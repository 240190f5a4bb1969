import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteFile } from '../../src/backends/sqlite/index.ts';
import { lines, openRunner } from './job-kill-program.ts';
import { scratchFolder } from './scratch-folder.ts';

/** `ROUNDS=50 npx vitest run --project suite test/durability/job-kill` is the long run. */
const rounds = Number(process.env.ROUNDS ?? 5);
const program = join(import.meta.dirname, 'job-kill-program.ts');

interface Worker {
  readonly child: ChildProcess;
  readonly firstLine: Promise<unknown>;
  /** All complete lines that it printed, once it has ended. */
  readonly ended: Promise<string[]>;
}

function startWorker(file: string, first: number): Worker {
  const child = spawn(process.execPath, ['--import', 'tsx', program, file, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (data) => {
    text += String(data);
  });
  const firstLine = new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('close', reject);
  });
  const ended = new Promise<string[]>((resolve) => {
    child.on('close', () => resolve(text.split('\n').slice(0, -1)));
  });
  return { child, firstLine, ended };
}

/** The numbers of the jobs of a line of which something was told, in the order that it was. */
const told = (log: readonly string[], what: string, line: string) =>
  log.filter((entry) => entry.startsWith(`${what} ${line} `)).map((entry) => Number(entry.split(' ').at(-1)));

test(`no job is lost, and none goes past another, when processes that run them are killed (${rounds} rounds)`, {
  timeout: 60_000 + rounds * 10_000,
}, async () => {
  const file = join(scratchFolder(), 'jobs.db');
  const log: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const worker = startWorker(file, 1 + round * 1_000_000);
    await worker.firstLine;
    await sleep(Math.random() * 600);
    worker.child.kill('SIGKILL');
    log.push(...(await worker.ended));
  }
  const killed = log.length;
  const { runner, close } = await openRunner(file, (line) => log.push(line));
  await runner.settled({ backOffs: true });
  const letters = (await runner.deadLetters({ appName: 'a', limit: 1_000 })).items;
  expect((await runner.deadLetters({ appName: 'a', limit: 1_000 })).nextCursor).toBeUndefined();
  expect(await runner.erase({ appName: 'a', userId: lines[0] ?? '' })).toBe(
    letters.filter(({ scope }) => scope.userId === lines[0]).length,
  );
  await close();

  for (const line of lines) {
    const enqueued = told(log, 'enqueued', line);
    const begun = told(log, 'begins', line);
    const ended = new Set(told(log, 'ends', line));
    const dead = letters.filter(({ scope }) => scope.userId === line).map(({ payload }) => Number(payload.n));
    expect(enqueued.length).toBeGreaterThan(rounds);
    expect(enqueued.filter((n) => !ended.has(n) && !dead.includes(n))).toEqual([]);
    expect(begun).toEqual([...begun].sort((a, b) => a - b));
    expect(new Set(dead).size).toBe(dead.length);
  }
  expect(killed).toBeGreaterThan(0);
  const opened = await SqliteFile.open({ file, readOnly: true });
  expect(opened.integrityProblems()).toEqual([]);
  opened.close();
});
