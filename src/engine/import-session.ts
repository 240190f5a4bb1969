import { openOrCreate } from '../agents/index.ts';
import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { isPlainObject, type SessionKey } from '../events/index.ts';
import type { Session, SessionService } from '../sessions/index.ts';
import { readAll } from './build-context.ts';
import type { ImportResult, ImportSession } from './palimpsest.ts';
import { type NamedEvent, planImport } from './plan-import.ts';
import { namesPlaces, SourcePlaces } from './source-places.ts';

const batchSize = 500;
/** Far more than other writers ever cost; each attempt reads the log anew. */
const mostAttempts = 100;

interface ImportRun {
  readonly sessions: SessionService;
  readonly key: SessionKey;
  readonly from: string;
  readonly opened: Session;
  /** The version that the plan was made for; moves with what the run itself appends. */
  version: number;
  added: number;
}

/**
 * Brings a session up to what another system keeps of it. What is there already is compared: the same id with other
 * content throws EVENT_ID_REUSED. Where the source has left the way it took before, a rewind hides the old end; throws
 * IMPORT_DIVERGED if that would hide what was appended here. Stopped half-way, the rest is added by importing again.
 */
export async function importSession(
  sessions: SessionService,
  key: SessionKey,
  session: ImportSession,
  from: string,
): Promise<ImportResult> {
  const events = readEventList(session, key);
  let added = 0;
  for (let attempt = 1; ; attempt++) {
    const isNew = (await sessions.open(key)) === undefined;
    const opened = await openOrCreate(sessions, { ...key, ...factsOf(session) });
    const run: ImportRun = { sessions, key, from, opened, version: opened.version, added: 0 };
    try {
      await bringUp(run, events);
      added += run.added;
      return { sessions: 1, added, unchanged: Math.max(0, events.length - added) };
    } catch (error) {
      added += run.added;
      // The failure that led here is the one to tell; an empty session that stays is completed by the next import.
      if (isNew) await removeIfEmpty(run).catch(() => undefined);
      if (attempt === mostAttempts || !(await wasOvertaken(run, error))) throw error;
    }
  }
}

function readEventList({ events }: ImportSession, { sessionId }: SessionKey): readonly NamedEvent[] {
  const fail = (field: string, reason: string) => new PalimpsestError('INVALID_EVENT', { field, reason });
  if (!Array.isArray(events)) throw fail('events', 'must be a list of events');
  const ids = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (!isPlainObject(event)) throw fail(`events[${index}]`, 'must be an object');
    const { id } = event;
    if (typeof id !== 'string') {
      throw fail(`events[${index}].id`, 'is missing; an imported event is known again by its id');
    }
    if (ids.has(id)) {
      throw new PalimpsestError('EVENT_ID_REUSED', { sessionId, eventId: id, reason: 'stands twice in the import' });
    }
    ids.add(id);
  }
  return events;
}

function factsOf({
  projectId,
  metadata,
  timeZone,
}: ImportSession): Pick<ImportSession, 'projectId' | 'metadata' | 'timeZone'> {
  return {
    ...(projectId === undefined ? {} : { projectId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}

async function bringUp(run: ImportRun, events: readonly NamedEvent[]): Promise<void> {
  const { sessions, key, from } = run;
  const stored = await readAll((cursor) => sessions.read(key, { limit: 1000, ...(cursor ? { cursor } : {}) }));
  run.version = Math.max(run.version, stored.at(-1)?.seq ?? 0);
  const { known, knownSeqs, rewind, fresh } = planImport(stored, events, { sessionId: key.sessionId, from });
  const places = new SourcePlaces();
  for (const seq of knownSeqs) places.add(seq);
  // An append of stored events compares them; nothing new is added before all of them have been.
  for (let start = 0; start < known.length; start += batchSize) {
    const batch = known.slice(start, start + batchSize).map((event) => places.inLog(event, run.version));
    await append(run, batch, start);
  }
  let before = rewind === undefined ? [] : [rewind];
  for (let start = 0; start < fresh.length; ) {
    const end = batchEnd(fresh, start, stored.length > 0);
    const version = run.version + before.length;
    const batch = fresh.slice(start, end).map((event) => places.inLog(event, version));
    const result = await append(run, [...before, ...batch], known.length + start - before.length);
    // Another import stored the same events first: what it did beside that is to be seen.
    if (result.repeated) throw conflict(run, result.version);
    for (const { seq } of result.events.slice(before.length)) places.add(seq);
    run.version = result.version;
    run.added += batch.length;
    before = [];
    start = end;
  }
}

/**
 * Where a batch ends. In a session that is in use an end by idleness may slip in unseen, so an event that names places
 * begins a batch: what it names is stored by then.
 */
function batchEnd(events: readonly NamedEvent[], start: number, isInUse: boolean): number {
  const most = Math.min(start + batchSize, events.length);
  const naming = isInUse ? events.slice(start + 1, most).findIndex(namesPlaces) : -1;
  return naming === -1 ? most : start + 1 + naming;
}

/** `place` is where the batch begins in the source, so that errors name the event as the source counts it. */
async function append({ sessions, key, from, version }: ImportRun, batch: readonly NamedEvent[], place: number) {
  try {
    return await sessions.append(key, batch, { importedFrom: from, expectedVersion: version });
  } catch (error) {
    throw inSource(error, place);
  }
}

function inSource(error: unknown, place: number): unknown {
  const moved = (path: string) => path.replace(/^events\[(\d+)\]/, (_, index) => `events[${Number(index) + place}]`);
  for (const code of ['INVALID_EVENT', 'INVALID_ID', 'EVENT_TOO_LARGE'] as const) {
    if (!isPalimpsestError(error, code)) continue;
    return new PalimpsestError(code, { ...error.details, field: moved(error.details.field) }, { cause: error });
  }
  if (!isPalimpsestError(error, 'NOT_JSON')) return error;
  return new PalimpsestError('NOT_JSON', { ...error.details, path: moved(error.details.path) }, { cause: error });
}

function conflict({ key, version }: ImportRun, actual: number): PalimpsestError {
  return new PalimpsestError('APPEND_CONFLICT', { sessionId: key.sessionId, expected: version, actual });
}

/** A refusal is believed only if nobody else has written since the plan was made. */
async function wasOvertaken({ sessions, key, opened, version }: ImportRun, error: unknown): Promise<boolean> {
  const mayBe = (['APPEND_CONFLICT', 'EVENT_ID_REUSED', 'SESSION_NOT_FOUND'] as const).some((code) =>
    isPalimpsestError(error, code),
  );
  if (!mayBe) return false;
  const now = await sessions.open(key);
  return now?.incarnation !== opened.incarnation || now.version !== version;
}

/** A session that was made for an import which then failed is taken back. */
async function removeIfEmpty({ sessions, key, opened }: ImportRun): Promise<void> {
  const now = await sessions.open(key);
  if (now?.incarnation === opened.incarnation && now.version === 0) await sessions.delete(key);
}
