import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import { type Event, estimateTokens, foldCoverage, type SessionKey } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession } from '../choose-session.ts';
import { CommandFailure } from '../command-failure.ts';
import { countText, eventText, oneLine, tableLines, timeText } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { printTitle } from './print-lines.ts';
import { narrowestWhole, printEvents } from './print-log.ts';
import { readSeqs } from './read-seq.ts';

/** Options of `palimpsest pins`. */
export interface PinEventsOptions {
  readonly user?: string;
  /** Seqs, as they were typed. */
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly full?: boolean;
}

/** What is to be pinned and unpinned. */
interface Marks {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** An event that is pinned. */
interface Pinned {
  readonly event: Event;
  readonly tokens: number;
  /** The event that pinned it, the newest of them. */
  readonly by: Event | undefined;
}

/** Pins and unpins events, and lists those that are pinned: they stay word for word in every request. */
export async function pinEvents(terminal: Terminal, session: string, options: PinEventsOptions): Promise<void> {
  const marks = readMarks(options);
  const isChange = marks.add.length + marks.remove.length > 0;
  const work = async (palimpsest: Palimpsest) => {
    const info = await chooseSession(palimpsest, { session, userId: options.user });
    if (isChange) await mark(terminal, palimpsest, info, marks);
    await listPins(terminal, palimpsest, info.key, options.full === true);
  };
  await withStore(terminal, work, { access: isChange ? 'write' : 'read' });
}

function readMarks(options: PinEventsOptions): Marks {
  const add = options.add === undefined ? [] : readSeqs('--add', options.add);
  const remove = options.remove === undefined ? [] : readSeqs('--remove', options.remove);
  const both = add.find((seq) => remove.includes(seq));
  if (both === undefined) return { add, remove };
  const reason = `names event ${both}, which --remove names too; leave it out of one of them`;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: '--add', reason });
}

/** All or nothing. What is as it should be already is not noted in the log again; what is no event is refused. */
async function mark(terminal: Terminal, palimpsest: Palimpsest, info: SessionInfo, wanted: Marks): Promise<void> {
  const { key, version } = info;
  const { pinned } = foldCoverage(await palimpsest.sessions.readBookkeeping(key));
  const add = wanted.add.filter((seq) => !pinned.has(seq));
  const idle = wanted.remove.filter((seq) => !pinned.has(seq) && seq <= version);
  const remove = wanted.remove.filter((seq) => !idle.includes(seq));
  const marks = [
    ...(remove.length === 0 ? [] : [{ unpin: { seqs: remove } }]),
    ...(add.length === 0 ? [] : [{ pin: { seqs: add } }]),
  ];
  if (marks.length > 0) {
    try {
      await palimpsest.sessions.append(
        key,
        marks.map((actions) => ({ author: 'system', actions })),
      );
    } catch (error) {
      throw new CommandFailure(error, {}, "'palimpsest show <session>' lists the events with their seqs.");
    }
  }
  if (idle.length > 0) terminal.note(`Not pinned, so not unpinned: ${idle.join(', ')}.`);
}

async function listPins(terminal: Terminal, palimpsest: Palimpsest, key: SessionKey, full: boolean): Promise<void> {
  const pins = await readPins(palimpsest, key);
  if (terminal.options.json) {
    terminal.json({
      session: key,
      pins: pins.map(({ event, tokens, by }) => ({
        ...event,
        tokens: event.tokens ?? { n: tokens, by: 'estimate' },
        pinnedBy: by?.seq,
      })),
    });
    return;
  }
  if (pins.length === 0) {
    terminal.note(`Session ${key.sessionId} has no pins; --add 3,7 pins events 3 and 7.`);
    return;
  }
  const count = pins.length === 1 ? '1 event stays word for word' : `${pins.length} events stay word for word`;
  const sum = pins.reduce((total, { tokens }) => total + tokens, 0);
  printTitle(terminal, count, `about ${countText(sum, 'token')} of each request`);
  if (full) printWhole(terminal, pins);
  else printTable(terminal, pins);
}

async function readPins(palimpsest: Palimpsest, key: SessionKey): Promise<readonly Pinned[]> {
  const bookkeeping = await palimpsest.sessions.readBookkeeping(key);
  const { pinned, isLive } = foldCoverage(bookkeeping);
  const pins: Pinned[] = [];
  for (const seq of [...pinned].sort((a, b) => a - b)) {
    const { items } = await palimpsest.sessions.read(key, { fromSeq: seq, toSeq: seq });
    const by = bookkeeping.findLast((event) => isLive(event.seq) && event.actions.pin?.seqs.includes(seq) === true);
    for (const event of items) {
      const tokens = event.tokens?.n ?? estimateTokens.count(eventText(event));
      pins.push({ event, tokens, by });
    }
  }
  return pins;
}

function printWhole(terminal: Terminal, pins: readonly Pinned[]): void {
  const marks = new Map(
    pins.map(({ event, tokens, by }) => [event.seq, `${countText(tokens, 'token')}, pinned by #${by?.seq}`]),
  );
  const events = pins.map(({ event }) => event);
  const { paint } = terminal;
  printEvents(terminal, events, {
    marks: ({ seq }) => ({ text: marks.get(seq) ?? '', paint: paint.yellow }),
    title: '',
    full: true,
  });
}

function printTable(terminal: Terminal, pins: readonly Pinned[]): void {
  const { paint, width } = terminal;
  const isShort = width < narrowestWhole;
  const lines = tableLines({
    width,
    paintTitle: paint.bold,
    columns: [
      { title: 'SEQ', align: 'right' },
      { title: 'AUTHOR', mayCut: true },
      { title: 'TOKENS', align: 'right' },
      ...(isShort ? [] : [{ title: 'PINNED' }, { title: 'BY' }]),
      { title: 'EVENT', mayCut: true },
    ],
    rows: pins.map(({ event, tokens, by }) => [
      { text: String(event.seq), paint: paint.dim },
      { text: oneLine(event.author), paint: event.origin === 'user' ? paint.cyan : paint.green },
      tokens.toLocaleString('en'),
      ...(isShort
        ? []
        : [
            { text: by === undefined ? '' : timeText(by.timestamp, by.timeZone), paint: paint.dim },
            { text: by === undefined ? '' : `#${by.seq}`, paint: paint.dim },
          ]),
      oneLine(eventText(event)),
    ]),
  });
  for (const line of lines) terminal.print(line);
}
