import { writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { createSqliteJobStore, SqliteFile } from '../../src/backends/sqlite/index.ts';
import { createJobRunner, type Job, type JobRunner } from '../../src/jobs/index.ts';

/** The lines that jobs stand in. */
export const lines = ['一', '二', '三'];

const leaseMs = 400;
const batch = 12;

/** Opens a runner on a file; each job is told when it begins and when it ends, and every seventh one never succeeds. */
export async function openRunner(file: string, tell: (line: string) => void) {
  const opened = await SqliteFile.open({ file });
  const handler = async ({ payload, scope, signal }: Job): Promise<void> => {
    const name = `${scope.userId} ${payload.n}`;
    tell(`begins ${name}`);
    await new Promise((goOn) => setTimeout(goOn, 2));
    if (signal.aborted) return;
    if (Number(payload.n) % 7 === 0) throw new TypeError('每七个坏一个');
    tell(`ends ${name}`);
  };
  const store = createSqliteJobStore(opened);
  const runner = createJobRunner({ store, handlers: { q: handler }, leaseMs, firstDelayMs: 2, maxAttempts: 2 });
  const close = async (): Promise<void> => {
    await runner.close();
    opened.close();
  };
  return { runner, close };
}

/** Puts job after job into the lines and says which were acknowledged, while the runner is at work on them. */
async function feed(runner: JobRunner, first: number, tell: (line: string) => void): Promise<never> {
  for (let n = first; ; n++) {
    for (const userId of lines) {
      await runner.enqueue({ queue: 'q', scope: { appName: 'a', userId }, payload: { n } });
      tell(`enqueued ${userId} ${n}`);
    }
    if (n % batch === 0) await runner.settled();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , file = '', first] = process.argv;
  // Synchronous, so that a line is on its way before anything else happens to the process.
  const tell = (line: string): void => void writeSync(1, `${line}\n`);
  const { runner } = await openRunner(file, tell);
  await feed(runner, Number(first), tell);
}
