import { decodeEvent, type Event, rangeAt, type SeqRange } from '../../events/index.ts';
import type { RowQuery } from '../../sessions/index.ts';
import type { Row, SqlValue } from './driver.ts';
import type { SqliteFile } from './sqlite-file.ts';

const columns = 'seq, id, body';
const everything: readonly SeqRange[] = [[1, Number.MAX_SAFE_INTEGER]];
const runPage = 100;

/** Answers a query for events of the session with this number, at a cost of what it returns. */
export function selectEvents(file: SqliteFile, session: number, query: RowQuery): Event[] {
  const { ranges = everything, limit = Number.MAX_SAFE_INTEGER, newestFirst = false } = query;
  if (query.invocationId !== undefined) {
    const stopAt = newestFirst ? Number.MAX_SAFE_INTEGER : limit;
    const events = [...eventsOfInvocation(file, session, { invocationId: query.invocationId, ranges, stopAt })];
    return (newestFirst ? events.reverse() : events).slice(0, limit);
  }
  const rows = namedRows(file, session, query);
  if (rows === undefined) return scanRanges(file, session, { ranges, limit, newestFirst });
  const wanted = rows.filter((row) => rangeAt(ranges, Number(row.seq)) !== -1);
  return (newestFirst ? wanted.reverse() : wanted).slice(0, limit).map((row) => toEvent(row, file));
}

/**
 * Rows that a query names by id, call or kind, in order; `undefined` if it names none. The indexes are named, since
 * SQLite would rather read a whole log in the order it stands in than look up a few rows and sort them.
 */
function namedRows(file: SqliteFile, session: number, { ids, callIds, kind }: RowQuery): Row[] | undefined {
  const where = (by: string, condition: string, ...values: SqlValue[]) =>
    file.all(`SELECT ${columns} FROM events ${by} WHERE session = ? AND ${condition} ORDER BY seq`, session, ...values);
  if (ids) return where('INDEXED BY events_id', 'id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
  if (callIds) {
    const calls = 'SELECT seq FROM calls WHERE session = ? AND call IN (SELECT value FROM json_each(?))';
    return where('', `seq IN (${calls})`, session, JSON.stringify(callIds.map((id) => JSON.stringify(id))));
  }
  if (kind === undefined) return undefined;
  return kind === 'bookkeeping'
    ? where('INDEXED BY events_bookkeeping', 'flags & 1')
    : where('INDEXED BY events_state', 'flags & 2');
}

function scanRanges(
  file: SqliteFile,
  session: number,
  how: { readonly ranges: readonly SeqRange[]; readonly limit: number; readonly newestFirst: boolean },
): Event[] {
  const { ranges, limit, newestFirst } = how;
  const order = newestFirst ? 'DESC' : 'ASC';
  const sql = `SELECT ${columns} FROM events WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ?`;
  const events: Event[] = [];
  for (const [from, to] of newestFirst ? [...ranges].reverse() : ranges) {
    if (events.length >= limit) break;
    for (const row of file.all(sql, session, from, to, limit - events.length)) events.push(toEvent(row, file));
  }
  return events;
}

/** Each run of the invocation, from its start until an event of another one. */
function* eventsOfInvocation(
  file: SqliteFile,
  session: number,
  wanted: { readonly invocationId: string; readonly ranges: readonly SeqRange[]; readonly stopAt: number },
): Generator<Event> {
  const starts = file.all(
    'SELECT seq FROM events WHERE session = ? AND run = ? ORDER BY seq',
    session,
    wanted.invocationId,
  );
  let found = 0;
  let reached = 0;
  for (const start of starts) {
    for (const event of run(file, session, Math.max(reached + 1, Number(start.seq)))) {
      if (event.invocationId !== wanted.invocationId) break;
      reached = event.seq;
      if (rangeAt(wanted.ranges, event.seq) === -1) continue;
      yield event;
      if (++found >= wanted.stopAt) return;
    }
  }
}

function* run(file: SqliteFile, session: number, from: number): Generator<Event> {
  for (let next = from; ; ) {
    const page = scanRanges(file, session, {
      ranges: [[next, Number.MAX_SAFE_INTEGER]],
      limit: runPage,
      newestFirst: false,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < runPage) return;
    next = last.seq + 1;
  }
}

function toEvent(row: Row, file: SqliteFile): Event {
  return decodeEvent(Number(row.seq), String(row.id), String(row.body), file.file);
}
