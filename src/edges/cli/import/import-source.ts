import { isPalimpsestError, type PalimpsestError } from '../../../errors/index.ts';
import { isPlainObject } from '../../../events/index.ts';
import { type ForeignInput, type InputOptions, largestDocument, openInput } from './foreign-input.ts';
import { type ImportPlace, importError } from './import-error.ts';
import { type InputLine, inputLines } from './input-lines.ts';

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

/** A piece of a foreign file that cannot be used, and why. */
export interface RefusedRecord {
  readonly refused: PalimpsestError<'INVALID_IMPORT'>;
  readonly progress: number;
}

/** A foreign file, opened and looked into: its records, in order. */
export interface ImportSource {
  readonly file: string;
  /** The first record that can be read, for recognising the format. */
  readonly first: ForeignRecord;
  records(): AsyncIterable<ForeignRecord | RefusedRecord>;
}

/** Where a record stands, for errors about it. */
export function placeOf(source: ImportSource, record: ForeignRecord): ImportPlace {
  const line = record.line === undefined ? {} : { line: record.line };
  return { file: source.file, ...line, field: record.field };
}

const longestLine = 64 * 1024 * 1024;

/**
 * Opens a foreign file, or standard input for `-`. A JSON document is read whole; JSON lines are streamed, and one that
 * is broken is refused alone. Throws what openInput throws, and INVALID_IMPORT for what is empty or no JSON at all.
 */
export async function openSource(path: string, options: InputOptions = {}): Promise<ImportSource> {
  const input = await openInput(path, options);
  const head = new TextDecoder().decode(input.head);
  if (head.trim() === '' && input.head.length === input.size) {
    throw importError({ file: input.file, field: 'file' }, 'is empty; give a file that has conversations in it');
  }
  const records = looksLikeLines(head) ? lineRecords(input) : await documentRecords(input);
  return { file: input.file, first: await firstOf(input.file, records()), records };
}

/**
 * A first line that is a whole object, or breaks off where no pretty-printer breaks a line, is the first of JSON lines;
 * so is one that is longer than the head.
 */
function looksLikeLines(head: string): boolean {
  const firstLine = head.trimStart().split('\n', 1)[0] ?? '';
  return firstLine.startsWith('{') && !/[{[,]$/.test(firstLine.trimEnd());
}

function lineRecords(input: ForeignInput): ImportSource['records'] {
  return async function* () {
    for await (const line of inputLines(input, longestLine)) {
      const progress = Math.min(1, line.endByte / input.size);
      try {
        const record = parseLine(line, input.file);
        if (record !== undefined) yield { ...record, progress };
      } catch (error) {
        if (!isPalimpsestError(error, 'INVALID_IMPORT')) throw error;
        yield { refused: error, progress };
      }
    }
  };
}

function parseLine({ bytes, line }: InputLine, file: string): Omit<ForeignRecord, 'progress'> | undefined {
  if (bytes === undefined) {
    throw importError({ file, line, field: 'line' }, 'is longer than 64 MB; split what it holds, or take it out');
  }
  const text = decode(bytes, { file, line });
  if (text.trim() === '') return undefined;
  const value = parseJson(text, { file, line });
  if (!isPlainObject(value)) throw importError({ file, line, field: 'line' }, 'must be a JSON object');
  return { value, line, field: '' };
}

async function documentRecords(input: ForeignInput): Promise<ImportSource['records']> {
  const { file, size } = input;
  if (size > largestDocument) {
    const megabytes = Math.round(size / 1024 / 1024);
    throw importError({ file, field: 'file' }, `has ${megabytes} MB; split it, at most 500 MB of JSON are read as one`);
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of input.chunks()) pieces.push(piece);
  const value = parseJson(decode(Buffer.concat(pieces), { file }), { file });
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return async function* () {
    for (const [index, item] of list.entries()) {
      yield { value: item, field: Array.isArray(value) ? `[${index}]` : '', progress: (index + 1) / list.length };
    }
  };
}

async function firstOf(file: string, records: AsyncIterable<ForeignRecord | RefusedRecord>): Promise<ForeignRecord> {
  let broken: RefusedRecord | undefined;
  for await (const record of records) {
    if (!('refused' in record)) return record;
    broken ??= record;
  }
  throw broken?.refused ?? importError({ file, field: 'file' }, 'is an empty list; there is nothing to import');
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
