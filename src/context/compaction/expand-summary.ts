import { PalimpsestError } from '../../errors/index.ts';
import { type Event, isBookkeeping, type Page, rangeAt, type SeqRange, type SessionKey } from '../../events/index.ts';
import { decodeCursor, encodeCursor } from '../../internal/index.ts';
import type { CompactionLog } from './compactor.ts';

const defaultLimit = 100;
const mostItems = 1000;
const cursorKind = 'expand';

/** Which part of what a summary covers is shown. */
export interface ExpandOptions {
  /** 1 to 1,000, default 100. */
  readonly limit?: number;
  readonly cursor?: string;
}

/**
 * A page of the events that a summary covers, as they stand in the log; what the summaries that it took the place of
 * covered is among them. Throws INVALID_ARGUMENT for an event that is no summary, a limit or a cursor that cannot be.
 */
export async function expandSummary(
  log: Pick<CompactionLog, 'read'>,
  key: SessionKey,
  compactionSeq: number,
  options: ExpandOptions = {},
): Promise<Page<Event>> {
  const limit = readLimit(options.limit);
  const covers = await readCovers(log, key, compactionSeq);
  const found: Event[] = [];
  let from = nextCovered(covers, readCursor(options.cursor, compactionSeq));
  const toSeq = covers.at(-1)?.[1] ?? 0;
  while (from !== undefined && found.length <= limit) {
    const page = await log.read(key, { fromSeq: from, toSeq, limit: Math.min(mostItems, limit + 1) });
    found.push(...page.items.filter((event) => rangeAt(covers, event.seq) !== -1 && !isBookkeeping(event)));
    const last = page.items.at(-1);
    from = page.nextCursor === undefined || last === undefined ? undefined : nextCovered(covers, last.seq + 1);
  }
  const next = found[limit];
  if (next === undefined) return { items: found };
  return { items: found.slice(0, limit), nextCursor: encodeCursor([cursorKind, compactionSeq, next.seq]) };
}

async function readCovers(
  log: Pick<CompactionLog, 'read'>,
  key: SessionKey,
  seq: number,
): Promise<readonly SeqRange[]> {
  if (!Number.isSafeInteger(seq) || seq < 1) throw refused('compactionSeq', 'must be a seq: 1, 2, 3 …');
  const { items } = await log.read(key, { fromSeq: seq, toSeq: seq, limit: 1 });
  const covers = items[0]?.actions.compaction?.covers;
  if (covers === undefined) throw refused('compactionSeq', `must be the seq of a summary, which ${seq} is not`);
  return covers;
}

/** The first covered seq from there on. */
function nextCovered(covers: readonly SeqRange[], seq: number): number | undefined {
  const range = covers.find(([, to]) => to >= seq);
  return range && Math.max(range[0], seq);
}

function readLimit(limit = defaultLimit): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= mostItems) return limit;
  throw refused('limit', `must be a whole number from 1 to ${mostItems}`);
}

function readCursor(cursor: string | undefined, compactionSeq: number): number {
  if (cursor === undefined) return 1;
  const [kind, of, next] = decodeCursor(cursor) ?? [];
  if (kind === cursorKind && of === compactionSeq && typeof next === 'number') return next;
  throw refused('cursor', 'is not one that the expansion of this summary returned');
}

function refused(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
