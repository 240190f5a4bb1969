import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteJobStore, SqliteFile } from '../../src/backends/sqlite/index.ts';
import { createInMemoryJobStore } from '../../src/jobs/index.ts';
import { type JobSubject, jobSubject } from '../../src/testing/index.ts';

/** Two handles on one store in memory. */
export async function inMemoryJobs(): Promise<JobSubject> {
  const store = createInMemoryJobStore();
  return jobSubject({ first: store, second: store });
}

/** Two handles that each opened one SQLite file for themselves. */
export async function sqliteJobs(): Promise<JobSubject> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-jobs-'));
  const file = join(folder, 'jobs.db');
  const files = [await SqliteFile.open({ file }), await SqliteFile.open({ file })] as const;
  return jobSubject({
    first: createSqliteJobStore(files[0]),
    second: createSqliteJobStore(files[1]),
    cleanUp: async () => {
      for (const one of files) one.close();
      rmSync(folder, { recursive: true });
    },
  });
}
