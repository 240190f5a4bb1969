import type { JobStore } from '../../jobs/index.ts';
import type { MemoryStore } from '../../memory/service/index.ts';
import type { SessionStore } from '../../sessions/index.ts';
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts';
import { createSqliteJobStore } from './sqlite-job-store.ts';
import { createSqliteMemoryStore } from './sqlite-memory-store.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';

/** The stores of one open file. */
export interface SqliteStores {
  readonly sessions: SessionStore;
  readonly memory: MemoryStore;
  readonly jobs: JobStore;
  /** The file itself: backup, integrity check, close. */
  readonly file: SqliteFile;
}

/** Opens or makes a file that holds sessions, memory and jobs. Throws what SqliteFile.open throws. */
export async function openSqlite(options: SqliteFileOptions): Promise<SqliteStores> {
  const file = await SqliteFile.open(options);
  return {
    sessions: createSqliteSessionStore(file),
    memory: createSqliteMemoryStore(file),
    jobs: createSqliteJobStore(file),
    file,
  };
}
