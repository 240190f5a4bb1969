import type { Palimpsest } from '../../../engine/index.ts';
import {
  type Coverage,
  type Event,
  estimateTokens,
  foldCoverage,
  type SummaryInForce,
  textOf,
} from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession } from '../choose-session.ts';
import { countText, oneLine, rangesText, tableLines } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { markCell, printEvents } from './print-log.ts';
import { readSeq } from './read-seq.ts';

/** Options of `palimpsest expand`. */
export interface ExpandSessionOptions {
  readonly user?: string;
  /** 0: all. */
  readonly limit: number;
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
    const coverage = foldCoverage(await palimpsest.sessions.readBookkeeping(info.key));
    if (wanted === undefined) listSummaries(terminal, info, coverage);
    else await showCovered(terminal, palimpsest, { info, seq: wanted, coverage, options });
  };
  await withStore(terminal, work, { access: 'read' });
}

function listSummaries(terminal: Terminal, { key }: SessionInfo, { summaries }: Coverage): void {
  const told = summaries.map((summary) => ({ ...summary, text: textOf(summary.compaction.content) }));
  if (terminal.options.json) {
    terminal.json({ session: key, summaries: told.map(({ seq, compaction, text }) => ({ seq, ...compaction, text })) });
    return;
  }
  if (told.length === 0) {
    terminal.note(`Session ${key.sessionId} has no summaries; 'palimpsest compact' makes one.`);
    return;
  }
  const { paint, width } = terminal;
  const lines = tableLines({
    width,
    paintTitle: paint.bold,
    columns: [
      { title: 'SEQ', align: 'right' },
      { title: 'COVERS', mayCut: true },
      { title: 'TOKENS', align: 'right' },
      { title: 'TRIGGER', mayCut: true },
      { title: 'SUMMARY', mayCut: true },
    ],
    rows: told.map(({ seq, compaction, text }) => [
      { text: String(seq), paint: paint.dim },
      rangesText(compaction.covers),
      String(estimateTokens.count(text)),
      { text: oneLine(compaction.trigger), paint: paint.dim },
      oneLine(text),
    ]),
  });
  for (const line of lines) terminal.print(line);
}

interface Covered {
  readonly info: SessionInfo;
  readonly seq: number;
  readonly coverage: Coverage;
  readonly options: ExpandSessionOptions;
}

async function showCovered(
  terminal: Terminal,
  palimpsest: Palimpsest,
  { info, seq, coverage, options }: Covered,
): Promise<void> {
  const { key } = info;
  const { events, isAll } = await readCovered(palimpsest, { info, seq, limit: options.limit });
  const summary: SummaryInForce | undefined = coverage.summaries.find((one) => one.seq === seq);
  if (terminal.options.json) {
    terminal.json({ session: key, seq, isInForce: summary !== undefined, events, isAll });
    return;
  }
  const state = summary === undefined ? 'no longer in force' : 'in force';
  terminal.print(
    terminal.paint.bold(
      `Summary ${seq}, ${state}, stands for ${isAll ? '' : 'more than '}${countText(events.length, 'event')}`,
    ),
  );
  printEvents(terminal, events, {
    marks: (event) => markCell(event, coverage, terminal.paint),
    title: 'BECAME',
    full: options.full === true,
  });
  if (!isAll) terminal.note('Later ones are not shown; --limit 0 shows all.');
}

async function readCovered(
  palimpsest: Palimpsest,
  { info, seq, limit }: Pick<Covered, 'info' | 'seq'> & { readonly limit: number },
): Promise<{ readonly events: readonly Event[]; readonly isAll: boolean }> {
  const events: Event[] = [];
  let cursor: string | undefined;
  do {
    const wanted = limit === 0 ? pageSize : Math.min(pageSize, limit - events.length);
    const page = await palimpsest.expand(info.key, seq, { limit: wanted, ...(cursor && { cursor }) });
    events.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined && (limit === 0 || events.length < limit));
  return { events, isAll: cursor === undefined };
}
