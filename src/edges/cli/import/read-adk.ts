import { z } from 'zod';
import { isPalimpsestError } from '../../../errors/index.ts';
import {
  type AdkImport,
  type AdkLogEntry,
  adkCompactionsToSeqs,
  eventFromAdk,
  isPlainObject,
  withAdkCompaction,
} from '../../../events/index.ts';
import { type ImportPlace, importError, joinPath, parseForeign } from './import-error.ts';
import { type ImportSource, placeOf } from './import-source.ts';
import { nameOfFile, readLoose } from './read-loose.ts';
import {
  beginningOf,
  defaultUserId,
  type ForeignEvent,
  type ImportReader,
  type ReaderOptions,
} from './read-session.ts';
import { safeId } from './safe-id.ts';

/** The names of an event, in both spellings, and where the original of one that is replaced is kept. */
const namesKept = {
  author: 'originalAuthor',
  id: 'originalId',
  invocationId: 'originalInvocationId',
  invocation_id: 'originalInvocationId',
} as const;
const rewindTargets = new Set(['rewindBeforeInvocationId', 'rewind_before_invocation_id']);

const sessionSchema = z.looseObject({
  id: z.string(),
  userId: z.string().nullish(),
  user_id: z.string().nullish(),
  events: z.array(z.unknown()),
});

/**
 * Reads events of Google's ADK, in the field names of Python or of JavaScript: one event a line makes one session,
 * named by the file and how it begins; a record with `events` is a session of its own. Streamed pieces are left out.
 */
export function readAdk(source: ImportSource, options: ReaderOptions): ReturnType<ImportReader> {
  return readLoose<PlacedImport>(source, {
    mark: 'events',
    conversation: (record) => {
      const place = placeOf(source, record);
      const foreign = parseForeign(sessionSchema, record.value, place);
      const userId = options.userId ?? foreign.userId ?? foreign.user_id ?? defaultUserId;
      const fieldOf = (index: number) => joinPath(record.field, ['events', index]);
      const imports = foreign.events.map((event, index) => toImport(event, { ...place, field: fieldOf(index) }));
      return { userId, sessionId: foreign.id, name: foreign.id, place, events: toEvents(imports) };
    },
    message: (record) => toImport(record.value, placeOf(source, record)),
    together: (imports) => {
      const events = toEvents(imports);
      const sessionId = `${nameOfFile(source)}-${beginningOf(events)}`;
      const userId = options.userId ?? defaultUserId;
      return { userId, sessionId, place: { file: source.file, field: '' }, events };
    },
  });
}

interface PlacedImport {
  readonly imported: AdkImport;
  readonly place: ImportPlace;
}

function toImport(json: unknown, place: ImportPlace): PlacedImport {
  const refused = (field: string, reason: string, cause: unknown) => importError({ ...place, field }, reason, cause);
  const { event, originals } = withSafeNames(json);
  try {
    const imported = eventFromAdk(event, place.field || 'event');
    const { input } = imported;
    if (Object.keys(originals).length === 0) return { imported, place };
    const customMetadata = { ...input.customMetadata, ...originals };
    return { imported: { ...imported, input: { ...input, customMetadata } }, place };
  } catch (error) {
    if (isPalimpsestError(error, 'INVALID_EVENT')) throw refused(error.details.field, error.details.reason, error);
    if (isPalimpsestError(error, 'INVALID_ID')) throw refused(error.details.field, error.details.reason, error);
    if (isPalimpsestError(error, 'NOT_JSON')) throw refused(error.details.path, error.details.reason, error);
    throw error;
  }
}

/** Names that the log refuses become digests, as the ids of other formats do, and are kept beside them. */
function withSafeNames(json: unknown): { readonly event: unknown; readonly originals: Record<string, string> } {
  if (!isPlainObject(json)) return { event: json, originals: {} };
  const originals: Record<string, string> = {};
  const event: Record<string, unknown> = { ...json };
  for (const [field, kept] of Object.entries(namesKept)) {
    const name = event[field];
    const safe = typeof name === 'string' && name !== '' ? safeId(name) : undefined;
    if (safe?.original === undefined) continue;
    event[field] = safe.id;
    originals[kept] = safe.original;
  }
  if (isPlainObject(json.actions)) event.actions = withSafeTarget(json.actions);
  return { event, originals };
}

/** A rewind names its invocation as the events of that invocation do. */
function withSafeTarget(actions: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const safe = Object.entries(actions).map(([field, value]) =>
    rewindTargets.has(field) && typeof value === 'string' && value !== '' ? [field, safeId(value).id] : [field, value],
  );
  return Object.fromEntries(safe);
}

/** The events with summaries by seqs instead of timestamps; an imported log begins at seq 1. */
function toEvents(imports: readonly PlacedImport[]): ForeignEvent[] {
  const kept = imports.filter(({ imported }) => imported.input.partial !== true);
  const whole = kept.map(({ imported }) => imported);
  const entries = whole.map((each, index) => toEntry(each, index + 1, whole));
  const records = entries.flatMap((entry) => {
    const compaction = whole[entry.seq - 1]?.compaction;
    return compaction === undefined ? [] : [{ ...entry, compaction }];
  });
  const outcomes = new Map(adkCompactionsToSeqs(records, entries).map((outcome) => [outcome.seq, outcome]));
  return kept.map(({ imported, place }, index) => {
    const outcome = outcomes.get(index + 1);
    return { input: outcome === undefined ? imported.input : withAdkCompaction(imported, outcome), place };
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
