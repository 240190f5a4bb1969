import type { Removal, Removed } from '../../sessions/index.ts';
import { leaveOut, removeArtifacts, removeQuotes, removeVersions } from './artifact-rows.ts';
import { Refused } from './refused.ts';
import { sessionNumber, sharedPath } from './session-paths.ts';
import type { SessionWriter } from './session-writer.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** Removes what is named, inside a transaction of the file. Throws Refused if a head has moved. */
export function removeRows(file: SqliteFile, writer: SessionWriter, removal: Removal): Removed {
  const none: Removed = { events: 0, stateKeys: 0, artifacts: 0, quotes: 0 };
  switch (removal.what) {
    case 'session':
      return removeSession(file, removal);
    case 'events': {
      const session = sessionNumber(file, removal.key) ?? 0;
      const keysBefore = countState(file, session);
      const events = removal.ranges.reduce((sum, range) => sum + removeRange(file, session, range), 0);
      writer.write(removal.commit);
      const artifacts = removeVersions(file, removal.key, removal.artifacts);
      const quotes = removeQuotes(file, removal.key, removal.quoting);
      return { events, stateKeys: keysBefore - countState(file, session), artifacts, quotes };
    }
    case 'states': {
      const path = sharedPath(removal.scope);
      const row = file.get('SELECT count(DISTINCT key) AS n FROM shared_state WHERE app = ? AND user = ?', ...path);
      file.run('DELETE FROM shared_state WHERE app = ? AND user = ?', ...path);
      return { ...none, stateKeys: Number(row?.n) };
    }
    case 'artifacts':
      return { ...none, artifacts: removeArtifacts(file, removal.scope, removal.name) };
    case 'quotes':
      leaveOut(file, removal.gone);
      return { ...none, quotes: removeQuotes(file, removal, removal.quoting) };
  }
}

function removeSession(
  file: SqliteFile,
  { key, incarnation, quoting }: Extract<Removal, { readonly what: 'session' }>,
): Removed {
  const session = sessionNumber(file, key);
  const row = file.get('SELECT incarnation FROM sessions WHERE no = ?', session ?? 0);
  if (session === undefined || row?.incarnation !== incarnation) throw new Refused('moved');
  file.run('DELETE FROM calls WHERE session = ?', session);
  const events = file.run('DELETE FROM events WHERE session = ?', session);
  const stateKeys = file.run('DELETE FROM session_state WHERE session = ?', session);
  file.run('DELETE FROM sessions WHERE no = ?', session);
  const artifacts = removeArtifacts(file, key, undefined);
  leaveOut(file, quoting);
  return { events, stateKeys, artifacts, quotes: removeQuotes(file, key, quoting) };
}

function removeRange(file: SqliteFile, session: number, [from, to]: readonly [number, number]): number {
  file.run('DELETE FROM calls WHERE session = ? AND seq BETWEEN ? AND ?', session, from, to);
  const events = file.run('DELETE FROM events WHERE session = ? AND seq BETWEEN ? AND ?', session, from, to);
  // The first event left behind may have lost the start of its run: it becomes one.
  file.run(
    `UPDATE events SET run = json_extract(body, '$.invocationId') WHERE session = ?
      AND seq = (SELECT min(seq) FROM events WHERE session = ? AND seq > ?)`,
    session,
    session,
    to,
  );
  return events;
}

function countState(file: SqliteFile, session: number): number {
  return Number(file.get('SELECT count(*) AS n FROM session_state WHERE session = ?', session)?.n);
}
