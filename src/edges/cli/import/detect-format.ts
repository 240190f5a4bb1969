import { isPlainObject } from '../../../events/index.ts';
import { type ImportFormat, importFormats } from '../import-formats.ts';
import { importError } from './import-error.ts';
import { type ImportSource, placeOf } from './import-source.ts';
import { readAdk } from './read-adk.ts';
import { readChatgpt } from './read-chatgpt.ts';
import { readClaude } from './read-claude.ts';
import { readLocomo } from './read-locomo.ts';
import { readOpenai } from './read-openai.ts';
import type { ImportReader } from './read-session.ts';

/** How a record of each format is told from the others. */
const marks: Readonly<Record<ImportFormat, (record: Record<string, unknown>) => boolean>> = {
  locomo: (record) => 'sample_id' in record && 'conversation' in record,
  chatgpt: (record) => 'mapping' in record,
  claude: (record) => 'chat_messages' in record,
  openai: (record) => 'messages' in record || 'role' in record,
  adk: (record) => 'events' in record || 'author' in record,
};

const readers: Readonly<Record<ImportFormat, ImportReader>> = {
  locomo: readLocomo,
  chatgpt: readChatgpt,
  claude: readClaude,
  openai: readOpenai,
  adk: readAdk,
};

/** Recognises a file by its first record. Throws INVALID_IMPORT if it is like none of the formats. */
export function detectFormat(source: ImportSource): ImportFormat {
  const { value } = source.first;
  const format = isPlainObject(value) ? importFormats.find((name) => marks[name](value)) : undefined;
  if (format !== undefined) return format;
  const place = placeOf(source, source.first);
  throw importError(
    { ...place, field: place.field || 'the first record' },
    `is of no format that is known (${importFormats.join(', ')})`,
  );
}

/** Refuses a file that is plainly of another format than the one asked for. Throws INVALID_IMPORT naming both. */
export function refuseOtherFormat(source: ImportSource, wanted: ImportFormat): void {
  const { value } = source.first;
  if (isPlainObject(value) && marks[wanted](value)) return;
  const other = isPlainObject(value) ? importFormats.find((name) => marks[name](value)) : undefined;
  const place = placeOf(source, source.first);
  throw importError(
    { ...place, field: place.field || 'the first record' },
    `is not of format ${wanted}${other === undefined ? '' : `; it looks like ${other}`}`,
  );
}

/** The reader of a format. */
export function readerOf(format: ImportFormat): ImportReader {
  return readers[format];
}
