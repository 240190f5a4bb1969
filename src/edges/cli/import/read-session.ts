import type { ImportSession } from '../../../engine/index.ts';
import type { EventInput } from '../../../events/index.ts';
import type { ImportSource } from './import-source.ts';
import { safeId } from './safe-id.ts';

/** A session read from a foreign file, and how much of the file is behind it, from 0 to 1. */
export interface ReadSession {
  readonly session: ImportSession;
  readonly progress: number;
}

/** What a reader needs beside the file. */
export interface ReaderOptions {
  /** Whose the sessions become; each format has a default. */
  readonly userId?: string;
}

/** Translates a foreign file into sessions, in the file's order. Throws INVALID_IMPORT at the first bad record. */
export type ImportReader = (source: ImportSource, options: ReaderOptions) => AsyncIterable<ReadSession>;

/** Whose sessions are when neither the caller nor the file says so. */
export const defaultUserId = 'user';

/** The name under which the imported system's model answered. */
export const assistantName = 'assistant';

/** What a reader found out about one session; ids as the foreign file has them. */
export interface ForeignSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Their ids are foreign too; one without an id is numbered within the session. */
  readonly events: readonly EventInput[];
}

/** The session with ids that the log accepts; a refused one is replaced by a digest and kept as `originalId`. */
export function toImportSession(foreign: ForeignSession): ImportSession {
  const user = safeId(foreign.userId);
  const session = safeId(foreign.sessionId);
  const metadata = present({
    startedAt: foreign.events.find(({ timestamp }) => timestamp !== undefined)?.timestamp,
    ...foreign.metadata,
    originalUserId: user.original,
    originalId: session.original,
  });
  return {
    userId: user.id,
    sessionId: session.id,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    events: withSafeIds(foreign),
  };
}

/** A foreign id that comes again is told apart by its turn, so that no event is lost. */
function withSafeIds(foreign: ForeignSession): EventInput[] {
  const times = new Map<string, number>();
  return foreign.events.map(({ customMetadata, ...event }, index) => {
    const named = event.id ?? `${foreign.sessionId}/${index + 1}`;
    const time = (times.get(named) ?? 0) + 1;
    times.set(named, time);
    const id = safeId(time === 1 ? named : `${named}#${time}`);
    const author = safeId(event.author);
    const metadata = {
      ...customMetadata,
      ...present({ originalId: event.id && id.original, originalAuthor: author.original }),
    };
    const kept = Object.keys(metadata).length === 0 ? {} : { customMetadata: metadata };
    return { ...event, id: id.id, author: author.id, ...kept };
  });
}

/** The members of a record whose value is neither `undefined` nor `null` nor an empty text. */
export function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
