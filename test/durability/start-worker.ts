import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { WorkerTask } from './worker-program.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** A process that does one task. */
export interface Worker {
  /** Lines printed so far that are complete, without the first one, which says that it is ready. */
  lines(): string[];
  /** Resolves when so many lines stand. */
  printed(count: number): Promise<void>;
  /** Lets the task begin. */
  start(): void;
  /** Lets a task that waits within go on. */
  goOn(): void;
  kill(): void;
  /** All lines, once the process has ended; throws what it wrote to stderr if it failed on its own. */
  readonly ended: Promise<string[]>;
}

/**
 * Bundles the worker program for the tests of a file, so that a process starts in a tenth of the time that a compiler
 * in each of them would take, and returns what starts one.
 */
export function workerPool(): { start(task: WorkerTask): Promise<Worker> } {
  let folder = '';
  beforeAll(async () => {
    // Inside the project, so that the bundle finds the installed drivers.
    const cache = join(project, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'palimpsest-worker-'));
    await bundleWorker(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { start: (task) => startWorker(join(folder, 'worker.js'), task) };
}

async function bundleWorker(folder: string): Promise<void> {
  const entry = join(folder, 'entry.ts');
  const program = join(project, 'test/durability/worker-program.ts');
  writeFileSync(entry, `import { runWorker } from ${JSON.stringify(program)};\nawait runWorker();\n`);
  await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['@photostructure/sqlite', 'better-sqlite3'] },
    build: {
      ssr: entry,
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'worker.js' } },
    },
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}

async function startWorker(program: string, task: WorkerTask): Promise<Worker> {
  const child = spawn(process.execPath, [program, JSON.stringify(task)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = collect(child);
  const worker: Worker = {
    lines: () => output.lines().slice(1),
    printed: (count) => output.printed(count + 1),
    start: () => void child.stdin.write('start\n'),
    goOn: () => void child.stdin.write('go on\n'),
    kill: () => void child.kill('SIGKILL'),
    ended: output.ended.then((lines) => lines.slice(1)),
  };
  await worker.printed(0);
  return worker;
}

function collect(child: ChildProcessWithoutNullStreams) {
  let text = '';
  let errors = '';
  let wake = () => undefined as unknown;
  const lines = () => text.split('\n').slice(0, -1);
  child.stdin.on('error', (error) => {
    errors += String(error);
  });
  child.stderr.on('data', (data) => {
    errors += String(data);
  });
  child.stdout.on('data', (data) => {
    text += String(data);
    wake();
  });
  const ended = new Promise<string[]>((resolve, reject) => {
    child.on('close', (status) => {
      wake();
      if (status === null || status === 0) resolve(lines());
      else reject(new Error(`the worker failed with ${status}: ${errors}`));
    });
  });
  ended.catch(() => wake());
  const printed = async (count: number): Promise<void> => {
    while (lines().length < count) {
      if (child.exitCode !== null || child.signalCode !== null) return void (await ended);
      await new Promise<unknown>((resolve) => {
        wake = () => resolve(undefined);
      });
    }
  };
  return { lines, printed, ended };
}
