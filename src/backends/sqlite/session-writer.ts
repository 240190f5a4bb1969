import { closes, type Event, encodeEvent, isBookkeeping, opens } from '../../events/index.ts';
import {
  type Commit,
  changesState,
  type SeenSession,
  type SessionHead,
  type StateWrite,
  startsRun,
} from '../../sessions/index.ts';
import { saveArtifacts } from './artifact-rows.ts';
import type { SqlValue } from './driver.ts';
import { Refused } from './refused.ts';
import { sessionNumber, sharedPath } from './session-paths.ts';
import type { SqliteFile } from './sqlite-file.ts';

const bookkeepingFlag = 1;
const stateFlag = 2;
const mostNumbers = 4096;

/** Writes commits of sessions, inside a transaction of the file. */
export class SessionWriter {
  readonly #file: SqliteFile;
  readonly #numbers = new Map<string, number>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Writes a commit. Throws Refused if the head or a revision has moved. */
  write(commit: Commit): void {
    const session = this.#writeHead(commit);
    let previous = commit.previousInvocationId;
    for (const event of commit.events ?? []) {
      this.#writeEvent(session, event, previous);
      previous = event.invocationId;
    }
    if (commit.replaceSessionState) this.#file.run('DELETE FROM session_state WHERE session = ?', session);
    for (const write of commit.states ?? []) this.#writeState(session, write, commit.head.updatedAt);
    saveArtifacts(this.#file, commit.artifacts ?? []);
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
      this.#file.run(
        'INSERT INTO calls VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        session,
        JSON.stringify(call),
        event.seq,
      );
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
    this.#file.run(
      'INSERT INTO shared_state (app, user, key, revision, value, incarnation, seq, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...path,
      newest + 1,
      text,
      ...from,
      at,
    );
  }

  /** Throws Refused if the session is gone or has lost events since it was seen. */
  requireSeen({ key, incarnation, erasures = 0 }: SeenSession): void {
    const row = this.#file.get(
      "SELECT incarnation, json_extract(body, '$.erasures') AS erasures FROM sessions WHERE app = ? AND user = ? AND id = ?",
      key.appName,
      key.userId,
      key.sessionId,
    );
    if (row?.incarnation !== incarnation || Number(row.erasures ?? 0) !== erasures) throw new Refused('moved');
  }

  /** Row numbers may be given again once a session is deleted, hence one per life. */
  #numberOfLife(head: SessionHead): number | undefined {
    const known = this.#numbers.get(head.incarnation);
    if (known !== undefined) return known;
    const no = sessionNumber(this.#file, head.key);
    if (no === undefined) return undefined;
    if (this.#numbers.size >= mostNumbers) this.#numbers.clear();
    this.#numbers.set(head.incarnation, no);
    return no;
  }
}
