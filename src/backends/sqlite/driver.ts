import { createRequire } from 'node:module';
import { PalimpsestError } from '../../errors/index.ts';

/** What SQLite stores in one column. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One row, by column name. */
export type Row = Readonly<Record<string, SqlValue>>;

/** A prepared statement: the part of the `node:sqlite` API that all drivers share. */
export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

/** An open database: likewise. */
export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** The packages that can open a file. */
export type DriverName = 'node:sqlite' | '@photostructure/sqlite' | 'better-sqlite3';

/** How a driver opens a file. */
export interface Driver {
  readonly name: DriverName;
  open(file: string, options: { readOnly: boolean }): Connection;
}

interface DatabaseSyncModule {
  readonly DatabaseSync: new (file: string, options: { readOnly: boolean }) => Connection;
}

type BetterSqlite3 = new (file: string, options: { readonly: boolean; fileMustExist: boolean }) => Connection;

/**
 * Loads a driver: the one named, or else Node's own, then the prebuilt package for Node 20, then better-sqlite3 if the
 * application has it. Throws MISSING_PACKAGE with the command that installs one, INVALID_ARGUMENT for another name.
 */
export async function loadDriver(name?: DriverName): Promise<Driver> {
  if (name !== undefined && !Object.hasOwn(loaders, name)) {
    const reason = `must be one of ${Object.keys(loaders).join(', ')}`;
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'driver', reason });
  }
  const candidates: readonly DriverName[] = name ? [name] : ['node:sqlite', '@photostructure/sqlite', 'better-sqlite3'];
  const failures: unknown[] = [];
  for (const candidate of candidates) {
    try {
      return await loaders[candidate]();
    } catch (cause) {
      failures.push(cause);
    }
  }
  const wanted = name && name !== 'node:sqlite' ? name : '@photostructure/sqlite@1.2.1';
  throw new PalimpsestError(
    'MISSING_PACKAGE',
    {
      package: name ?? 'a SQLite driver',
      install: name === 'node:sqlite' ? 'Node.js 22.13 or newer' : `npm install ${wanted}`,
    },
    { cause: failures },
  );
}

const loaders: Readonly<Record<DriverName, () => Promise<Driver>>> = {
  'node:sqlite': async () => fromDatabaseSync('node:sqlite', process.getBuiltinModule('node:sqlite')),
  '@photostructure/sqlite': async () =>
    fromDatabaseSync('@photostructure/sqlite', await import('@photostructure/sqlite')),
  'better-sqlite3': async () => {
    const Database: BetterSqlite3 = createRequire(import.meta.url)('better-sqlite3');
    return {
      name: 'better-sqlite3',
      open: (file, { readOnly }) => new Database(file, { readonly: readOnly, fileMustExist: readOnly }),
    };
  },
};

function fromDatabaseSync(name: DriverName, module: unknown): Driver {
  if (!hasDatabaseSync(module))
    throw new PalimpsestError('MISSING_PACKAGE', { package: name, install: 'Node.js 22.13 or newer' });
  return { name, open: (file, options) => new module.DatabaseSync(file, options) };
}

function hasDatabaseSync(module: unknown): module is DatabaseSyncModule {
  return (
    typeof module === 'object' &&
    module !== null &&
    'DatabaseSync' in module &&
    typeof module.DatabaseSync === 'function'
  );
}
