import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import { type Event, estimateTokens, foldCoverage, type SessionKey, textOf } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession } from '../choose-session.ts';
import { CommandFailure } from '../command-failure.ts';
import { countText, oneLine, rangesText, shellCommand, tableLines, timeText } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { countCovered } from './print-fold.ts';
import { printTitle } from './print-lines.ts';
import { markCell, narrowestWhole, printEvents } from './print-log.ts';
import { readSeq } from './read-seq.ts';

/** Options of `palimpsest expand`. */
export interface ExpandSessionOptions {
  readonly user?: string;
  /** 0: all. */
  readonly limit: number;
  readonly all?: boolean;
  readonly full?: boolean;
}

const pageSize = 1000;

/** Shows the events that a summary stands for; without one, the summaries in force. */
export async function expandSession(
  terminal: Terminal,
  session: string,
  seq: string | undefined,
  options: ExpandSessionOptions,
): Promise<void> {
  const wanted = seq === undefined ? undefined : readSeq('seq', seq);
  const work = async (palimpsest: Palimpsest) => {
    const info = await chooseSession(palimpsest, { session, userId: options.user });
    const bookkeeping = await palimpsest.sessions.readBookkeeping(info.key);
    if (wanted === undefined) listSummaries(terminal, info, bookkeeping);
    else await showCovered(terminal, palimpsest, { info, seq: wanted, bookkeeping, options });
  };
  await withStore(terminal, work, { access: 'read' });
}

function listSummaries(terminal: Terminal, { key, timeZone }: SessionInfo, bookkeeping: readonly Event[]): void {
  const times = new Map(bookkeeping.map(({ seq, timestamp }) => [seq, timestamp]));
  const told = foldCoverage(bookkeeping).summaries.map(({ seq, compaction }) => {
    const text = textOf(compaction.content);
    const events = countCovered(compaction, bookkeeping);
    return { seq, timestamp: times.get(seq) ?? '', compaction, events, tokens: estimateTokens.count(text), text };
  });
  if (terminal.options.json) {
    terminal.json({ session: key, summaries: told.map(({ compaction, ...facts }) => ({ ...compaction, ...facts })) });
    return;
  }
  if (told.length === 0) {
    terminal.note(`Session ${key.sessionId} has no summaries; 'palimpsest compact' makes one.`);
    return;
  }
  const { paint, width } = terminal;
  const isShort = width < narrowestWhole;
  const lines = tableLines({
    width,
    paintTitle: paint.bold,
    columns: [
      { title: 'SEQ', align: 'right' },
      ...(isShort ? [] : [{ title: 'TIME' }]),
      { title: 'COVERS', mayCut: true },
      { title: 'TOKENS', align: 'right' },
      ...(isShort ? [] : [{ title: 'TRIGGER', mayCut: true }]),
      { title: 'SUMMARY', mayCut: true },
    ],
    rows: told.map(({ seq, timestamp, compaction, tokens, text }) => [
      { text: String(seq), paint: paint.dim },
      ...(isShort ? [] : [{ text: timeText(timestamp, timeZone), paint: paint.dim }]),
      rangesText(compaction.covers),
      tokens.toLocaleString('en'),
      ...(isShort ? [] : [{ text: oneLine(compaction.trigger), paint: paint.dim }]),
      oneLine(text.trimStart().split('\n')[0] ?? ''),
    ]),
  });
  for (const line of lines) terminal.print(line);
}

interface Covered {
  readonly info: SessionInfo;
  readonly seq: number;
  readonly bookkeeping: readonly Event[];
  readonly options: ExpandSessionOptions;
}

async function showCovered(
  terminal: Terminal,
  palimpsest: Palimpsest,
  { info, seq, bookkeeping, options }: Covered,
): Promise<void> {
  const { key } = info;
  const compaction = bookkeeping.find((event) => event.seq === seq)?.actions.compaction;
  if (compaction === undefined) throw noSummary(info, seq);
  const { events, isAll } = await readCovered(palimpsest, {
    key,
    seq,
    limit: options.all === true ? 0 : options.limit,
  });
  const coverage = foldCoverage(bookkeeping);
  const isInForce = coverage.summaries.some((one) => one.seq === seq);
  if (terminal.options.json) {
    terminal.json({ session: key, seq, isInForce, events, isAll });
    return;
  }
  const state = isInForce ? 'in force' : 'no longer in force';
  const count = countText(countCovered(compaction, bookkeeping), 'event');
  printTitle(terminal, `Summary ${seq}, ${state}, stands for ${count}`);
  const inThis = `in summary ${seq}`;
  printEvents(terminal, events, {
    // That they are in this one goes without saying.
    marks: (event) => {
      const mark = markCell(event, coverage, terminal.paint);
      return mark.text === inThis ? { text: '', paint: String } : mark;
    },
    title: 'BECAME',
    full: options.full === true,
  });
  if (!isAll) terminal.note('Later ones are not shown; --all shows all.');
}

function noSummary({ key: { sessionId }, version }: SessionInfo, seq: number): CommandFailure {
  const reason =
    seq > version
      ? `is ${seq}, but the session has ${countText(version, 'event')}`
      : `must be that of a summary, which event ${seq} is not`;
  const command = shellCommand(['palimpsest', 'expand', sessionId], Number.POSITIVE_INFINITY);
  const error = new PalimpsestError('INVALID_ARGUMENT', { argument: 'seq', reason });
  return new CommandFailure(error, {}, `The summaries are listed by: ${command.join(' ')}`);
}

async function readCovered(
  palimpsest: Palimpsest,
  { key, seq, limit }: { readonly key: SessionKey; readonly seq: number; readonly limit: number },
): Promise<{ readonly events: readonly Event[]; readonly isAll: boolean }> {
  const events: Event[] = [];
  let cursor: string | undefined;
  do {
    const wanted = limit === 0 ? pageSize : Math.min(pageSize, limit - events.length);
    const page = await palimpsest.expand(key, seq, { limit: wanted, ...(cursor && { cursor }) });
    events.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && (limit === 0 || events.length < limit));
  return { events, isAll: cursor === undefined };
}
