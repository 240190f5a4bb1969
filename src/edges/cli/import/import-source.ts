import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { PalimpsestError } from '../../../errors/index.ts';
import { isPlainObject } from '../../../events/index.ts';
import { type ImportPlace, importError } from './import-error.ts';

/** One JSON object of a foreign file. */
export interface ForeignRecord {
  readonly value: unknown;
  /** Only of line formats. */
  readonly line?: number;
  /** Where it stands in a document, such as `[3]`; empty for a line or a document that is one record. */
  readonly field: string;
  /** How much of the file is read once this record is done, from 0 to 1. */
  readonly progress: number;
}

/** A foreign file, opened and looked into: its records, in order. */
export interface ImportSource {
  readonly file: string;
  /** The first record, for recognising the format. */
  readonly first: ForeignRecord;
  records(): AsyncIterable<ForeignRecord>;
}

/** Where a record stands, for errors about it. */
export function placeOf(source: ImportSource, record: ForeignRecord): ImportPlace {
  const line = record.line === undefined ? {} : { line: record.line };
  return { file: source.file, ...line, field: record.field };
}

const headBytes = 64 * 1024;
const largestDocument = 500 * 1024 * 1024;
const newline = 0x0a;

/**
 * Opens a foreign file. A JSON document is read whole; JSON lines are streamed. Throws FILE_NOT_FOUND, or
 * INVALID_IMPORT for a directory, an archive, a binary or empty file, and for text that is not JSON.
 */
export async function openSource(file: string): Promise<ImportSource> {
  const size = await sizeOf(file);
  refuseBinary(file, await readHead(file));
  for await (const { text } of linesOf(file)) {
    if (text.trim() !== '') return looksLikeLines(text.trim()) ? lineSource(file, size) : documentSource(file, size);
  }
  throw importError({ file, field: 'file' }, 'is empty; give a file that has conversations in it');
}

async function sizeOf(file: string): Promise<number> {
  try {
    const stats = await stat(file);
    if (stats.isDirectory()) {
      throw importError({ file, field: 'file' }, 'is a directory; give the file inside it, such as conversations.json');
    }
    return stats.size;
  } catch (error) {
    throw translateReadFailure(error, file);
  }
}

function translateReadFailure(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return new PalimpsestError('FILE_NOT_FOUND', { file }, { cause: error });
  if (code === 'EACCES' || code === 'EPERM') {
    return importError({ file, field: 'file' }, 'may not be read; change its permissions', error);
  }
  return error;
}

async function readHead(file: string): Promise<Uint8Array> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw translateReadFailure(error, file);
  }
}

function refuseBinary(file: string, head: Uint8Array): void {
  const place = { file, field: 'file' };
  const startsWith = (...bytes: readonly number[]) => bytes.every((byte, index) => head[index] === byte);
  if (startsWith(0x50, 0x4b, 0x03, 0x04)) {
    throw importError(place, 'is a zip archive; unpack it and give the conversations.json inside it');
  }
  if (startsWith(0x1f, 0x8b)) throw importError(place, 'is compressed; unpack it first');
  if (startsWith(0xff, 0xfe) || startsWith(0xfe, 0xff)) throw importError(place, 'is UTF-16; save it as UTF-8');
  if (head.includes(0)) throw importError(place, 'is a binary file; give JSON or JSON lines');
}

/**
 * A first line that is a whole object, or breaks off where no pretty-printer breaks a line, is the first of JSON lines.
 */
function looksLikeLines(firstLine: string): boolean {
  return firstLine.startsWith('{') && !/[{[,]$/.test(firstLine);
}

async function lineSource(file: string, size: number): Promise<ImportSource> {
  const records = async function* (): AsyncIterable<ForeignRecord> {
    for await (const { text, line, endByte } of linesOf(file)) {
      if (text.trim() === '') continue;
      const value = parseJson(text, { file, line });
      if (!isPlainObject(value)) throw importError({ file, line, field: 'line' }, 'must be a JSON object');
      yield { value, line, field: '', progress: Math.min(1, endByte / size) };
    }
  };
  return { file, first: await firstOf(file, records()), records };
}

async function documentSource(file: string, size: number): Promise<ImportSource> {
  if (size > largestDocument) {
    const megabytes = Math.round(size / 1024 / 1024);
    throw importError({ file, field: 'file' }, `has ${megabytes} MB; split it, at most 500 MB of JSON are read as one`);
  }
  const bytes = await readFile(file);
  const value = parseJson(decode(bytes, { file }), { file });
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const records = async function* (): AsyncIterable<ForeignRecord> {
    for (const [index, item] of list.entries()) {
      yield { value: item, field: Array.isArray(value) ? `[${index}]` : '', progress: (index + 1) / list.length };
    }
  };
  return { file, first: await firstOf(file, records()), records };
}

async function firstOf(file: string, records: AsyncIterable<ForeignRecord>): Promise<ForeignRecord> {
  for await (const record of records) return record;
  throw importError({ file, field: 'file' }, 'is an empty list; there is nothing to import');
}

interface Line {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
  readonly endByte: number;
}

/** Splits at line feeds alone: U+2028 is legal inside a JSON string, so readline would cut too often. */
async function* linesOf(file: string): AsyncIterable<Line> {
  let pieces: Uint8Array[] = [];
  let line = 1;
  let endByte = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    let rest: Uint8Array = chunk;
    for (let at = rest.indexOf(newline); at !== -1; at = rest.indexOf(newline)) {
      pieces.push(rest.subarray(0, at));
      endByte += at + 1;
      yield { text: decode(Buffer.concat(pieces), { file, line }), line, endByte };
      pieces = [];
      line += 1;
      rest = rest.subarray(at + 1);
    }
    endByte += rest.length;
    pieces.push(rest);
  }
  yield { text: decode(Buffer.concat(pieces), { file, line }), line, endByte };
}

function decode(bytes: Uint8Array, place: { readonly file: string; readonly line?: number }): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw importError({ ...place, field: 'text' }, 'is not UTF-8; save the file as UTF-8', cause);
  }
}

function parseJson(text: string, place: { readonly file: string; readonly line?: number }): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const line = place.line ?? lineOfFailure(text, cause);
    const where = line === undefined ? place : { ...place, line };
    throw importError({ ...where, field: 'text' }, whyNotJson(text, cause), cause);
  }
}

function whyNotJson(text: string, cause: unknown): string {
  if (!/^\s*[[{]/.test(text)) return 'is neither JSON nor JSON lines';
  const isCut = /Unterminated|Unexpected end/.test(String(cause)) || positionOf(cause) === text.length;
  return isCut ? 'ends in the middle of a JSON value; the file may be cut off' : 'is not valid JSON';
}

function lineOfFailure(text: string, cause: unknown): number | undefined {
  const position = positionOf(cause);
  return position === undefined ? undefined : text.slice(0, position).split('\n').length;
}

function positionOf(cause: unknown): number | undefined {
  const found = /at position (\d+)/.exec(String(cause));
  return found === null ? undefined : Number(found[1]);
}
