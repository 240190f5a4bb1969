import type { ContextRequest, Palimpsest } from '../../../engine/index.ts';
import {
  type Coverage,
  type Event,
  foldCoverage,
  type Instant,
  isBookkeeping,
  type Provider,
  type SessionKey,
} from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession } from '../choose-session.ts';
import {
  type Cell,
  countText,
  eventText,
  oneLine,
  printable,
  tableLines,
  textWidth,
  timeText,
  wrapWidth,
} from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Paint, Terminal } from '../terminal.ts';
import { agentOf } from './agent-of.ts';
import { placementCell } from './placement-text.ts';
import { printRequest } from './print-request.ts';

/** Options of `palimpsest show`. */
export interface ShowOptions {
  readonly user?: string;
  readonly context?: boolean;
  readonly agent?: string;
  readonly provider: Provider;
  /** 0: all. */
  readonly limit: number;
  readonly full?: boolean;
}

const pageSize = 1000;
const dateLength = '2026-01-31'.length;

/** Shows a session's log, or what the next request would make of it. */
export async function showSession(terminal: Terminal, session: string, options: ShowOptions): Promise<void> {
  const work = async (palimpsest: Palimpsest) => {
    const info = await chooseSession(palimpsest, { session, userId: options.user });
    const events = await newestEvents(palimpsest, info.key, options.limit);
    const coverage = foldCoverage(await palimpsest.sessions.readBookkeeping(info.key));
    const agentName = options.agent ?? agentOf(events);
    const request = options.context
      ? await palimpsest.context(info.key, { agentName, provider: options.provider })
      : undefined;
    if (terminal.options.json) {
      terminal.json(toJson({ info, events, coverage, request }));
      return;
    }
    printHead(terminal, info, events.at(-1)?.timestamp ?? info.updatedAt);
    if (info.version > events.length) {
      terminal.note(`${countText(info.version - events.length, 'earlier event')} not shown; --limit 0 shows all.`);
    }
    const marks = (event: Event) =>
      request === undefined
        ? markCell(event, coverage, terminal.paint)
        : placementCell(request.explain(event.seq), terminal.paint);
    printEvents(terminal, events, {
      marks,
      title: request === undefined ? 'MARKS' : 'PLACEMENT',
      full: options.full === true,
    });
    if (request === undefined) return;
    terminal.print('');
    printRequest(terminal, request, {
      agentName,
      provider: options.provider,
      full: options.full === true,
      limit: options.limit,
      memoriesAbove: false,
    });
  };
  await withStore(terminal, work, { access: 'read' });
}

async function newestEvents(palimpsest: Palimpsest, key: SessionKey, limit: number): Promise<Event[]> {
  const newest: Event[] = [];
  let cursor: string | undefined;
  do {
    const wanted = limit === 0 ? pageSize : Math.min(pageSize, limit - newest.length);
    const page = await palimpsest.sessions.read(key, {
      newestFirst: true,
      limit: wanted,
      ...(cursor ? { cursor } : {}),
    });
    newest.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && (limit === 0 || newest.length < limit));
  return newest.reverse();
}

function toJson(shown: {
  info: SessionInfo;
  events: readonly Event[];
  coverage: Coverage;
  request: ContextRequest | undefined;
}) {
  const { info, coverage, request } = shown;
  const events = shown.events.map((event) => ({
    ...event,
    live: coverage.isLive(event.seq),
    coveredBy: coverage.coveredBy(event.seq),
    pinned: coverage.pinned.has(event.seq) || undefined,
    placement: request?.explain(event.seq),
  }));
  if (request === undefined) return { session: info, events };
  const { instruction, tools, contents, transient, memories } = request;
  return { session: info, events, request: { instruction, tools, contents, transient, memories } };
}

/** On one line where there is room, else the id on its own: it is what other commands are given. */
function printHead(terminal: Terminal, info: SessionInfo, lastActivity: Instant): void {
  const { paint, width } = terminal;
  const { title, originalId } = info.metadata ?? {};
  const facts = [
    `user "${info.key.userId}"`,
    countText(info.version, 'event'),
    `last activity ${timeText(lastActivity, info.timeZone)}`,
  ];
  if (info.ended) facts.push('ended');
  if (typeof title === 'string') facts.push(title);
  if (typeof originalId === 'string') facts.push(`original id ${originalId}`);
  const id = oneLine(info.key.sessionId);
  const about = oneLine(facts.join(' · '));
  if (textWidth(id) + 2 + textWidth(about) <= width) {
    terminal.print(`${paint.bold(id)}  ${paint.dim(about)}`);
    return;
  }
  for (const line of wrapWidth(id, width)) terminal.print(paint.bold(line));
  for (const line of wrapWidth(about, width - 2)) terminal.print(`  ${paint.dim(line)}`);
}

function markCell(event: Event, coverage: Coverage, paint: Paint): Required<Cell> {
  if (!coverage.isLive(event.seq)) return { text: 'rewound', paint: paint.dim };
  const by = coverage.coveredBy(event.seq);
  if (coverage.pinned.has(event.seq)) return { text: 'pinned', paint: paint.yellow };
  if (by !== undefined) return { text: `in summary ${by}`, paint: paint.dim };
  const kept = coverage.trimmed.get(event.seq);
  if (kept !== undefined) return { text: `cut to ${kept}`, paint: paint.yellow };
  return { text: '', paint: String };
}

interface EventPrinting {
  readonly marks: (event: Event) => Required<Cell>;
  readonly title: string;
  readonly full: boolean;
}

function printEvents(terminal: Terminal, events: readonly Event[], printing: EventPrinting): void {
  if (printing.full) {
    for (const event of events) printWhole(terminal, event, printing.marks(event));
    return;
  }
  const { paint } = terminal;
  // In a terminal the date stands above its events; in a pipe each line is whole.
  const dateApart = Number.isFinite(terminal.width);
  const marked = events.map((event) => ({ event, mark: printing.marks(event) }));
  const hasMarks = marked.some(({ mark }) => mark.text !== '');
  const [title = '', ...lines] = tableLines({
    width: terminal.width,
    paintTitle: paint.bold,
    columns: [
      { title: 'SEQ', align: 'right' },
      { title: 'TIME' },
      { title: 'AUTHOR', mayCut: true },
      { title: 'ORIGIN' },
      ...(hasMarks ? [{ title: printing.title }] : []),
      { title: 'EVENT', mayCut: true },
    ],
    rows: marked.map(({ event, mark }) => eventRow(event, { paint, dateApart, ...(hasMarks ? { mark } : {}) })),
  });
  terminal.print(title);
  let date = '';
  for (const [index, event] of events.entries()) {
    const own = timeText(event.timestamp, event.timeZone).slice(0, dateLength);
    if (dateApart && own !== date) terminal.print(paint.dim(own));
    date = own;
    terminal.print(lines[index] ?? '');
  }
}

function eventRow(event: Event, row: { paint: Paint; dateApart: boolean; mark?: Required<Cell> }): (string | Cell)[] {
  const { paint, mark } = row;
  const time = timeText(event.timestamp, event.timeZone);
  return [
    { text: String(event.seq), paint: paint.dim },
    { text: row.dateApart ? time.slice(dateLength + 1) : time, paint: paint.dim },
    { text: oneLine(event.author), paint: authorPaint(event, paint) },
    { text: event.origin, paint: paint.dim },
    ...(mark === undefined ? [] : [mark]),
    { text: oneLine(eventText(event)), paint: isFaint(event, mark?.text ?? '') ? paint.dim : String },
  ];
}

function printWhole(terminal: Terminal, event: Event, mark: Required<Cell>): void {
  const { paint } = terminal;
  const head = [
    paint.dim(`#${event.seq}`),
    authorPaint(event, paint)(oneLine(event.author)),
    paint.dim(`${timeText(event.timestamp, event.timeZone)} · ${event.origin}`),
    mark.text === '' ? '' : mark.paint(mark.text),
  ];
  terminal.print(head.filter((piece) => piece !== '').join('  '));
  for (const line of wrapWidth(printable(eventText(event)), Math.min(100, terminal.width) - 4))
    terminal.print(`    ${line}`.trimEnd());
}

function authorPaint(event: Event, paint: Paint): (text: string) => string {
  if (event.origin === 'user') return paint.cyan;
  return event.origin === 'agent' ? paint.green : paint.magenta;
}

function isFaint(event: Event, mark: string): boolean {
  return isBookkeeping(event) || /^(rewound|in summary|hidden)/.test(mark);
}
