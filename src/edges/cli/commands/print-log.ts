import { type Coverage, type Event, type Instant, isBookkeeping } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import {
  type Cell,
  countText,
  eventText,
  oneLine,
  printable,
  tableLines,
  textWidth,
  timeText,
  wrapHanging,
  wrapWidth,
} from '../display/index.ts';
import type { Paint, Terminal } from '../terminal.ts';

const dateLength = '2026-01-31'.length;
/** In fewer columns, time and origin make room for what else a table tells. */
export const narrowestWhole = 60;

/** On one line where there is room, else the id on its own: it is what other commands are given. */
export function printHead(terminal: Terminal, info: SessionInfo, lastActivity: Instant): void {
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

/** What later events made of an event, in words and colour; no text for most. */
export function markCell(event: Event, coverage: Coverage, paint: Paint): Required<Cell> {
  if (!coverage.isLive(event.seq)) return { text: 'rewound', paint: paint.dim };
  const by = coverage.coveredBy(event.seq);
  if (coverage.pinned.has(event.seq)) return { text: 'pinned', paint: paint.yellow };
  if (by !== undefined) return { text: `in summary ${by}`, paint: paint.dim };
  const kept = coverage.trimmed.get(event.seq);
  if (kept !== undefined) return { text: `cut to ${kept}`, paint: paint.yellow };
  return { text: '', paint: String };
}

/** How events are printed. */
export interface EventPrinting {
  readonly marks: (event: Event) => Required<Cell>;
  readonly title: string;
  readonly full: boolean;
}

/** Prints events, a line each or whole. */
export function printEvents(terminal: Terminal, events: readonly Event[], printing: EventPrinting): void {
  if (printing.full) {
    for (const event of events) printWhole(terminal, event, printing.marks(event));
    return;
  }
  const { paint } = terminal;
  // In a terminal the date stands above its events; in a pipe each line is whole.
  const dateApart = Number.isFinite(terminal.width);
  const marked = events.map((event) => ({ event, mark: printing.marks(event) }));
  const hasMarks = marked.some(({ mark }) => mark.text !== '');
  const isShort = hasMarks && terminal.width < narrowestWhole;
  const [title = '', ...lines] = tableLines({
    width: terminal.width,
    paintTitle: paint.bold,
    columns: [
      { title: 'SEQ', align: 'right' },
      ...(isShort ? [] : [{ title: 'TIME' }]),
      { title: 'AUTHOR', mayCut: true },
      ...(isShort ? [] : [{ title: 'ORIGIN' }]),
      ...(hasMarks ? [{ title: printing.title, mayCut: true }] : []),
      { title: 'EVENT', mayCut: true },
    ],
    rows: marked.map(({ event, mark }) =>
      eventRow(event, { paint, dateApart, isShort, ...(hasMarks ? { mark } : {}) }),
    ),
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

interface EventRow {
  readonly paint: Paint;
  readonly dateApart: boolean;
  readonly isShort: boolean;
  readonly mark?: Required<Cell>;
}

function eventRow(event: Event, row: EventRow): (string | Cell)[] {
  const { paint, isShort, mark } = row;
  const time = timeText(event.timestamp, event.timeZone);
  return [
    { text: String(event.seq), paint: paint.dim },
    ...(isShort ? [] : [{ text: row.dateApart ? time.slice(dateLength + 1) : time, paint: paint.dim }]),
    { text: oneLine(event.author), paint: authorPaint(event, paint) },
    ...(isShort ? [] : [{ text: event.origin, paint: paint.dim }]),
    ...(mark === undefined ? [] : [mark]),
    { text: oneLine(eventText(event)), paint: isFaint(event, mark?.text ?? '') ? paint.dim : String },
  ];
}

function printWhole(terminal: Terminal, event: Event, mark: Required<Cell>): void {
  const { paint } = terminal;
  const pieces: readonly Required<Cell>[] = [
    { text: `#${event.seq}`, paint: paint.dim },
    { text: oneLine(event.author), paint: authorPaint(event, paint) },
    { text: `${timeText(event.timestamp, event.timeZone)} · ${event.origin}`, paint: paint.dim },
    mark,
  ];
  const head = pieces.filter(({ text }) => text !== '');
  const plain = head.map(({ text }) => text).join('  ');
  if (textWidth(plain) <= terminal.width)
    terminal.print(head.map(({ text, paint: colour }) => colour(text)).join('  '));
  else for (const line of wrapHanging(plain, terminal.width)) terminal.print(authorPaint(event, paint)(line));
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
