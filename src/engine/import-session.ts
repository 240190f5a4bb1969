import type { EventInput, SessionKey } from '../events/index.ts';
import type { SessionService } from '../sessions/index.ts';
import { readAll } from './build-context.ts';
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
  const { projectId, metadata, timeZone } = session;
  const isNew = (await sessions.open(key)) === undefined;
  if (isNew) {
    await sessions.create({
      ...key,
      ...(projectId === undefined ? {} : { projectId }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(timeZone === undefined ? {} : { timeZone }),
    });
  }
  const stored = isNew ? new Set<string>() : await storedIds(sessions, key);
  const known = session.events.filter(({ id }) => id !== undefined && stored.has(id));
  const fresh = session.events.filter(({ id }) => id === undefined || !stored.has(id));
  await appendBatches(sessions, key, known, from);
  await appendBatches(sessions, key, fresh, from);
  return { sessions: 1, added: fresh.length, unchanged: known.length };
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
