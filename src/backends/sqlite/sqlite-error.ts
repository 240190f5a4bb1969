import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';

/** Primary result codes of SQLite that callers can act on. */
const codes = {
  generic: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
};

const namesOfBetterSqlite3: Readonly<Record<string, number>> = {
  SQLITE_BUSY: codes.busy,
  SQLITE_LOCKED: codes.locked,
  SQLITE_READONLY: codes.readOnly,
  SQLITE_IOERR: codes.ioError,
  SQLITE_CORRUPT: codes.corrupt,
  SQLITE_FULL: codes.full,
  SQLITE_CANTOPEN: codes.cannotOpen,
  SQLITE_CONSTRAINT: codes.constraint,
  SQLITE_NOTADB: codes.notADatabase,
};

/** SQLite's own messages: all that `all()` of @photostructure/sqlite tells of a failure. */
const namesOfMessages: Readonly<Record<string, number>> = {
  'database is locked': codes.busy,
  'database table is locked': codes.locked,
  'disk I/O error': codes.ioError,
  'database disk image is malformed': codes.corrupt,
  'database or disk is full': codes.full,
  'file is not a database': codes.notADatabase,
};

/** What SQLite takes at once for the index of its write-ahead log; short of that, it reports an I/O error. */
const smallestRoom = 64 * 1024;

/** True if another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === codes.busy || code === codes.locked;
}

/** True if a unique index refused a row. */
export function isConstraint(error: unknown): boolean {
  return primaryCode(error) === codes.constraint;
}

/** The library's error for one of the engine; any other error passes unchanged. */
export function translate(error: unknown, file: string, waitedMs = 0): unknown {
  const code = primaryCode(error);
  if (isPalimpsestError(error) || code === undefined) return error;
  const cause = { cause: error };
  const reason = error instanceof Error ? error.message : String(error);
  switch (code) {
    case codes.busy:
    case codes.locked:
      return new PalimpsestError('STORE_BUSY', { file, waitedMs }, cause);
    case codes.full:
      return new PalimpsestError('STORE_FULL', { file }, cause);
    case codes.ioError:
      return hasNoRoom(file)
        ? new PalimpsestError('STORE_FULL', { file }, cause)
        : new PalimpsestError('STORE_FAILED', { file, reason }, cause);
    case codes.corrupt:
      return new PalimpsestError('STORE_CORRUPT', { file, reason }, cause);
    case codes.notADatabase:
      return new PalimpsestError('NOT_A_STORE', { file, reason: 'is no SQLite database' }, cause);
    default:
      return new PalimpsestError('STORE_FAILED', { file, reason }, cause);
  }
}

/** True if the disk under a file is all but full; then that is what an I/O error comes from. */
function hasNoRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < smallestRoom;
  } catch {
    return false;
  }
}

function primaryCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  if (!('code' in error) || typeof error.code !== 'string') return undefined;
  if (error.code === 'ERR_SQLITE_ERROR' && error instanceof Error) {
    return namesOfMessages[error.message] ?? codes.generic;
  }
  if (!error.code.startsWith('SQLITE_')) return undefined;
  const name = error.code.split('_').slice(0, 2).join('_');
  return namesOfBetterSqlite3[name] ?? codes.generic;
}
