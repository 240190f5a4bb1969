import { PalimpsestError } from '../errors/index.ts';
import {
  type Compaction,
  type Coverage,
  type Event,
  intersectRanges,
  isBookkeeping,
  normalizeRanges,
  type Outline,
  OutlineFold,
  type Rewind,
  type SeqRange,
  type SummaryInForce,
  subtractRanges,
} from '../events/index.ts';
import type { LogView } from './log-view.ts';

/**
 * Checks a compaction that is to stand at `seq` and works out its outline. Throws INVALID_COMPACTION unless every event
 * it names is live, below it, of exactly its branch and isolation scope, and named by no summary in force but those it
 * supersedes whole. What those name has been checked and outlined before and is not read again.
 */
export async function checkCompaction(log: LogView, seq: number, compaction: Compaction): Promise<Outline> {
  const last = compaction.covers.at(-1)?.[1] ?? 0;
  if (last >= seq) throw refused(`names event ${last}, which is not below its own place ${seq}`, last);
  const coverage = await log.coverage();
  const superseded = checkSuperseded(compaction, coverage);
  const own = normalizeRanges((await log.bookkeeping()).map((event): SeqRange => [event.seq, event.seq]));
  const hidden = subtractRanges(intersectRanges(compaction.covers, coverage.hidden), own)[0];
  if (hidden) throw refused(`names event ${hidden[0]}, which a rewind hides`, hidden[0]);
  for (const { compaction: older } of superseded)
    checkPlace(older, subtractRanges(older.covers, own)[0]?.[0] ?? 0, compaction);
  const outlined = superseded.filter((older) => older.compaction.outline !== undefined);
  const known = normalizeRanges(outlined.flatMap((older) => older.compaction.covers));
  const fold = new OutlineFold();
  let named = superseded.length;
  for await (const event of log.events(subtractRanges(compaction.covers, known))) {
    fold.add(event);
    if (isBookkeeping(event)) continue;
    named++;
    checkPlace(event, event.seq, compaction);
  }
  if (named === 0) throw refused('names no event of the conversation');
  return fold.outline(
    compaction.covers,
    outlined.flatMap((older) => older.compaction.outline ?? []),
  );
}

type Place = Pick<Event, 'branch' | 'isolationScope'>;

/** Throws unless an event, or all that an older summary names, is of the compaction's own branch and isolation scope. */
function checkPlace(named: Place, seq: number, compaction: Compaction): void {
  if (named.branch !== compaction.branch) throw refused(`names event ${seq}, which is of another branch`, seq);
  if (named.isolationScope !== compaction.isolationScope) {
    throw refused(`names event ${seq}, which is of another isolation scope`, seq);
  }
}

/** Finds where a rewind starts. Throws INVALID_REWIND if the invocation is not in the log or is the initial state. */
export async function resolveRewind(log: LogView, rewind: Rewind): Promise<Rewind> {
  const { beforeInvocationId: invocationId } = rewind;
  const first = await log.firstOf(invocationId);
  if (first === undefined)
    throw new PalimpsestError('INVALID_REWIND', { invocationId, reason: 'it is not in this log' });
  if (isInitialState(first)) {
    throw new PalimpsestError('INVALID_REWIND', {
      invocationId,
      reason: 'it is the initial state, which no rewind reaches',
    });
  }
  return Object.freeze({ ...rewind, fromSeq: first.seq });
}

/** Checks what a pin, unpin or trim names. Throws INVALID_PIN unless each is a live event of the conversation. */
export async function checkMarks(log: LogView, seqs: readonly number[]): Promise<void> {
  const coverage = await log.coverage();
  const missing = new Set(seqs);
  for await (const event of log.events(normalizeRanges(seqs.map((seq): SeqRange => [seq, seq])))) {
    missing.delete(event.seq);
    if (isBookkeeping(event))
      throw new PalimpsestError('INVALID_PIN', { seq: event.seq, reason: 'is bookkeeping, not conversation' });
    if (!coverage.isLive(event.seq))
      throw new PalimpsestError('INVALID_PIN', { seq: event.seq, reason: 'is hidden by a rewind' });
  }
  for (const seq of missing) throw new PalimpsestError('INVALID_PIN', { seq, reason: 'is not in this log' });
}

function isInitialState(event: Event): boolean {
  return event.seq === 1 && event.origin === 'system' && event.content === undefined && !isBookkeeping(event);
}

/** The summaries in force that the compaction supersedes. */
function checkSuperseded(compaction: Compaction, coverage: Coverage): readonly SummaryInForce[] {
  const superseded = new Set(compaction.supersedes);
  for (const summary of coverage.summaries) {
    const isSuperseded = superseded.delete(summary.seq);
    const covers = summary.compaction.covers;
    const shared = intersectRanges(compaction.covers, covers)[0];
    if (!isSuperseded && shared) {
      throw refused(
        `names event ${shared[0]}, which summary ${summary.seq} names and this one does not supersede`,
        shared[0],
        summary.seq,
      );
    }
    const left = isSuperseded ? subtractRanges(covers, compaction.covers)[0] : undefined;
    if (left)
      throw refused(
        `supersedes ${summary.seq} without containing event ${left[0]}, which that one names`,
        left[0],
        summary.seq,
      );
  }
  for (const seq of superseded) throw refused(`supersedes ${seq}, which is no summary in force`, undefined, seq);
  return coverage.summaries.filter(({ seq }) => compaction.supersedes?.includes(seq));
}

function refused(reason: string, seq?: number, by?: number): PalimpsestError {
  const where = { ...(seq === undefined ? {} : { seq }), ...(by === undefined ? {} : { by }) };
  return new PalimpsestError('INVALID_COMPACTION', { reason, ...where });
}
