import type { MemoryStore } from '../../memory/service/index.ts';
import type { SessionStore } from '../../sessions/index.ts';
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts';
import { createSqliteMemoryStore } from './sqlite-memory-store.ts';
import { createSqliteSessionStore } from './sqlite-session-store.ts';

/** The stores of one open file. */
export interface SqliteStores {
  readonly sessions: SessionStore;
  readonly memory: MemoryStore;
  /** The file itself: backup, integrity check, close. */
  readonly file: SqliteFile;
}

/** Opens or makes a file that holds both sessions and memory. Throws what SqliteFile.open throws. */
export async function openSqlite(options: SqliteFileOptions): Promise<SqliteStores> {
  const file = await SqliteFile.open(options);
  return { sessions: createSqliteSessionStore(file), memory: createSqliteMemoryStore(file), file };
}
