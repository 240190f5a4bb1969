import { PalimpsestError } from '../errors/index.ts';
import {
  type Event,
  foldCoverage,
  normalizeRanges,
  type Page,
  parseId,
  type SeqRange,
  type SessionKey,
  subtractRanges,
} from '../events/index.ts';
import { decodeCursor, encodeCursor } from '../internal/index.ts';
import { requireHead } from './commit-loop.ts';
import type { SessionParts } from './session-parts.ts';
import type { ReadOptions } from './session-service.ts';

/** The most items one page can have. */
export const maxPageSize = 1000;

const defaultPageSize = 100;
const newest = Number.MAX_SAFE_INTEGER;

/** One page of a log as it stands. */
export async function readEvents(
  parts: SessionParts,
  key: SessionKey,
  options: ReadOptions = {},
): Promise<Page<Event>> {
  await requireHead(parts, key);
  return readPage(parts, key, options, [window(options)]);
}

/** One page of a log without what rewinds hide and without bookkeeping. */
export async function readEffectiveEvents(
  parts: SessionParts,
  key: SessionKey,
  options: ReadOptions = {},
): Promise<Page<Event>> {
  await requireHead(parts, key);
  const bookkeeping = await parts.store.rows({ key, kind: 'bookkeeping' });
  const own = bookkeeping.map((event): SeqRange => [event.seq, event.seq]);
  const left = normalizeRanges([...foldCoverage(bookkeeping).hidden, ...own]);
  return readPage(parts, key, options, subtractRanges([window(options)], left));
}

/** Checks a page size: 1 to 1,000. Throws INVALID_ARGUMENT. */
export function parseLimit(limit: number | undefined, fallback: number): number {
  if (limit === undefined) return fallback;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'limit',
      reason: `must be a whole number from 1 to ${maxPageSize}`,
    });
  }
  return limit;
}

async function readPage(
  parts: SessionParts,
  key: SessionKey,
  options: ReadOptions,
  ranges: readonly SeqRange[],
): Promise<Page<Event>> {
  const limit = parseLimit(options.limit, defaultPageSize);
  if (ranges.length === 0) return { items: [] };
  const newestFirst = options.newestFirst === true;
  const found = await parts.store.rows({
    key,
    ranges,
    newestFirst,
    limit: limit + 1,
    ...(options.invocationId === undefined ? {} : { invocationId: parseId(options.invocationId, 'invocationId') }),
  });
  if (found.length <= limit) return { items: found };
  const next = found[limit]?.seq ?? 0;
  return { items: found.slice(0, limit), nextCursor: encodeCursor([newestFirst ? 'newest' : 'oldest', next]) };
}

function window(options: ReadOptions): SeqRange {
  const from = parseSeq(options.fromSeq, 'fromSeq', 1);
  const to = parseSeq(options.toSeq, 'toSeq', newest);
  if (options.cursor === undefined) return [from, to];
  const [direction, next] = decodeCursor(options.cursor) ?? [];
  const wanted = options.newestFirst ? 'newest' : 'oldest';
  if (direction !== wanted || typeof next !== 'number') {
    throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'cursor', reason: 'is not one that this read returned' });
  }
  return options.newestFirst ? [from, Math.min(to, next)] : [Math.max(from, next), to];
}

function parseSeq(value: number | undefined, argument: string, fallback: number): number {
  if (value === undefined) return fallback;
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: 'must be a seq: 0, 1, 2 …' });
  }
  return value;
}
