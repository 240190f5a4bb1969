import { PalimpsestError } from '../errors/index.ts';
import { type EventInput, isPlainObject, type SessionKey } from '../events/index.ts';
import type { SessionService } from '../sessions/index.ts';
import { readAll } from './build-context.ts';
import { openOrCreate } from './open-or-create.ts';
import type { ImportResult, ImportSession } from './palimpsest.ts';

const batchSize = 500;

/**
 * Adds what is new of a session that another system kept. What is there already is compared: the same id with other
 * content throws EVENT_ID_REUSED. Stopped half-way, the rest is added by importing again.
 */
export async function importSession(
  sessions: SessionService,
  key: SessionKey,
  session: ImportSession,
  from: string,
): Promise<ImportResult> {
  const events = readEventList(session);
  const { projectId, metadata, timeZone } = session;
  await openOrCreate(sessions, {
    ...key,
    ...(projectId === undefined ? {} : { projectId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const stored = await storedIds(sessions, key);
  const known = events.filter(({ id }) => id !== undefined && stored.has(id));
  const fresh = events.filter(({ id }) => id === undefined || !stored.has(id));
  await appendBatches(sessions, key, known, from);
  await appendBatches(sessions, key, fresh, from);
  return { sessions: 1, added: fresh.length, unchanged: known.length };
}

function readEventList({ events }: ImportSession): readonly EventInput[] {
  const fail = (field: string, reason: string) => new PalimpsestError('INVALID_EVENT', { field, reason });
  if (!Array.isArray(events)) throw fail('events', 'must be a list of events');
  const odd = events.findIndex((event: unknown) => !isPlainObject(event));
  if (odd !== -1) throw fail(`events[${odd}]`, 'must be an object');
  return events;
}

async function appendBatches(
  sessions: SessionService,
  key: SessionKey,
  events: readonly EventInput[],
  from: string,
): Promise<void> {
  for (let start = 0; start < events.length; start += batchSize) {
    await sessions.append(key, events.slice(start, start + batchSize), { importedFrom: from });
  }
}

async function storedIds(sessions: SessionService, key: SessionKey): Promise<Set<string>> {
  const events = await readAll((cursor) => sessions.read(key, { limit: 1000, ...(cursor ? { cursor } : {}) }));
  return new Set(events.map(({ id }) => id));
}
