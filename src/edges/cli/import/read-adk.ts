import { basename } from 'node:path';
import { z } from 'zod';
import { isPalimpsestError } from '../../../errors/index.ts';
import {
  type AdkImport,
  type AdkLogEntry,
  adkCompactionsToSeqs,
  type EventInput,
  eventFromAdk,
  withAdkCompaction,
} from '../../../events/index.ts';
import { importError, joinPath, parseForeign } from './import-error.ts';
import { type ForeignRecord, type ImportSource, placeOf } from './import-source.ts';
import { defaultUserId, type ReaderOptions, type ReadSession, toImportSession } from './read-session.ts';

const sessionSchema = z.looseObject({
  id: z.string(),
  userId: z.string().nullish(),
  user_id: z.string().nullish(),
  events: z.array(z.unknown()),
});

/**
 * Reads events of Google's ADK, in the field names of Python or of JavaScript: one event a line makes one session,
 * named by the file; a record with `events` is a session of its own. Streamed pieces are left out.
 */
export async function* readAdk(source: ImportSource, options: ReaderOptions): AsyncIterable<ReadSession> {
  const loose: AdkImport[] = [];
  for await (const record of source.records()) {
    if (typeof record.value !== 'object' || record.value === null || !('events' in record.value)) {
      loose.push(toImport(record.value, { source, record, path: [] }));
      continue;
    }
    const foreign = parseForeign(sessionSchema, record.value, placeOf(source, record));
    const imports = foreign.events.map((event, index) => toImport(event, { source, record, path: ['events', index] }));
    const session = toImportSession({
      userId: options.userId ?? foreign.userId ?? foreign.user_id ?? defaultUserId,
      sessionId: foreign.id,
      events: toEvents(imports),
    });
    if (session.events.length > 0) yield { session, progress: record.progress };
  }
  const sessionId = basename(source.file).replace(/\.[^.]+$/, '');
  const session = toImportSession({ userId: options.userId ?? defaultUserId, sessionId, events: toEvents(loose) });
  if (session.events.length > 0) yield { session, progress: 1 };
}

interface AdkPlace {
  readonly source: ImportSource;
  readonly record: ForeignRecord;
  /** Inside the record. */
  readonly path: readonly PropertyKey[];
}

function toImport(json: unknown, { source, record, path }: AdkPlace): AdkImport {
  const refused = (field: string, reason: string, cause: unknown) =>
    importError({ ...placeOf(source, record), field }, reason, cause);
  try {
    return eventFromAdk(json, joinPath(record.field, path) || 'event');
  } catch (error) {
    if (isPalimpsestError(error, 'INVALID_EVENT')) throw refused(error.details.field, error.details.reason, error);
    if (isPalimpsestError(error, 'INVALID_ID')) throw refused(error.details.field, error.details.reason, error);
    if (isPalimpsestError(error, 'NOT_JSON')) throw refused(error.details.path, error.details.reason, error);
    throw error;
  }
}

/** The events with summaries by seqs instead of timestamps; an imported log begins at seq 1. */
function toEvents(imports: readonly AdkImport[]): EventInput[] {
  const whole = imports.filter(({ input }) => input.partial !== true);
  const entries = whole.map((each, index) => toEntry(each, index + 1, whole));
  const records = entries.flatMap((entry) => {
    const compaction = whole[entry.seq - 1]?.compaction;
    return compaction === undefined ? [] : [{ ...entry, compaction }];
  });
  const outcomes = new Map(adkCompactionsToSeqs(records, entries).map((outcome) => [outcome.seq, outcome]));
  return whole.map((each, index) => {
    const outcome = outcomes.get(index + 1);
    return outcome === undefined ? each.input : withAdkCompaction(each, outcome);
  });
}

function toEntry({ input, timestamp }: AdkImport, seq: number, all: readonly AdkImport[]): AdkLogEntry {
  const { branch, isolationScope, actions } = input;
  const target = actions?.rewind?.beforeInvocationId;
  const first = target === undefined ? -1 : all.findIndex((other) => other.input.invocationId === target);
  return {
    seq,
    timestamp: timestamp ?? 0,
    ...(branch === undefined ? {} : { branch }),
    ...(isolationScope === undefined ? {} : { isolationScope }),
    ...(first === -1 || first >= seq ? {} : { rewindFromSeq: first + 1 }),
  };
}
