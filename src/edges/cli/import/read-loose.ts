import { basename } from 'node:path';
import type { ForeignRecord, ImportSource, RefusedRecord } from './import-source.ts';
import { type ForeignSession, type ReadSession, readOne, refusing } from './read-session.ts';

/** How a format is read whose records are whole conversations or single messages. */
export interface LooseFormat<T> {
  /** The field that only a whole conversation has. */
  readonly mark: string;
  readonly conversation: (record: ForeignRecord) => ForeignSession;
  readonly message: (record: ForeignRecord) => T;
  /** The one conversation that the single messages of the file are. */
  readonly together: (messages: readonly T[]) => ForeignSession;
}

/**
 * Reads conversations each by itself, and single messages as one conversation: if one of these cannot be read, none of
 * them is imported, since the conversation would have a gap.
 */
export async function* readLoose<T>(
  source: ImportSource,
  format: LooseFormat<T>,
): AsyncIterable<ReadSession | RefusedRecord> {
  const messages: T[] = [];
  let hasGap = false;
  for await (const record of source.records()) {
    if ('refused' in record) {
      hasGap = true;
      yield record;
    } else if (typeof record.value === 'object' && record.value !== null && format.mark in record.value) {
      yield* readOne(() => format.conversation(record), record.progress);
    } else {
      const read = refusing(() => ({ message: format.message(record) }), record.progress);
      if ('message' in read) messages.push(read.message);
      else {
        hasGap = true;
        yield read;
      }
    }
  }
  if (!hasGap) yield* readOne(() => format.together(messages), 1);
}

/** The file's name without its ending: what sessions are called that have no id. */
export function nameOfFile({ file }: ImportSource): string {
  return basename(file).replace(/\.[^.]+$/, '');
}
