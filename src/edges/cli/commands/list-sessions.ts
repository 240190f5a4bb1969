import type { Palimpsest } from '../../../engine/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { newestSessions } from '../choose-session.ts';
import { countText, fitWidth, oneLine, tableLines, textWidth, timeText, wrapWidth } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import { sessionTime } from '../session-time.ts';
import type { Terminal } from '../terminal.ts';

/** Options of `palimpsest sessions`. */
export interface SessionsOptions {
  readonly user?: string;
  /** 0: all. */
  readonly limit: number;
}

const gap = 2;
/** With less room than this for what a session is about, columns give way. */
const narrowestAbout = 16;

/** Lists the sessions of a file, newest first. */
export async function showSessions(terminal: Terminal, options: SessionsOptions): Promise<void> {
  const work = async (palimpsest: Palimpsest) => {
    const all = await newestSessions(palimpsest, options.user);
    const shown = options.limit === 0 ? all : all.slice(0, options.limit);
    if (terminal.options.json) terminal.json(shown);
    else printSessions(terminal, shown);
    const owner = options.user === undefined ? '' : ` of user "${options.user}"`;
    if (all.length === 0) terminal.note(`No sessions${owner} in app "${palimpsest.appName}".`);
    if (all.length > shown.length) {
      terminal.note(`${countText(all.length - shown.length, 'older session')} not shown; --limit 0 shows all.`);
    }
  };
  await withStore(terminal, work, { access: 'read' });
}

interface Row {
  readonly session: string;
  readonly user: string;
  readonly events: number;
  readonly time: string;
  readonly about: string;
}

function printSessions(terminal: Terminal, sessions: readonly SessionInfo[]): void {
  if (sessions.length === 0) return;
  const rows = sessions.map((info) => ({
    session: oneLine(info.key.sessionId),
    user: oneLine(info.key.userId),
    events: info.version,
    time: timeText(sessionTime(info), info.timeZone),
    about: oneLine(aboutSession(info)),
  }));
  for (const line of linesOf(rows, terminal)) terminal.print(line);
}

/**
 * A table where it fits, without a user that is the same in all rows if need be; else two lines a session. Ids are what
 * the next command is given, so they are never cut; what a session is about may be.
 */
function linesOf(rows: readonly Row[], terminal: Terminal): string[] {
  if (tableWidth(rows, true) <= terminal.width) return tableOf(rows, true, terminal);
  const isOneUser = new Set(rows.map(({ user }) => user)).size === 1;
  if (isOneUser) terminal.note(`All of user "${rows[0]?.user}".`);
  if (isOneUser && tableWidth(rows, false) <= terminal.width) return tableOf(rows, false, terminal);
  return stackOf(rows, !isOneUser, terminal);
}

/** How wide a table has to be at least. */
function tableWidth(rows: readonly Row[], withUser: boolean): number {
  const widest = (title: string, cell: (row: Row) => string) =>
    rows.reduce((most, row) => Math.max(most, textWidth(cell(row))), title.length);
  const fixed = [
    widest('SESSION', ({ session }) => session),
    ...(withUser ? [widest('USER', ({ user }) => user)] : []),
    widest('EVENTS', ({ events }) => String(events)),
    widest('TIME', ({ time }) => time),
  ];
  const about = Math.min(
    widest('', (row) => row.about),
    narrowestAbout,
  );
  return fixed.reduce((sum, each) => sum + each + gap, about);
}

function tableOf(rows: readonly Row[], withUser: boolean, { paint, width }: Terminal): string[] {
  return tableLines({
    width,
    paintTitle: paint.bold,
    columns: [
      { title: 'SESSION' },
      ...(withUser ? [{ title: 'USER' }] : []),
      { title: 'EVENTS', align: 'right' },
      { title: 'TIME' },
      { title: 'ABOUT', mayCut: true },
    ],
    rows: rows.map(({ session, user, events, time, about }) => [
      { text: session, paint: paint.cyan },
      ...(withUser ? [user] : []),
      String(events),
      { text: time, paint: paint.dim },
      about,
    ]),
  });
}

function stackOf(rows: readonly Row[], withUser: boolean, { paint, width }: Terminal): string[] {
  return rows.flatMap(({ session, user, events, time, about }) => {
    const facts = [time, countText(events, 'event'), withUser ? `user "${user}"` : '', about];
    const line = facts.filter((fact) => fact !== '').join(' · ');
    return [...wrapWidth(session, width).map(paint.cyan), ' '.repeat(gap) + fitWidth(line, width - gap)];
  });
}

function aboutSession(info: SessionInfo): string {
  const { title, speakers, originalId } = info.metadata ?? {};
  const about: string[] = [];
  if (typeof title === 'string') about.push(title);
  if (Array.isArray(speakers)) about.push(speakers.join(', '));
  // The log refuses some ids of other systems; people know the session by that one.
  if (typeof originalId === 'string') about.push(`original id ${originalId}`);
  if (info.projectId !== undefined) about.push(`project ${info.projectId}`);
  if (info.forkedFrom !== undefined) about.push(`fork of ${info.forkedFrom.sessionId}@${info.forkedFrom.atSeq}`);
  if (info.ended) about.push('ended');
  return about.join(' · ');
}
