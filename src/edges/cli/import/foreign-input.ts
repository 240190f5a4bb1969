import { createReadStream, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { PalimpsestError } from '../../../errors/index.ts';
import { importError } from './import-error.ts';

/** Where a foreign file's bytes come from: a file, or all that came through a pipe. */
export interface ForeignInput {
  /** As errors name it. */
  readonly file: string;
  readonly size: number;
  /** The first 64 KiB. */
  readonly head: Uint8Array;
  /** All bytes from the first on; may be called again. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** What standard input needs. */
export interface InputOptions {
  /** Default: the one of the process. */
  readonly stdin?: Readable & { readonly isTTY?: boolean };
  /** Ends the waiting for a pipe. */
  readonly signal?: AbortSignal;
}

/** The most bytes that are read as one JSON document, or from a pipe: a JavaScript string holds little more. */
export const largestDocument = 500 * 1024 * 1024;

const headBytes = 64 * 1024;
const chunkBytes = 256 * 1024;

/**
 * Opens a file, a pipe by its path, or standard input for `-`. What comes through a pipe is kept in memory. Throws
 * FILE_NOT_FOUND, INVALID_IMPORT for a directory, a device, an archive, a binary file or an endless pipe, and ABORTED.
 */
export async function openInput(path: string, options: InputOptions = {}): Promise<ForeignInput> {
  const input = path === '-' ? await standardInput(options) : await namedInput(path, options);
  refuseBinary(input);
  return input;
}

async function standardInput({ stdin = process.stdin, signal }: InputOptions): Promise<ForeignInput> {
  const file = 'stdin';
  if (stdin.isTTY === true) throw importError({ file, field: 'input' }, 'is a terminal; give a file, or pipe one in');
  return readPipe(file, stdin, signal);
}

async function namedInput(file: string, { signal }: InputOptions): Promise<ForeignInput> {
  try {
    const stats = await stat(file);
    if (stats.isFIFO()) return await readPipe(nameOfPipe(file), createReadStream(file), signal);
    refuseOddKinds(file, stats);
    const chunks = () => createReadStream(file, { highWaterMark: chunkBytes });
    return { file, size: stats.size, head: await readHead(file), chunks };
  } catch (error) {
    throw translateReadFailure(error, file);
  }
}

/** A shell numbers the pipes that it passes on, each time anew: no name to know a file by. */
function nameOfPipe(file: string): string {
  return /^\/(dev|proc)\//.test(file) ? 'stdin' : file;
}

function refuseOddKinds(file: string, stats: Stats): void {
  if (stats.isFile()) return;
  const reason = stats.isDirectory()
    ? 'is a directory; give the file inside it, such as conversations.json'
    : 'is a device or socket; give a file, or - to read standard input';
  throw importError({ file, field: 'file' }, reason);
}

async function readHead(file: string): Promise<Uint8Array> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

async function readPipe(file: string, pipe: Readable, signal: AbortSignal | undefined): Promise<ForeignInput> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of signal === undefined ? pipe : addAbortSignal(signal, pipe)) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      size += bytes.length;
      if (size > largestDocument) {
        throw importError({ file, field: 'input' }, 'is longer than 500 MB; save it as a file and give that');
      }
      pieces.push(bytes);
    }
  } catch (error) {
    if (signal?.aborted) throw new PalimpsestError('ABORTED', { what: 'The import' }, { cause: error });
    throw error;
  }
  const chunks = async function* () {
    yield* pieces;
  };
  return { file, size, head: Buffer.concat(firstOf(pieces)).subarray(0, headBytes), chunks };
}

/** As many pieces as the head needs. */
function firstOf(pieces: readonly Uint8Array[]): Uint8Array[] {
  let bytes = 0;
  const enough = pieces.findIndex((piece) => {
    bytes += piece.length;
    return bytes >= headBytes;
  });
  return pieces.slice(0, enough === -1 ? pieces.length : enough + 1);
}

function translateReadFailure(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new PalimpsestError('FILE_NOT_FOUND', { file }, { cause: error });
  if (code === 'EACCES' || code === 'EPERM') {
    return importError({ file, field: 'file' }, 'may not be read; change its permissions', error);
  }
  return error;
}

function refuseBinary({ file, head }: ForeignInput): void {
  const place = { file, field: 'file' };
  const startsWith = (...bytes: readonly number[]) => bytes.every((byte, index) => head[index] === byte);
  if (startsWith(0x50, 0x4b, 0x03, 0x04)) {
    throw importError(place, 'is a zip archive; unpack it and give the conversations.json inside it');
  }
  if (startsWith(0x1f, 0x8b)) throw importError(place, 'is compressed; unpack it first');
  if (startsWith(0xff, 0xfe) || startsWith(0xfe, 0xff)) throw importError(place, 'is UTF-16; save it as UTF-8');
  if (head.includes(0)) throw importError(place, 'is a binary file; give JSON or JSON lines');
}
