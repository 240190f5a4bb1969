import { PalimpsestError } from '../../errors/index.ts';
import {
  type ArtifactInfo,
  type ArtifactScope,
  closes,
  type Event,
  encodeEvent,
  freezeParsed,
  isBookkeeping,
  type JsonValue,
  opens,
  type SessionKey,
} from '../../events/index.ts';
import {
  type ArtifactCommit,
  type ArtifactQuery,
  type ArtifactWrite,
  type Commit,
  type CommitOutcome,
  changesState,
  type ListedHead,
  type ListQuery,
  type Removal,
  type Removed,
  type RowQuery,
  type SessionHead,
  type SessionStore,
  type StateScope,
  type StateValue,
  type StateWrite,
  startsRun,
} from '../../sessions/index.ts';
import type { Row, SqlValue } from './driver.ts';
import { selectEvents } from './session-rows.ts';
import { isConstraint } from './sqlite-error.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** Undoes a transaction whose picture of the file is out of date; never leaves this file. */
class Refused extends Error {
  readonly outcome: Exclude<CommitOutcome, 'committed'>;
  constructor(outcome: Exclude<CommitOutcome, 'committed'>) {
    super(outcome);
    this.outcome = outcome;
  }
}

const bookkeepingFlag = 1;
const stateFlag = 2;
const mostNumbers = 4096;
const headColumns = 'no, app, user, id, active, body';

/** Sessions in one SQLite file, which several handles and processes may share. Closing it leaves the file open. */
export function createSqliteSessionStore(file: SqliteFile): SessionStore {
  return new SqliteSessionStore(file);
}

class SqliteSessionStore implements SessionStore {
  readonly name = 'sqlite';
  readonly #file: SqliteFile;
  readonly #numbers = new Map<string, number>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async head({ appName, userId, sessionId }: SessionKey): Promise<SessionHead | undefined> {
    const row = this.#file.get(
      `SELECT ${headColumns} FROM sessions WHERE app = ? AND user = ? AND id = ?`,
      appName,
      userId,
      sessionId,
    );
    return row && this.#toHead(row);
  }

  async commit(commit: Commit | ArtifactCommit): Promise<CommitOutcome> {
    return this.#attempt(() => {
      if ('head' in commit) this.#write(commit);
      else this.#saveArtifacts(commit.artifacts);
    });
  }

  async rows(query: RowQuery): Promise<readonly Event[]> {
    const session = this.#numberOf(query.key);
    return session === undefined || query.limit === 0 ? [] : selectEvents(this.#file, session, query);
  }

  async states(scope: StateScope, options?: { readonly history?: boolean }): Promise<readonly StateValue[]> {
    if (scope.kind === 'session') {
      const rows = this.#file.all(
        'SELECT key, value FROM session_state WHERE session = ? ORDER BY key',
        this.#numberOf(scope.key) ?? 0,
      );
      return rows.map(({ key, value }) => ({ key: parseText(key), value: parseValue(value), revision: 0 }));
    }
    const latest = options?.history ? 'revision' : 'max(revision) AS revision';
    const order = options?.history ? 'ORDER BY key, revision' : 'GROUP BY key ORDER BY key';
    const sql = `SELECT key, value, incarnation, seq, ${latest} FROM shared_state WHERE app = ? AND user = ? ${order}`;
    return this.#file.all(sql, ...sharedPath(scope)).map(toStateValue);
  }

  async list(query: ListQuery): Promise<readonly ListedHead[]> {
    const { where, values, order } = listTerms(query);
    const sql = `SELECT ${headColumns} FROM sessions WHERE ${where} ORDER BY ${order} LIMIT ?`;
    return this.#file.all(sql, ...values, query.limit).map((row) => ({
      head: this.#toHead(row),
      position: [Number(row.active), Number(row.no)],
    }));
  }

  async remove(removal: Removal): Promise<Removed | 'moved'> {
    let removed: Removed = { events: 0, stateKeys: 0, artifacts: 0 };
    const outcome = await this.#attempt(() => {
      removed = this.#remove(removal);
    });
    if (outcome !== 'committed') return 'moved';
    this.#file.checkpoint();
    return removed;
  }

  async artifacts(query: ArtifactQuery): Promise<readonly (ArtifactInfo & { readonly bytes?: Uint8Array })[]> {
    const terms: [string, readonly SqlValue[]][] = [
      ['app = ? AND user = ? AND session = ?', artifactPath(query.scope)],
    ];
    if (query.name !== undefined) terms.push(['name = ?', [query.name]]);
    if (query.version !== undefined) terms.push(['version = ?', [query.version]]);
    const { where, values } = allOf(terms);
    const wanted = query.bytes ? ', bytes' : '';
    const order = query.bytes ? 'version DESC LIMIT 1' : 'name, version';
    const sql = `SELECT name, version, mime, size${wanted} FROM artifacts WHERE ${where} ORDER BY ${order}`;
    return this.#file.all(sql, ...values).map(({ name, version, mime, size, bytes }) => ({
      name: String(name),
      version: Number(version),
      mimeType: String(mime),
      size: Number(size),
      ...(bytes instanceof Uint8Array ? { bytes: new Uint8Array(bytes) } : {}),
    }));
  }

  async health(): Promise<void> {
    this.#file.get('SELECT no FROM sessions LIMIT 1');
  }

  async close(): Promise<void> {
    // The file belongs to whoever opened it.
  }

  async #attempt(work: () => void): Promise<CommitOutcome> {
    try {
      await this.#file.write(() => refuseOnConstraint(work));
      return 'committed';
    } catch (error) {
      if (error instanceof Refused) return error.outcome;
      throw error;
    }
  }

  #write(commit: Commit): void {
    const session = this.#writeHead(commit);
    let previous = commit.previousInvocationId;
    for (const event of commit.events ?? []) {
      this.#writeEvent(session, event, previous);
      previous = event.invocationId;
    }
    if (commit.replaceSessionState) this.#file.run('DELETE FROM session_state WHERE session = ?', session);
    for (const write of commit.states ?? []) this.#writeState(session, write, commit.head.updatedAt);
    this.#saveArtifacts(commit.artifacts ?? []);
  }

  #writeHead({ head, expectedStamp }: Commit): number {
    const { key, ...body } = head;
    const text = JSON.stringify(body);
    const indexed: SqlValue[] = [
      Math.floor(head.updatedAt / 1000),
      head.ingestedSeq < head.version ? 1 : 0,
      head.ended || head.version === 0 ? 0 : 1,
      head.expiresAt ?? null,
    ];
    if (expectedStamp !== undefined) return this.#updateHead(head, { text, indexed, expectedStamp });
    const row = this.#file.get(
      `INSERT INTO sessions (stamp, body, active, behind, open, expires, app, user, id, incarnation, project, forked_from)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (app, user, id) DO NOTHING RETURNING no`,
      head.stamp,
      text,
      ...indexed,
      key.appName,
      key.userId,
      key.sessionId,
      head.incarnation,
      head.projectId ?? null,
      head.forkedFrom?.incarnation ?? null,
    );
    if (row === undefined) throw new Refused('moved');
    return Number(row.no);
  }

  /**
   * SQLite rewrites an index for every column that an UPDATE sets, changed or not. Most appends change none of the
   * indexed columns, so those are tried without.
   */
  #updateHead(
    head: SessionHead,
    written: { readonly text: string; readonly indexed: readonly SqlValue[]; readonly expectedStamp: number },
  ): number {
    const { text, indexed, expectedStamp } = written;
    const no = this.#numberOfLife(head);
    if (no === undefined) throw new Refused('moved');
    const which = 'no = ? AND incarnation = ? AND stamp = ?';
    const light = `UPDATE sessions SET stamp = ?, body = ? WHERE ${which} AND active = ? AND behind = ? AND open = ? AND expires IS ?`;
    const path = [no, head.incarnation, expectedStamp];
    if (this.#file.run(light, head.stamp, text, ...path, ...indexed) === 1) return no;
    const whole = `UPDATE sessions SET stamp = ?, body = ?, active = ?, behind = ?, open = ?, expires = ? WHERE ${which}`;
    if (this.#file.run(whole, head.stamp, text, ...indexed, ...path) === 1) return no;
    throw new Refused('moved');
  }

  #writeEvent(session: number, event: Event, previousInvocationId: string | undefined): void {
    const flags = (isBookkeeping(event) ? bookkeepingFlag : 0) | (changesState(event) ? stateFlag : 0);
    const run = startsRun(event, previousInvocationId) ? event.invocationId : null;
    this.#file.run(
      'INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)',
      session,
      event.seq,
      event.id,
      flags,
      run,
      encodeEvent(event),
    );
    for (const call of [...opens(event), ...closes(event)]) {
      this.#file.run('INSERT OR IGNORE INTO calls VALUES (?, ?, ?)', session, JSON.stringify(call), event.seq);
    }
  }

  #writeState(session: number, write: StateWrite, at: number): void {
    const { scope, key, value, source, expectedRevision } = write;
    if (scope.kind === 'session') {
      const name = JSON.stringify(key);
      if (value === undefined) this.#file.run('DELETE FROM session_state WHERE session = ? AND key = ?', session, name);
      else
        this.#file.run('INSERT OR REPLACE INTO session_state VALUES (?, ?, ?)', session, name, JSON.stringify(value));
      return;
    }
    const path = [...sharedPath(scope), JSON.stringify(key)];
    const row = this.#file.get(
      'SELECT max(revision) AS newest FROM shared_state WHERE app = ? AND user = ? AND key = ?',
      ...path,
    );
    const newest = Number(row?.newest ?? 0);
    if (expectedRevision !== undefined && expectedRevision !== newest) throw new Refused('moved');
    const text = value === undefined ? null : JSON.stringify(value);
    const from = [source?.incarnation ?? null, source?.seq ?? null];
    this.#file.run('INSERT INTO shared_state VALUES (?, ?, ?, ?, ?, ?, ?, ?)', ...path, newest + 1, text, ...from, at);
  }

  #saveArtifacts(artifacts: readonly ArtifactWrite[]): void {
    for (const { scope, name, version, mimeType, bytes, contentAddressed } of artifacts) {
      const saved = this.#file.run(
        'INSERT OR IGNORE INTO artifacts VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...artifactPath(scope),
        name,
        version,
        mimeType,
        bytes.byteLength,
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      );
      if (saved === 0 && !contentAddressed) throw new Refused('moved');
    }
  }

  #remove(removal: Removal): Removed {
    const none: Removed = { events: 0, stateKeys: 0, artifacts: 0 };
    switch (removal.what) {
      case 'session':
        return this.#removeSession(removal.key);
      case 'events': {
        const session = this.#numberOf(removal.key) ?? 0;
        const keysBefore = this.#countState(session);
        const events = removal.ranges.reduce((sum, range) => sum + this.#removeRange(session, range), 0);
        this.#write(removal.commit);
        return { ...none, events, stateKeys: keysBefore - this.#countState(session) };
      }
      case 'states': {
        const path = sharedPath(removal.scope);
        const row = this.#file.get(
          'SELECT count(DISTINCT key) AS n FROM shared_state WHERE app = ? AND user = ?',
          ...path,
        );
        this.#file.run('DELETE FROM shared_state WHERE app = ? AND user = ?', ...path);
        return { ...none, stateKeys: Number(row?.n) };
      }
      case 'artifacts':
        return { ...none, artifacts: this.#removeArtifacts(removal.scope, removal.name) };
    }
  }

  #removeSession(key: SessionKey): Removed {
    const session = this.#numberOf(key);
    const artifacts = this.#removeArtifacts(key, undefined);
    if (session === undefined) return { events: 0, stateKeys: 0, artifacts };
    this.#file.run('DELETE FROM calls WHERE session = ?', session);
    const events = this.#file.run('DELETE FROM events WHERE session = ?', session);
    const stateKeys = this.#file.run('DELETE FROM session_state WHERE session = ?', session);
    this.#file.run('DELETE FROM sessions WHERE no = ?', session);
    return { events, stateKeys, artifacts };
  }

  #removeRange(session: number, [from, to]: readonly [number, number]): number {
    this.#file.run('DELETE FROM calls WHERE session = ? AND seq BETWEEN ? AND ?', session, from, to);
    const events = this.#file.run('DELETE FROM events WHERE session = ? AND seq BETWEEN ? AND ?', session, from, to);
    // The first event left behind may have lost the start of its run: it becomes one.
    this.#file.run(
      `UPDATE events SET run = json_extract(body, '$.invocationId') WHERE session = ?1
        AND seq = (SELECT min(seq) FROM events WHERE session = ?1 AND seq > ?2)`,
      session,
      to,
    );
    return events;
  }

  #removeArtifacts(scope: ArtifactScope, name: string | undefined): number {
    const where = 'DELETE FROM artifacts WHERE app = ? AND user = ? AND session = ?';
    const path = artifactPath(scope);
    return name === undefined ? this.#file.run(where, ...path) : this.#file.run(`${where} AND name = ?`, ...path, name);
  }

  #countState(session: number): number {
    return Number(this.#file.get('SELECT count(*) AS n FROM session_state WHERE session = ?', session)?.n);
  }

  /** Row numbers may be given again once a session is deleted, hence one per life. */
  #numberOfLife(head: SessionHead): number | undefined {
    const known = this.#numbers.get(head.incarnation);
    if (known !== undefined) return known;
    const no = this.#numberOf(head.key);
    if (no === undefined) return undefined;
    if (this.#numbers.size >= mostNumbers) this.#numbers.clear();
    this.#numbers.set(head.incarnation, no);
    return no;
  }

  #numberOf({ appName, userId, sessionId }: SessionKey): number | undefined {
    const row = this.#file.get(
      'SELECT no FROM sessions WHERE app = ? AND user = ? AND id = ?',
      appName,
      userId,
      sessionId,
    );
    return row && Number(row.no);
  }

  #toHead({ app, user, id, body }: Row): SessionHead {
    const key = Object.freeze({ appName: String(app), userId: String(user), sessionId: String(id) });
    try {
      return Object.freeze({ key, ...JSON.parse(String(body)) });
    } catch (cause) {
      throw new PalimpsestError(
        'STORE_CORRUPT',
        { file: this.#file.file, reason: `the head of session ${id} is no JSON` },
        { cause },
      );
    }
  }
}

function refuseOnConstraint(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw isConstraint(error) ? new Refused('idTaken') : error;
  }
}

function listTerms(query: ListQuery): { where: string; values: SqlValue[]; order: string } {
  const oldestFirst = 'active, no';
  switch (query.by) {
    case 'active': {
      const { appName, userId, projectId, after } = query;
      const terms: [string, readonly SqlValue[]][] = [['app = ?', [appName]]];
      if (userId !== undefined) terms.push(['user = ?', [userId]]);
      if (projectId !== undefined) terms.push(['project = ?', [projectId]]);
      if (after) terms.push([`(active, no) ${query.oldestFirst ? '>' : '<'} (?, ?)`, after]);
      return { ...allOf(terms), order: query.oldestFirst ? oldestFirst : 'active DESC, no DESC' };
    }
    case 'behind':
      return { where: 'app = ? AND behind = 1', values: [query.appName], order: oldestFirst };
    case 'idle':
      return {
        where: 'app = ? AND open = 1 AND active < ?',
        values: [query.appName, query.before],
        order: oldestFirst,
      };
    case 'expired':
      return { where: 'expires <= ?', values: [query.before], order: 'expires' };
    case 'forkedFrom':
      return { where: 'forked_from = ?', values: [query.incarnation], order: 'no' };
  }
}

function allOf(terms: readonly [string, readonly SqlValue[]][]): { where: string; values: SqlValue[] } {
  return { where: terms.map(([term]) => term).join(' AND '), values: terms.flatMap(([, values]) => values) };
}

function sharedPath(scope: StateScope): [string, string] {
  if (scope.kind === 'app') return [scope.appName, ''];
  return scope.kind === 'user' ? [scope.appName, scope.userId] : [scope.key.appName, scope.key.userId];
}

function artifactPath(scope: ArtifactScope): SqlValue[] {
  return [scope.appName, scope.userId, 'sessionId' in scope ? scope.sessionId : ''];
}

function toStateValue({ key, value, revision, incarnation, seq }: Row): StateValue {
  const source = incarnation === null ? {} : { source: { incarnation: String(incarnation), seq: Number(seq) } };
  return {
    key: String(key),
    value: value === null ? undefined : parseValue(value),
    revision: Number(revision),
    ...source,
  };
}

function parseValue(value: SqlValue | undefined): JsonValue {
  const parsed: JsonValue = JSON.parse(String(value));
  freezeParsed(parsed);
  return parsed;
}

function parseText(value: SqlValue | undefined): string {
  return String(JSON.parse(String(value)));
}
