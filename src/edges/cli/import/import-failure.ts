import { isPalimpsestError, type PalimpsestError } from '../../../errors/index.ts';
import { importError } from './import-error.ts';
import type { ReadSession } from './read-session.ts';

/**
 * Why a session of a file could not be stored, with its place in the file and what to do; `undefined` if the file is
 * not at fault. The error of the store is its cause.
 */
export function importFailure(error: unknown, read: ReadSession): PalimpsestError<'INVALID_IMPORT'> | undefined {
  const refused = explained(error, read);
  if (refused === undefined) return undefined;
  const place = (refused.index === undefined ? undefined : read.eventPlaces[refused.index]) ?? read.place;
  const what = refused.index === undefined ? 'the conversation' : 'the message';
  const of = read.name === undefined ? '' : `of conversation ${JSON.stringify(read.name)} `;
  return importError({ ...place, field: place.field || what }, `${of}${refused.reason}`, error);
}

interface Refusal {
  /** Of the event in its session. */
  readonly index?: number;
  readonly reason: string;
}

function explained(error: unknown, read: ReadSession): Refusal | undefined {
  const { userId, sessionId } = read.session;
  const erase = `erase it first (palimpsest erase --user ${shown(userId)} --session ${shown(sessionId)})`;
  if (isPalimpsestError(error, 'EVENT_TOO_LARGE')) {
    const { field, bytes, limit } = error.details;
    return { ...placed(field), reason: `takes ${bytes} bytes of JSON, the limit is ${limit}; cut it, or take it out` };
  }
  if (isPalimpsestError(error, 'EVENT_ID_REUSED')) {
    const index = read.session.events.findIndex(({ id }) => id === error.details.eventId);
    const reason = `is stored already with other content; to replace the stored conversation, ${erase}, to keep both give --user`;
    return { ...(index === -1 ? {} : { index }), reason };
  }
  if (isPalimpsestError(error, 'IMPORT_DIVERGED')) {
    const { seq, reason } = error.details;
    const now = `has taken another way since it was imported, and event ${seq} of session ${shown(sessionId)} ${reason}`;
    return { reason: `${now}; to replace the session, ${erase}, to keep both give --user` };
  }
  if (isPalimpsestError(error, 'NOT_JSON')) return unstorable(error.details.path, error.details.reason);
  for (const code of ['INVALID_EVENT', 'INVALID_ID'] as const) {
    if (isPalimpsestError(error, code)) return unstorable(error.details.field, error.details.reason);
  }
  for (const code of ['INVALID_COMPACTION', 'INVALID_REWIND', 'INVALID_PIN'] as const) {
    if (isPalimpsestError(error, code)) return { reason: `cannot be stored: ${error.message.replace(/\.$/, '')}` };
  }
  return undefined;
}

function unstorable(field: string, reason: string): Refusal {
  const inside = field.replace(/^events\[\d+\]\.?/, '');
  return { ...placed(field), reason: `cannot be stored: ${inside === '' ? 'it' : inside} ${reason}` };
}

function placed(field: string): { readonly index?: number } {
  const index = /^events\[(\d+)\]/.exec(field)?.[1];
  return index === undefined ? {} : { index: Number(index) };
}

/** As it is typed in a shell; names that need it are quoted. */
function shown(name: string): string {
  return /^[\w./:@-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}
