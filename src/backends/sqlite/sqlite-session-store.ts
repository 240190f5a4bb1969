import { isPalimpsestError } from '../../errors/index.ts';
import type { Event, SessionKey } from '../../events/index.ts';
import type {
  ArtifactCommit,
  ArtifactQuery,
  Commit,
  CommitOutcome,
  ListedHead,
  ListQuery,
  Removal,
  Removed,
  RowQuery,
  SessionHead,
  SessionStore,
  StateQuery,
  StateScope,
  StateValue,
  StoredArtifact,
} from '../../sessions/index.ts';
import { saveArtifacts, selectArtifacts } from './artifact-rows.ts';
import type { SqlValue } from './driver.ts';
import { headColumns, headOf } from './head-row.ts';
import { Refused } from './refused.ts';
import { sessionNumber } from './session-paths.ts';
import { removeRows } from './session-removal.ts';
import { selectEvents } from './session-rows.ts';
import { SessionWriter } from './session-writer.ts';
import { isConstraint } from './sqlite-error.ts';
import type { SqliteFile } from './sqlite-file.ts';
import { selectStates } from './state-rows.ts';

/** Sessions in one SQLite file, which several handles and processes may share. Closing it leaves the file open. */
export function createSqliteSessionStore(file: SqliteFile): SessionStore {
  return new SqliteSessionStore(file);
}

class SqliteSessionStore implements SessionStore {
  readonly name = 'sqlite';
  readonly #file: SqliteFile;
  readonly #writer: SessionWriter;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#writer = new SessionWriter(file);
  }

  async head({ appName, userId, sessionId }: SessionKey): Promise<SessionHead | undefined> {
    const row = this.#file.get(
      `SELECT ${headColumns} FROM sessions WHERE app = ? AND user = ? AND id = ?`,
      appName,
      userId,
      sessionId,
    );
    return row && headOf(row, this.#file.file);
  }

  async commit(commit: Commit | ArtifactCommit): Promise<CommitOutcome> {
    return this.#attempt(() => {
      if (commit.restsOn) this.#writer.requireSeen(commit.restsOn);
      if ('head' in commit) this.#writer.write(commit);
      else saveArtifacts(this.#file, commit.artifacts);
    });
  }

  async rows(query: RowQuery): Promise<readonly Event[]> {
    const session = sessionNumber(this.#file, query.key);
    return session === undefined || query.limit === 0 ? [] : selectEvents(this.#file, session, query);
  }

  async states(scope: StateScope, query: StateQuery = {}): Promise<readonly StateValue[]> {
    return selectStates(this.#file, scope, query);
  }

  async list(query: ListQuery): Promise<readonly ListedHead[]> {
    const { where, values, order } = listTerms(query);
    const sql = `SELECT ${headColumns} FROM sessions WHERE ${where} ORDER BY ${order} LIMIT ?`;
    return this.#file.all(sql, ...values, query.limit).map((row) => ({
      head: headOf(row, this.#file.file),
      position: [Number(row.active), Number(row.no)],
    }));
  }

  async remove(removal: Removal): Promise<Removed | 'moved'> {
    let removed: Removed = { events: 0, stateKeys: 0, artifacts: 0, quotes: 0 };
    const outcome = await this.#attempt(() => {
      removed = removeRows(this.#file, this.#writer, removal);
    });
    if (outcome !== 'committed') return 'moved';
    await this.#file.emptyLog();
    return removed;
  }

  async artifacts(query: ArtifactQuery): Promise<readonly StoredArtifact[]> {
    return selectArtifacts(this.#file, query);
  }

  async health(): Promise<void> {
    this.#file.get('SELECT no FROM sessions LIMIT 1');
  }

  async close(): Promise<void> {
    // The file belongs to whoever opened it.
  }

  async #attempt(work: () => void): Promise<CommitOutcome> {
    try {
      await this.#file.write(work);
      return 'committed';
    } catch (error) {
      if (error instanceof Refused) return error.outcome;
      if (isTaken(error)) return 'idTaken';
      throw error;
    }
  }
}

/** The only unique index that a commit can run into is that of event ids. */
function isTaken(error: unknown): boolean {
  return isPalimpsestError(error) && isConstraint(error.cause);
}

function listTerms(query: ListQuery): { where: string; values: SqlValue[]; order: string } {
  const oldestFirst = 'active, no';
  const live = '(expires IS NULL OR expires > ?)';
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
      return {
        where: `app = ? AND behind = 1 AND ${live}`,
        values: [query.appName, query.liveAt],
        order: oldestFirst,
      };
    case 'idle':
      return {
        where: `app = ? AND open = 1 AND active < ? AND ${live}`,
        values: [query.appName, query.before, query.liveAt],
        order: oldestFirst,
      };
    case 'expired':
      return { where: 'expires <= ?', values: [query.before], order: 'expires, no' };
    case 'forkedFrom':
      return { where: 'forked_from = ? AND no > ?', values: [query.incarnation, query.after ?? 0], order: 'no' };
  }
}

function allOf(terms: readonly [string, readonly SqlValue[]][]): { where: string; values: SqlValue[] } {
  return { where: terms.map(([term]) => term).join(' AND '), values: terms.flatMap(([, values]) => values) };
}
