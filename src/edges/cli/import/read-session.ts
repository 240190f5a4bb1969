import type { ImportSession } from '../../../engine/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import type { EventInput } from '../../../events/index.ts';
import { sha256 } from '../../../internal/index.ts';
import type { ImportPlace } from './import-error.ts';
import type { ForeignRecord, ImportSource, RefusedRecord } from './import-source.ts';
import { safeId } from './safe-id.ts';

/** A session read from a foreign file, and where it and its events stand there. */
export interface ReadSession {
  readonly session: ImportSession;
  /** What a person calls it; `undefined` if it is the whole file. */
  readonly name: string | undefined;
  readonly place: ImportPlace;
  /** Of each event of the session. */
  readonly eventPlaces: readonly ImportPlace[];
  /** How much of the file is behind it, from 0 to 1. */
  readonly progress: number;
}

/** What a reader needs beside the file. */
export interface ReaderOptions {
  /** Whose the sessions become; each format has a default. */
  readonly userId?: string;
}

/** Translates a foreign file into sessions, in the file's order. What cannot be read is refused by itself. */
export type ImportReader = (source: ImportSource, options: ReaderOptions) => AsyncIterable<ReadSession | RefusedRecord>;

/** Whose sessions are when neither the caller nor the file says so. */
export const defaultUserId = 'user';

/** The name under which the imported system's model answered. */
export const assistantName = 'assistant';

/** An event that a reader found, and where. */
export interface ForeignEvent {
  readonly input: EventInput;
  readonly place: ImportPlace;
}

/** What a reader found out about one session; ids as the foreign file has them. */
export interface ForeignSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly name?: string | undefined;
  readonly place: ImportPlace;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Their ids are foreign too; one without an id is numbered within the session. */
  readonly events: readonly ForeignEvent[];
}

/** Reads the sessions of one record, each when it is called, so that a bad one does not take the others along. */
export type ReadRecord = (record: ForeignRecord) => readonly (() => ForeignSession)[];

/** Reads each record by itself; sessions without events are left out. */
export async function* readEach(
  source: ImportSource,
  readRecord: ReadRecord,
): AsyncIterable<ReadSession | RefusedRecord> {
  for await (const record of source.records()) {
    const reads = 'refused' in record ? record : refusing(() => readRecord(record), record.progress);
    if ('refused' in reads) yield reads;
    else for (const read of reads) yield* readOne(read, record.progress);
  }
}

/** The session, why there is none, or nothing if it has no events. */
export function* readOne(read: () => ForeignSession, progress: number): Iterable<ReadSession | RefusedRecord> {
  const session = refusing(read, progress);
  if ('refused' in session) yield session;
  else if (session.events.length > 0) yield toReadSession(session, progress);
}

/** What the work returns, or why the file is at fault that it cannot. */
export function refusing<T>(work: () => T, progress: number): T | RefusedRecord {
  try {
    return work();
  } catch (error) {
    if (isPalimpsestError(error, 'INVALID_IMPORT')) return { refused: error, progress };
    throw error;
  }
}

/** The session with ids that the log accepts; a refused one is replaced by a digest and kept as `originalId`. */
function toReadSession(foreign: ForeignSession, progress: number): ReadSession {
  const user = safeId(foreign.userId);
  const session = safeId(foreign.sessionId);
  const metadata = present({
    startedAt: foreign.events.find(({ input }) => input.timestamp !== undefined)?.input.timestamp,
    ...foreign.metadata,
    originalUserId: user.original,
    originalId: session.original,
  });
  return {
    session: {
      userId: user.id,
      sessionId: session.id,
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      events: withSafeIds(foreign),
    },
    name: foreign.name,
    place: foreign.place,
    eventPlaces: foreign.events.map(({ place }) => place),
    progress,
  };
}

/** A foreign id that comes again is told apart by its turn, so that no event is lost. */
function withSafeIds(foreign: ForeignSession): EventInput[] {
  const times = new Map<string, number>();
  return foreign.events.map(({ input }, index) => {
    const { customMetadata, ...event } = input;
    const wanted = event.id ?? `${foreign.sessionId}/${index + 1}`;
    const time = (times.get(wanted) ?? 0) + 1;
    times.set(wanted, time);
    const id = safeId(time === 1 ? wanted : `${wanted}#${time}`);
    const author = safeId(event.author);
    const metadata = {
      ...customMetadata,
      ...present({ originalId: event.id && id.original, originalAuthor: author.original }),
    };
    const kept = Object.keys(metadata).length === 0 ? {} : { customMetadata: metadata };
    return { ...event, id: id.id, author: author.id, ...kept };
  });
}

/**
 * Eight digits that tell one conversation from another where the file gives it no id: a digest of how it begins, up to
 * the first thing the user said, which stays when the conversation grows.
 */
export function beginningOf(events: readonly ForeignEvent[]): string {
  const asked = events.findIndex(({ input }) => input.author === 'user');
  const first = asked === -1 ? events : events.slice(0, asked + 1);
  const said = first.map(({ input: { id, author, timestamp, content } }) => [id, author, timestamp, textsOf(content)]);
  return sha256(JSON.stringify(said)).slice(0, 8);
}

function textsOf(content: EventInput['content']): readonly unknown[] {
  return typeof content === 'object' ? content.parts.map(({ text }) => text) : [content];
}

/** The members of a record whose value is neither `undefined` nor `null` nor an empty text. */
export function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
