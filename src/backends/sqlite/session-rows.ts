import { decodeEvent, type Event, rangeAt, type SeqRange } from '../../events/index.ts';
import type { RowQuery } from '../../sessions/index.ts';
import type { Row, SqlValue } from './driver.ts';
import type { SqliteFile } from './sqlite-file.ts';

const columns = 'seq, id, body';
const everything: readonly SeqRange[] = [[1, Number.MAX_SAFE_INTEGER]];

/** Answers a query for events of the session with this number, at a cost of what it returns. */
export function selectEvents(file: SqliteFile, session: number, query: RowQuery): Event[] {
  const { ranges = everything, limit = Number.MAX_SAFE_INTEGER, newestFirst = false } = query;
  if (query.invocationId !== undefined) {
    const scan = runsOf(query.invocationId, newestFirst);
    return scanRanges(file, { session, scan, ranges, limit, newestFirst });
  }
  const rows = namedRows(file, session, query);
  if (rows === undefined) {
    return scanRanges(file, { session, scan: wholeLog(newestFirst), ranges, limit, newestFirst });
  }
  const wanted = ranges.length === 1 ? rows : rows.filter((row) => rangeAt(ranges, Number(row.seq)) !== -1);
  return wanted.slice(0, limit).map((row) => toEvent(row, file));
}

/**
 * Rows that a query names by id, call or kind, in its order; `undefined` if it names none. The indexes are named, since
 * SQLite would rather read a whole log in the order it stands in than look up a few rows and sort them. Only one range
 * can be told to SQLite with the limit; of several, what lies between them is left to the caller.
 */
function namedRows(file: SqliteFile, session: number, query: RowQuery): Row[] | undefined {
  const { ids, callId, kind, ranges = everything, limit = Number.MAX_SAFE_INTEGER, newestFirst = false } = query;
  const span: SqlValue[] = [ranges[0]?.[0] ?? 0, ranges.at(-1)?.[1] ?? 0, ranges.length === 1 ? limit : -1];
  const order = newestFirst ? 'DESC' : 'ASC';
  const where = (by: string, condition: string, ...values: SqlValue[]) => {
    const sql = `SELECT ${columns} FROM events ${by} WHERE session = ? AND ${condition} AND seq BETWEEN ? AND ?`;
    return file.all(`${sql} ORDER BY seq ${order} LIMIT ?`, session, ...values, ...span);
  };
  if (ids) return where('INDEXED BY events_id', 'id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
  if (callId !== undefined) {
    const sql = `SELECT event.seq AS seq, event.id AS id, event.body AS body FROM calls CROSS JOIN events event
      WHERE calls.session = ? AND calls.call = ? AND calls.seq BETWEEN ? AND ?
        AND event.session = ? AND event.seq = calls.seq ORDER BY calls.seq ${order} LIMIT ?`;
    const [from, to, most] = [span[0] ?? 0, span[1] ?? 0, span[2] ?? 0];
    return file.all(sql, session, JSON.stringify(callId), from, to, session, most);
  }
  if (kind === undefined) return undefined;
  return kind === 'bookkeeping'
    ? where('INDEXED BY events_bookkeeping', 'flags & 1')
    : where('INDEXED BY events_state', 'flags & 2');
}

/** A statement for the rows of one range, in order. */
interface Scan {
  readonly sql: string;
  readonly values: (session: number, range: SeqRange, limit: number) => SqlValue[];
}

function wholeLog(newestFirst: boolean): Scan {
  const order = newestFirst ? 'DESC' : 'ASC';
  return {
    sql: `SELECT ${columns} FROM events WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq ${order} LIMIT ?`,
    values: (session, [from, to], limit) => [session, from, to, limit],
  };
}

/**
 * From start to start of the invocation's runs, beginning with the one that may reach into the range. A run goes on
 * until the next start of any. The unique index of starts is what tells SQLite that nothing is left to sort.
 */
function runsOf(invocationId: string, newestFirst: boolean): Scan {
  const order = newestFirst ? 'DESC' : 'ASC';
  const before = 'SELECT max(seq) FROM events INDEXED BY events_run WHERE session = ? AND run = ? AND seq <= ?';
  const next = `SELECT min(next.seq) FROM events next INDEXED BY events_starts
    WHERE next.session = ? AND next.seq > start.seq AND next.run IS NOT NULL`;
  return {
    sql: `SELECT event.seq AS seq, event.id AS id, event.body AS body
      FROM events start INDEXED BY events_run CROSS JOIN events event
      WHERE start.session = ? AND start.run = ? AND start.seq BETWEEN ifnull((${before}), ?) AND ?
        AND event.session = ? AND event.seq BETWEEN max(start.seq, ?) AND min(ifnull((${next}) - 1, ?), ?)
      ORDER BY start.seq ${order}, event.seq ${order} LIMIT ?`,
    values: (session, [from, to], limit) => {
      const run = [session, invocationId];
      return [...run, ...run, from, from, to, session, from, session, to, to, limit];
    },
  };
}

function scanRanges(
  file: SqliteFile,
  wanted: {
    readonly session: number;
    readonly scan: Scan;
    readonly ranges: readonly SeqRange[];
    readonly limit: number;
    readonly newestFirst: boolean;
  },
): Event[] {
  const { session, scan, ranges, limit, newestFirst } = wanted;
  const events: Event[] = [];
  for (const range of newestFirst ? [...ranges].reverse() : ranges) {
    if (events.length >= limit) break;
    const rows = file.all(scan.sql, ...scan.values(session, range, limit - events.length));
    for (const row of rows) events.push(toEvent(row, file));
  }
  return events;
}

function toEvent(row: Row, file: SqliteFile): Event {
  return decodeEvent(Number(row.seq), String(row.id), String(row.body), file.file);
}
