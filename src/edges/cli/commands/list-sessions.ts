import type { SessionInfo } from '../../../sessions/index.ts';
import { listSessions } from '../choose-session.ts';
import { countText, oneLine, tableLines, timeText } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';

/** Options of `palimpsest sessions`. */
export interface SessionsOptions {
  readonly user?: string;
  /** 0: all. */
  readonly limit: number;
}

/** Lists the sessions of a file, newest activity first. */
export async function showSessions(terminal: Terminal, options: SessionsOptions): Promise<void> {
  await withStore(terminal, async (palimpsest) => {
    const shown: SessionInfo[] = [];
    let total = 0;
    for await (const info of listSessions(palimpsest, options.user)) {
      total += 1;
      if (options.limit === 0 || shown.length < options.limit) shown.push(info);
    }
    if (terminal.options.json) terminal.json(shown);
    else printSessions(terminal, shown);
    const owner = options.user === undefined ? '' : ` of user ${options.user}`;
    if (total === 0) terminal.note(`No sessions${owner} in app ${palimpsest.appName}.`);
    if (total > shown.length) {
      terminal.note(`${countText(total - shown.length, 'older session')} not shown; --limit 0 shows all.`);
    }
  });
}

function printSessions(terminal: Terminal, sessions: readonly SessionInfo[]): void {
  if (sessions.length === 0) return;
  const { paint } = terminal;
  const lines = tableLines({
    width: terminal.width,
    paintTitle: paint.bold,
    columns: [
      { title: 'SESSION', mayCut: true },
      { title: 'USER', mayCut: true },
      { title: 'EVENTS', align: 'right' },
      { title: 'LAST ACTIVITY' },
      { title: 'ABOUT', mayCut: true },
    ],
    rows: sessions.map((info) => [
      { text: oneLine(info.key.sessionId), paint: paint.cyan },
      oneLine(info.key.userId),
      String(info.version),
      { text: timeText(info.updatedAt, info.timeZone), paint: paint.dim },
      oneLine(aboutSession(info)),
    ]),
  });
  for (const line of lines) terminal.print(line);
}

function aboutSession(info: SessionInfo): string {
  const { startedAt, title, speakers } = info.metadata ?? {};
  const about: string[] = [];
  // Of an import the last activity is the import itself.
  if (typeof startedAt === 'string') about.push(startedAt.slice(0, '2026-01-31'.length));
  if (typeof title === 'string') about.push(title);
  if (Array.isArray(speakers)) about.push(speakers.join(', '));
  if (info.projectId !== undefined) about.push(`project ${info.projectId}`);
  if (info.forkedFrom !== undefined) about.push(`fork of ${info.forkedFrom.sessionId}@${info.forkedFrom.atSeq}`);
  if (info.ended) about.push('ended');
  return about.join(' · ');
}
