import { PalimpsestError } from '../../errors/index.ts';
import { freezeParsed, type JsonValue } from '../../events/index.ts';
import type { StateQuery, StateScope, StateValue } from '../../sessions/index.ts';
import type { Row, SqlValue } from './driver.ts';
import { sessionNumber, sharedPath } from './session-paths.ts';
import type { SqliteFile } from './sqlite-file.ts';

const columns = 'key, value, revision, incarnation, seq';
const given = 'SELECT value FROM json_each(?)';

/** From key to key, so that older revisions are not passed on the way; ends with a NULL. */
const standing = `SELECT min(key) FROM shared_state WHERE app = ? AND user = ?
  UNION ALL SELECT (SELECT min(key) FROM shared_state WHERE app = ? AND user = ? AND key > name)
    FROM names WHERE name IS NOT NULL`;

/** Values of state in a scope, at a cost of what is returned. */
export function selectStates(file: SqliteFile, scope: StateScope, query: StateQuery): StateValue[] {
  const keys = query.keys && JSON.stringify([...new Set(query.keys)].map((key) => JSON.stringify(key)));
  if (scope.kind === 'session') return ofSession(file, sessionNumber(file, scope.key) ?? 0, keys);
  const path = sharedPath(scope);
  const rows = query.history ? revisions(file, path, keys) : newest(file, path, keys);
  return rows.map((row) => toStateValue(file, row));
}

function ofSession(file: SqliteFile, session: number, keys: string | undefined): StateValue[] {
  const all = 'SELECT key, value FROM session_state WHERE session = ?';
  const rows = keys === undefined ? file.all(all, session) : file.all(`${all} AND key IN (${given})`, session, keys);
  return rows.map((row) => toStateValue(file, { ...row, revision: 0, incarnation: null }));
}

function newest(file: SqliteFile, path: readonly [string, string], keys: string | undefined): Row[] {
  const values = keys === undefined ? [...path, ...path] : [keys];
  return file.all(
    `WITH RECURSIVE names(name) AS (${keys === undefined ? standing : given})
      SELECT ${columns} FROM names CROSS JOIN shared_state WHERE no =
        (SELECT no FROM shared_state WHERE app = ? AND user = ? AND key = name ORDER BY revision DESC LIMIT 1)`,
    ...values,
    ...path,
  );
}

function revisions(file: SqliteFile, path: readonly [string, string], keys: string | undefined): Row[] {
  const all = `SELECT ${columns} FROM shared_state WHERE app = ? AND user = ?`;
  return keys === undefined
    ? file.all(`${all} ORDER BY key, revision`, ...path)
    : file.all(`${all} AND key IN (${given}) ORDER BY key, revision`, ...path, keys);
}

function toStateValue(file: SqliteFile, { key, value, revision, incarnation, seq }: Row): StateValue {
  const source = incarnation === null ? {} : { source: { incarnation: String(incarnation), seq: Number(seq) } };
  const what = `the state key ${key}`;
  return {
    key: String(parseStored(file, key, what)),
    value: value === null ? undefined : parseStored(file, value, what),
    revision: Number(revision),
    ...source,
  };
}

/** The deep-frozen value of a stored text. Throws STORE_CORRUPT naming what it was. */
function parseStored(file: SqliteFile, text: SqlValue | undefined, what: string): JsonValue {
  try {
    const parsed: JsonValue = JSON.parse(String(text));
    freezeParsed(parsed);
    return parsed;
  } catch (cause) {
    throw new PalimpsestError('STORE_CORRUPT', { file: file.file, reason: `${what} is no JSON` }, { cause });
  }
}
