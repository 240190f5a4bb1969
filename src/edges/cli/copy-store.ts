import { constants, existsSync, statSync } from 'node:fs';
import { access, chmod, copyFile, realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SqliteFile } from '../../backends/sqlite/index.ts';
import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';

const attempts = 3;
/** Longer than the clock of any file system takes to tick, so that a later write has a later time. */
const clockTickMs = 25;

/** Throws unless there is a file that may be read and has something in it; nothing is made or opened. */
export async function refuseUnreadable(file: string): Promise<void> {
  if (!existsSync(file)) throw new PalimpsestError('FILE_NOT_FOUND', { file });
  const stats = statSync(file);
  if (!stats.isFile()) throw new PalimpsestError('NOT_A_STORE', { file, reason: 'is no ordinary file' });
  if (!(await isAllowed(file, constants.R_OK))) {
    throw new PalimpsestError('STORE_FAILED', {
      file,
      reason: 'there is no permission to read it; change that, or run this as another user',
    });
  }
  if (stats.size === 0) throw new PalimpsestError('NOT_A_STORE', { file, reason: 'is empty' });
}

/** Whether this user may write to the file, and beside it, where SQLite keeps the log of an open file. */
export async function isWritable(file: string): Promise<boolean> {
  const real = existsSync(file) ? await realpath(file) : file;
  const mayWrite = !existsSync(file) || (await isAllowed(real, constants.W_OK));
  return mayWrite && (await isAllowed(dirname(real), constants.W_OK));
}

/**
 * Copies a store, leaving nothing beside it: byte by byte, damage and all, with what stands in its write-ahead log;
 * or, while others keep writing, as SQLite's picture of one moment. Says which. Throws what reading the file throws.
 */
export async function copyStore(file: string, to: string): Promise<'bytes' | 'picture'> {
  const real = await realpath(file);
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await copyBytes(real, to)) return 'bytes';
  }
  for (const name of [to, logOf(to)]) await rm(name, { force: true });
  const store = await SqliteFile.open({ file, readOnly: true });
  try {
    store.backup(to);
  } finally {
    store.close();
  }
  return 'picture';
}

/** Does the work on a copy, but lets its errors name the original. */
export async function namingOriginal<T>(
  { copy, file }: { readonly copy: string; readonly file: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isPalimpsestError(error) || !('file' in error.details) || error.details.file !== copy) throw error;
    throw new PalimpsestError(error.code, { ...error.details, file }, { cause: error });
  }
}

/** `false` if somebody wrote meanwhile: what was copied may then be of two moments. */
async function copyBytes(file: string, to: string): Promise<boolean> {
  const before = stampsOf(file);
  await sleep(clockTickMs);
  try {
    await copyOne(file, to);
    if (existsSync(logOf(file))) await copyOne(logOf(file), logOf(to));
    else await rm(logOf(to), { force: true });
  } catch (error) {
    throw translate(error, { file, to });
  }
  return stampsOf(file) === before;
}

/** A copy of what may only be read may be written all the same. */
async function copyOne(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

function stampsOf(file: string): string {
  const stampOf = (name: string) => {
    const stats = statSync(name, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? [] : [stats.ino, stats.size, stats.mtimeNs].map(String);
  };
  return JSON.stringify([stampOf(file), stampOf(logOf(file))]);
}

function logOf(file: string): string {
  return `${file}-wal`;
}

function translate(error: unknown, { file, to }: { readonly file: string; readonly to: string }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new PalimpsestError('STORE_FULL', { file: to }, { cause: error });
  const reason = `it could not be copied to the folder for temporary files (${String(code)})`;
  return new PalimpsestError('STORE_FAILED', { file, reason }, { cause: error });
}

async function isAllowed(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}
