import type { Palimpsest } from '../../../engine/index.ts';
import { PalimpsestError } from '../../../errors/index.ts';
import { type Coverage, type Event, foldCoverage, type Instant, type Provider } from '../../../events/index.ts';
import type { SessionInfo } from '../../../sessions/index.ts';
import { chooseSession } from '../choose-session.ts';
import { countText } from '../display/index.ts';
import { withStore } from '../open-store.ts';
import type { Terminal } from '../terminal.ts';
import { compareRequests } from './compare-requests.ts';
import { nextRequest, requestAt, requestPair, type ShownRequest } from './find-request.ts';
import { newestEvents } from './newest-events.ts';
import { placementCell } from './placement-text.ts';
import { printDifference } from './print-difference.ts';
import { markCell, printEvents, printHead } from './print-log.ts';
import { printOverview } from './print-overview.ts';
import { printRequest } from './print-request.ts';
import { requestJson } from './request-json.ts';

/** Options of `palimpsest show`. */
export interface ShowOptions {
  readonly user?: string;
  readonly context?: boolean;
  /** Seq of the event whose request is shown, as it was typed. */
  readonly at?: string;
  /** Two of them, whose requests are compared. */
  readonly diff?: readonly string[];
  /** Implies `context`, as the next option does. */
  readonly agent?: string;
  /** Default `gemini`. */
  readonly provider?: Provider;
  /** 0: all. */
  readonly limit: number;
  readonly full?: boolean;
}

/** Shows a session's log, what a request makes of it, or what changed between two requests. */
export async function showSession(terminal: Terminal, session: string, options: ShowOptions): Promise<void> {
  const pair = options.diff === undefined ? undefined : readPair(options.diff);
  const work = async (palimpsest: Palimpsest) => {
    const info = await chooseSession(palimpsest, { session, userId: options.user });
    if (pair !== undefined) return showDifference(terminal, palimpsest, { info, pair, options });
    await showLog(terminal, palimpsest, { info, shown: await requestOf(palimpsest, info, options), options });
  };
  await withStore(terminal, work, { access: 'read' });
}

/** The request that the options ask for, if they ask for one. */
async function requestOf(
  palimpsest: Palimpsest,
  info: SessionInfo,
  options: ShowOptions,
): Promise<ShownRequest | undefined> {
  if (options.at !== undefined) {
    const asked = { seq: options.at, option: '--at', example: (seq: number) => `--at ${seq}` };
    return requestAt(palimpsest, info, { asked, whom: options });
  }
  const isAsked = options.context === true || options.agent !== undefined || options.provider !== undefined;
  return isAsked ? nextRequest(palimpsest, info, options) : undefined;
}

interface LogShown {
  readonly info: SessionInfo;
  readonly shown: ShownRequest | undefined;
  readonly options: ShowOptions;
}

async function showLog(terminal: Terminal, palimpsest: Palimpsest, { info, shown, options }: LogShown): Promise<void> {
  const { limit } = options;
  const newest = shown?.throughSeq ?? info.version;
  const events = await newestEvents(palimpsest, info.key, { limit, toSeq: newest });
  // What came later is no news of a request that could not see it.
  const bookkeeping = await palimpsest.sessions.readBookkeeping(info.key);
  const coverage = foldCoverage(bookkeeping.filter(({ seq }) => seq <= newest));
  if (terminal.options.json) {
    terminal.json(toJson({ info, events, coverage, shown }));
    return;
  }
  printHead(terminal, info, await lastActivity(palimpsest, info));
  if (shown !== undefined) {
    terminal.print('');
    printOverview(terminal, shown);
  }
  if (newest > events.length) {
    terminal.note(`${countText(newest - events.length, 'earlier event')} not shown; --limit 0 shows all.`);
  }
  const full = options.full === true;
  const marks = (event: Event) =>
    shown === undefined
      ? markCell(event, coverage, terminal.paint)
      : placementCell(shown.request.explain(event.seq), terminal.paint);
  printEvents(terminal, events, { marks, title: shown === undefined ? 'MARKS' : 'PLACEMENT', full });
  if (shown === undefined) return;
  terminal.print('');
  const { agentName, provider, request } = shown;
  const printed = { ...request, memories: [], tokens: request.explanation.tokens };
  const { assembly } = request;
  printRequest(terminal, printed, { agentName, provider, full, limit, memoriesAbove: false, assembly });
}

/** When the newest event of a session took place, which of an imported one is not when it was appended. */
async function lastActivity(palimpsest: Palimpsest, info: SessionInfo): Promise<Instant> {
  const [newest] = await newestEvents(palimpsest, info.key, { limit: 1 });
  return newest?.timestamp ?? info.updatedAt;
}

function toJson({
  info,
  events,
  coverage,
  shown,
}: Pick<LogShown, 'info' | 'shown'> & { events: readonly Event[]; coverage: Coverage }) {
  const told = events.map((event) => ({
    ...event,
    live: coverage.isLive(event.seq),
    coveredBy: coverage.coveredBy(event.seq),
    pinned: coverage.pinned.has(event.seq) || undefined,
    placement: shown?.request.explain(event.seq),
  }));
  return { session: info, events: told, ...(shown === undefined ? {} : { request: requestJson(shown) }) };
}

async function showDifference(
  terminal: Terminal,
  palimpsest: Palimpsest,
  {
    info,
    pair,
    options,
  }: { readonly info: SessionInfo; readonly pair: readonly [string, string]; readonly options: ShowOptions },
): Promise<void> {
  const askedOf = (place: 0 | 1) => ({
    seq: pair[place],
    option: '--diff',
    example: (seq: number) => `--diff ${place === 0 ? `${seq} ${pair[1]}` : `${pair[0]} ${seq}`}`,
  });
  const shown = await requestPair(palimpsest, info, { asked: [askedOf(0), askedOf(1)], whom: options });
  const [first, second] = shown;
  const difference = compareRequests(first, second);
  if (terminal.options.json) {
    terminal.json({ session: info, first: requestJson(first), second: requestJson(second), difference });
    return;
  }
  printHead(terminal, info, await lastActivity(palimpsest, info));
  terminal.print('');
  printDifference(terminal, shown, difference, { full: options.full === true, limit: options.limit });
}

function readPair([first, second]: readonly string[]): readonly [string, string] {
  if (first !== undefined && second !== undefined) return [first, second];
  const reason = 'takes the seqs of two events, behind the session: palimpsest show <session> --diff 12 20';
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: '--diff', reason });
}
