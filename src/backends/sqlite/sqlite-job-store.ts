import { freezeParsed, type JsonMap } from '../../events/index.ts';
import type {
  ClaimedJob,
  ClaimOutcome,
  DeadLetterQuery,
  DeadLetterRow,
  HoldOutcome,
  JobCause,
  JobClaim,
  JobFailure,
  JobFilter,
  JobHold,
  JobRow,
  JobScope,
  JobStore,
} from '../../jobs/index.ts';
import type { Row, SqlValue } from './driver.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** Jobs in one SQLite file, which several handles and processes may share. Whoever opened the file closes it. */
export function createSqliteJobStore(file: SqliteFile): JobStore {
  return new SqliteJobStore(file);
}

const rowColumns = 'id, app, user, project, session, queue, dedupe, payload, enqueued';
const ofLine = 'app = ? AND user = ? AND session = ? AND project = ? AND queue = ?';
const ofHold = 'id = ? AND token = ? AND owner IS NOT NULL';

class SqliteJobStore implements JobStore {
  readonly name = 'sqlite';
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  enqueue(job: JobRow): Promise<{ readonly outcome: 'enqueued' | 'waiting'; readonly id: string }> {
    return this.#file.write(() => this.#insert(job));
  }

  async claim(claim: JobClaim): Promise<ClaimOutcome> {
    // Looking takes no lock, so idle runners keep nobody from writing.
    const { no, ...none } = this.#firstFree(claim);
    return no === undefined ? none : this.#file.write(() => this.#claimFirst(claim));
  }

  renew({ id, token }: JobHold, leaseUntil: number): Promise<HoldOutcome> {
    const sql = `UPDATE jobs SET free = ? WHERE ${ofHold}`;
    return this.#file.write(() => (this.#file.run(sql, leaseUntil, id, token) === 1 ? 'held' : 'lost'));
  }

  complete(hold: JobHold): Promise<HoldOutcome> {
    return this.#file.write(() => {
      const row = this.#held(hold);
      if (row === undefined) return 'lost';
      this.#leaveLine(row);
      return 'held';
    });
  }

  fail(hold: JobHold, failure: JobFailure): Promise<HoldOutcome> {
    return this.#file.write(() => {
      const row = this.#held(hold);
      if (row === undefined) return 'lost';
      if (failure.freeAt !== undefined) {
        const sql = 'UPDATE jobs SET owner = NULL, free = ?, attempts = ? WHERE no = ?';
        this.#file.run(sql, failure.freeAt, failure.attempts, Number(row.no));
        return 'held';
      }
      const sql = `INSERT INTO dead_jobs (${rowColumns}, cause) SELECT ${rowColumns}, ? FROM jobs WHERE no = ?`;
      this.#file.run(sql, JSON.stringify(failure.cause), Number(row.no));
      this.#leaveLine(row);
      return 'held';
    });
  }

  async deadLetters({ filter, queue, before, limit }: DeadLetterQuery): Promise<readonly DeadLetterRow[]> {
    const { where, values } = filterTerms(filter);
    const below = before ?? Number.MAX_SAFE_INTEGER;
    const [inQueue, queues] = queue === undefined ? ['', []] : [' AND queue = ?', [queue]];
    const sql = `SELECT * FROM dead_jobs WHERE ${where}${inQueue} AND no < ? ORDER BY no DESC LIMIT ?`;
    return this.#file.all(sql, ...values, ...queues, below, limit).map(deadLetterRow);
  }

  requeue(filter: JobFilter, id: string): Promise<'enqueued' | 'waiting' | 'absent'> {
    const { where, values } = filterTerms(filter);
    return this.#file.write(() => {
      const dead = this.#file.get(`SELECT * FROM dead_jobs WHERE id = ? AND ${where}`, id, ...values);
      if (dead === undefined) return 'absent';
      const { outcome } = this.#insert(jobRow(dead));
      if (outcome === 'enqueued') this.#file.run('DELETE FROM dead_jobs WHERE no = ?', Number(dead.no));
      return outcome;
    });
  }

  async remove(filter: JobFilter): Promise<number> {
    const { where, values } = filterTerms(filter);
    const removed = await this.#file.write(() => {
      const live = this.#file.run(`DELETE FROM jobs WHERE ${where}`, ...values);
      return live + this.#file.run(`DELETE FROM dead_jobs WHERE ${where}`, ...values);
    });
    if (removed > 0) await this.#file.emptyLog();
    return removed;
  }

  #insert(job: JobRow): { outcome: 'enqueued' | 'waiting'; id: string } {
    const line = lineValues(job);
    const { id, scope, queue, dedupeId, payload, enqueuedAt } = job;
    if (dedupeId !== undefined) {
      const sql = `SELECT id FROM jobs WHERE ${ofLine} AND dedupe = ? AND owner IS NULL LIMIT 1`;
      const equal = this.#file.get(sql, ...line, dedupeId);
      if (equal !== undefined) return { outcome: 'waiting', id: String(equal.id) };
    }
    const isHead = this.#file.get(`SELECT 1 FROM jobs WHERE ${ofLine} LIMIT 1`, ...line) === undefined;
    const sql = `INSERT INTO jobs (${rowColumns}, head, free, attempts, token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)`;
    const { appName, userId, projectId = '', sessionId = '' } = scope;
    const body = [queue, dedupeId ?? null, JSON.stringify(payload), enqueuedAt, isHead ? 1 : 0] as const;
    this.#file.run(sql, id, appName, userId, projectId, sessionId, ...body);
    return { outcome: 'enqueued', id };
  }

  /** The head that is to be claimed now, or when the next one is free. */
  #firstFree({ queues, now }: JobClaim): { readonly no?: number; readonly freeAt?: number } {
    const timed = this.#firstHead(queues, 'free > 0');
    if (timed !== undefined && timed.free <= now) return { no: timed.no };
    const fresh = this.#firstHead(queues, 'free = 0');
    if (fresh !== undefined) return { no: fresh.no };
    return timed === undefined ? {} : { freeAt: timed.free };
  }

  #firstHead(queues: readonly string[], which: string): { readonly no: number; readonly free: number } | undefined {
    const sql = `SELECT no, free FROM jobs WHERE queue = ? AND head = 1 AND ${which} ORDER BY free, no LIMIT 1`;
    return queues
      .map((queue) => this.#file.get(sql, queue))
      .flatMap((row) => (row === undefined ? [] : [{ no: Number(row.no), free: Number(row.free) }]))
      .sort((a, b) => a.free - b.free || a.no - b.no)[0];
  }

  #claimFirst(claim: JobClaim): ClaimOutcome {
    const { no, ...none } = this.#firstFree(claim);
    if (no === undefined) return none;
    const row = this.#file.get('SELECT * FROM jobs WHERE no = ?', no) ?? {};
    this.#file.run('UPDATE job_tokens SET last = last + 1');
    const token = Number(this.#file.get('SELECT last FROM job_tokens')?.last);
    const attempts = Number(row.attempts) + 1;
    const sql = 'UPDATE jobs SET free = ?, attempts = ?, token = ?, owner = ? WHERE no = ?';
    this.#file.run(sql, claim.leaseUntil, attempts, token, claim.owner, no);
    const lost: Partial<ClaimedJob> = row.owner === null ? {} : { lostBy: String(row.owner) };
    return { job: { ...jobRow(row), attempts, token, ...lost } };
  }

  #held({ id, token }: JobHold): Row | undefined {
    return this.#file.get(`SELECT no, app, user, project, session, queue FROM jobs WHERE ${ofHold}`, id, token);
  }

  /** Removes the head of a line; the next one is the head then. */
  #leaveLine(row: Row): void {
    this.#file.run('DELETE FROM jobs WHERE no = ?', Number(row.no));
    const next = `SELECT no FROM jobs WHERE ${ofLine} ORDER BY no LIMIT 1`;
    const line = [row.app, row.user, row.session, row.project, row.queue].map(String);
    this.#file.run(`UPDATE jobs SET head = 1 WHERE no = (${next})`, ...line);
  }
}

function lineValues({ queue, scope }: JobRow): readonly string[] {
  return [scope.appName, scope.userId, scope.sessionId ?? '', scope.projectId ?? '', queue];
}

function filterTerms(filter: JobFilter): { readonly where: string; readonly values: readonly SqlValue[] } {
  const columns = { app: filter.appName, user: filter.userId, session: filter.sessionId, project: filter.projectId };
  const named = Object.entries(columns).flatMap(([column, id]) => (id === undefined ? [] : [[column, id] as const]));
  return { where: named.map(([column]) => `${column} = ?`).join(' AND '), values: named.map(([, id]) => id) };
}

function jobRow({ id, app, user, project, session, queue, dedupe, payload, enqueued }: Row): JobRow {
  const parsed: JsonMap = JSON.parse(String(payload));
  freezeParsed(parsed);
  const scope: JobScope = Object.freeze({
    appName: String(app),
    userId: String(user),
    ...(project === '' ? {} : { projectId: String(project) }),
    ...(session === '' ? {} : { sessionId: String(session) }),
  });
  return {
    id: String(id),
    queue: String(queue),
    scope,
    ...(dedupe === null ? {} : { dedupeId: String(dedupe) }),
    payload: parsed,
    enqueuedAt: Number(enqueued),
  };
}

function deadLetterRow(row: Row): DeadLetterRow {
  const cause: JobCause = JSON.parse(String(row.cause));
  return { ...jobRow(row), cause, place: Number(row.no) };
}
