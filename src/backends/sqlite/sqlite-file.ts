import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';
import {
  type Connection,
  type Driver,
  type DriverName,
  loadDriver,
  type Row,
  type SqlValue,
  type Statement,
} from './driver.ts';
import { applicationId, migrations } from './migrations.ts';
import { isBusy, translate } from './sqlite-error.ts';

/** How a file is opened. */
export interface SqliteFileOptions {
  readonly file: string;
  /** Which package opens it; the first that loads if none is named. */
  readonly driver?: DriverName;
  /** Refuse to make a new file. */
  readonly mustExist?: boolean;
  /** Never write; implies mustExist. */
  readonly readOnly?: boolean;
  /** How long a write may wait for other processes, in milliseconds. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /** `normal` survives a crash of the process, `full` also one of the machine, at an fsync a commit. Default `normal`. */
  readonly durability?: 'normal' | 'full';
}

/** Blocks the thread inside SQLite; longer waits give the event loop its turn in between. */
const blockingWaitMs = 100;
const walPagesBeforeCheckpoint = 4000;
const longestLogWaitMs = 1_000;

/** One open file: prepared statements, transactions that several processes can share, and its place in the migrations. */
export class SqliteFile {
  readonly file: string;
  readonly driverName: DriverName;
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();
  readonly #busyTimeoutMs: number;
  readonly #readOnly: boolean;
  #open = true;

  /** Opens or makes a file. Throws FILE_NOT_FOUND, NOT_A_STORE, SCHEMA_NEWER, STORE_BUSY, STORE_CORRUPT or STORE_FULL. */
  static async open(options: SqliteFileOptions): Promise<SqliteFile> {
    const readOnly = options.readOnly === true;
    refuseBadPath(options.file, readOnly || options.mustExist === true);
    const driver = await loadDriver(options.driver);
    const file = new SqliteFile(options, connect(driver, options.file, readOnly), driver.name);
    try {
      await file.#prepare(readOnly, options.durability ?? 'normal');
    } catch (error) {
      file.close();
      throw error;
    }
    return file;
  }

  private constructor(options: SqliteFileOptions, connection: Connection, driverName: DriverName) {
    this.file = options.file;
    this.driverName = driverName;
    this.#connection = connection;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? 10_000;
    this.#readOnly = options.readOnly === true;
  }

  /** All rows of a query. */
  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.#guard(() => this.#statement(sql).all(...values));
  }

  /** The first row of a query. */
  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#guard(() => this.#statement(sql).get(...values));
  }

  /** Runs a statement and returns how many rows it changed. Only inside `write`. Engine errors pass untranslated. */
  run(sql: string, ...values: SqlValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /**
   * Runs the work in one transaction that no other writer overlaps; waits for theirs to end. If the work throws,
   * nothing of it stays. Throws STORE_BUSY when the wait is over, SCHEMA_NEWER, or what the work threw, translated.
   */
  async write<T>(work: () => T): Promise<T> {
    const started = Date.now();
    for (let attempt = 0; ; attempt++) {
      this.#refuseClosed();
      try {
        return this.#transaction(work);
      } catch (error) {
        const waitedMs = Date.now() - started;
        if (!isBusy(error) || waitedMs >= this.#busyTimeoutMs) throw translate(error, this.file, waitedMs);
      }
      await sleep(Math.random() * Math.min(50, 2 ** attempt));
    }
  }

  /**
   * Writes a consistent, compact copy to a file that must not exist yet. Readers and writers go on meanwhile. A copy
   * that fails leaves no file. Throws FILE_EXISTS, FILE_NOT_FOUND for a folder, STORE_FULL or STORE_FAILED of the copy.
   */
  backup(to: string): void {
    const copy = reserve(to);
    try {
      this.#statement('VACUUM INTO ?').run(to);
      fsyncSync(copy);
    } catch (error) {
      rmSync(to, { force: true });
      const ofOriginal = translate(error, this.file, blockingWaitMs);
      throw isPalimpsestError(ofOriginal, 'STORE_FULL') || isPalimpsestError(ofOriginal, 'STORE_FAILED')
        ? translate(error, to)
        : ofOriginal;
    } finally {
      closeSync(copy);
    }
  }

  /** What SQLite's own check finds wrong, at most 20 lines; nothing for a sound file. */
  integrityProblems(): string[] {
    const rows = this.all('PRAGMA integrity_check(20)');
    return rows.flatMap((row) => Object.values(row).map(String)).filter((line) => line !== 'ok');
  }

  /** Moves everything from the write-ahead log into the file and empties the log; `false` if others are at work on it. */
  checkpoint(): boolean {
    return Number(this.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy) === 0;
  }

  /**
   * The same once what was removed must be gone: waits a little for others to finish reading. If they go on, the log
   * is emptied at the next removal or when the last connection closes.
   */
  async emptyLog(): Promise<boolean> {
    const started = Date.now();
    while (!this.#tryCheckpoint()) {
      if (Date.now() - started >= Math.min(longestLogWaitMs, this.#busyTimeoutMs)) return false;
      await sleep(50);
    }
    return true;
  }

  /**
   * Rewrites the file without the bytes that SQLite left behind in pages when it moved rows, which removing rows does
   * not reach. Blocks the thread for about 15 ms a megabyte and needs as much space again; `false` if others were at
   * work, or the space is missing: then the file is as it was.
   */
  async scrub(): Promise<boolean> {
    const started = Date.now();
    for (;;) {
      try {
        this.#guard(() => this.#connection.exec('VACUUM'));
        return this.emptyLog();
      } catch (error) {
        if (isPalimpsestError(error, 'STORE_FULL')) return false;
        if (!isPalimpsestError(error, 'STORE_BUSY')) throw error;
        if (Date.now() - started >= this.#busyTimeoutMs) return false;
      }
      await sleep(50);
    }
  }

  /** Size of the database, in bytes. */
  get size(): number {
    const row = this.get('SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size');
    return Number(row?.size);
  }

  /** Closes the file; closing again does nothing. */
  close(): void {
    if (!this.#open) return;
    // Some drivers let go of the file only when their statements are collected, so the log is emptied here.
    if (!this.#readOnly) this.#tryCheckpoint();
    this.#open = false;
    this.#statements.clear();
    this.#connection.close();
  }

  /** Where it fails, what was committed stands all the same: the log is emptied another time. */
  #tryCheckpoint(): boolean {
    try {
      return this.checkpoint();
    } catch (error) {
      if (!isPalimpsestError(error)) throw error;
      return false;
    }
  }

  async #prepare(readOnly: boolean, durability: 'normal' | 'full'): Promise<void> {
    this.#guard(() => this.#connection.exec(`PRAGMA busy_timeout = ${blockingWaitMs}`));
    const version = this.#schemaVersion();
    if (version === 0 && readOnly)
      throw new PalimpsestError('NOT_A_STORE', { file: this.file, reason: 'is an empty database' });
    if (readOnly) return;
    await this.#setUp(durability);
    if (version < migrations.length) await this.write(() => this.#migrate());
  }

  /** Journal mode can only change while nobody else is at work on a new file, hence the patience. */
  async #setUp(durability: 'normal' | 'full'): Promise<void> {
    const started = Date.now();
    for (;;) {
      try {
        this.#connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}; PRAGMA secure_delete = ON;
          PRAGMA wal_autocheckpoint = ${walPagesBeforeCheckpoint}; PRAGMA foreign_keys = OFF`);
        return;
      } catch (error) {
        const waitedMs = Date.now() - started;
        if (!isBusy(error) || waitedMs >= this.#busyTimeoutMs) throw translate(error, this.file, waitedMs);
      }
      await sleep(10);
    }
  }

  #migrate(): void {
    for (let version = this.#schemaVersion(); version < migrations.length; version++) {
      this.#connection.exec(migrations[version] ?? '');
    }
    this.#connection.exec(`PRAGMA user_version = ${migrations.length}; PRAGMA application_id = ${applicationId}`);
  }

  #schemaVersion(): number {
    // One statement, hence one picture, even while another process makes the schema.
    const row = this.get(`SELECT user_version AS version, application_id AS owner,
      (SELECT count(*) FROM sqlite_master) AS tables FROM pragma_user_version, pragma_application_id`);
    const [version, owner, tables] = [Number(row?.version), Number(row?.owner), Number(row?.tables)];
    const foreign = owner === applicationId ? version === 0 : owner !== 0 || version !== 0 || tables > 0;
    if (foreign)
      throw new PalimpsestError('NOT_A_STORE', { file: this.file, reason: 'is a database of another program' });
    this.#refuseNewer(version);
    return version;
  }

  #refuseNewer(version: number): void {
    if (version > migrations.length)
      throw new PalimpsestError('SCHEMA_NEWER', { file: this.file, found: version, supported: migrations.length });
  }

  #transaction<T>(work: () => T): T {
    this.#statement('BEGIN IMMEDIATE').run();
    try {
      // A newer release may have migrated the file since it was opened: its tables need more than is written here.
      this.#refuseNewer(Number(this.#statement('PRAGMA user_version').get()?.user_version));
      const result = work();
      this.#statement('COMMIT').run();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** A full disk may already have rolled the transaction back; then there is nothing left to undo. */
  #rollBack(): void {
    try {
      this.#statement('ROLLBACK').run();
    } catch (error) {
      if (!/no transaction/i.test(String(error))) throw translate(error, this.file);
    }
  }

  #statement(sql: string): Statement {
    this.#refuseClosed();
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translate(error, this.file, blockingWaitMs);
    }
  }

  #refuseClosed(): void {
    if (!this.#open) throw new PalimpsestError('CLOSED', { what: `The file ${this.file}` });
  }
}

function refuseBadPath(file: string, mustExist: boolean): void {
  if (typeof file !== 'string' || file === '') {
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'file', reason: 'must be the path of a file' });
  }
  // SQLite would take these for something else than a path.
  if (file === ':memory:' || file.startsWith('file:')) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'file',
      reason: 'must be a path; leave it out to stay in memory',
    });
  }
  if (!existsSync(file)) {
    if (mustExist) throw new PalimpsestError('FILE_NOT_FOUND', { file });
    if (!existsSync(dirname(file))) throw new PalimpsestError('FILE_NOT_FOUND', { file: dirname(file) });
  } else if (!statSync(file).isFile()) {
    throw new PalimpsestError('NOT_A_STORE', { file, reason: 'is no ordinary file' });
  }
}

/** Makes an empty file, so that of two copies to one name only one is written. */
function reserve(file: string): number {
  if (existsSync(file)) throw new PalimpsestError('FILE_EXISTS', { file });
  refuseBadPath(file, false);
  try {
    return openSync(file, 'wx');
  } catch (cause) {
    const taken = existsSync(file);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw taken
      ? new PalimpsestError('FILE_EXISTS', { file }, { cause })
      : new PalimpsestError('STORE_FAILED', { file, reason }, { cause });
  }
}

function connect(driver: Driver, file: string, readOnly: boolean): Connection {
  try {
    return driver.open(file, { readOnly });
  } catch (error) {
    throw translate(error, file);
  }
}
