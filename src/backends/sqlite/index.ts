/**
 * One SQLite file as session and memory store: driver (which package opens it), sqlite-file (transactions, migrations),
 * and a store for each port.
 */
export { type Connection, type Driver, type DriverName, loadDriver, type Statement } from './driver.ts';
export { openSqlite, type SqliteStores } from './open-sqlite.ts';
export { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts';
export { createSqliteJobStore } from './sqlite-job-store.ts';
export { createSqliteMemoryStore } from './sqlite-memory-store.ts';
export { createSqliteSessionStore } from './sqlite-session-store.ts';
