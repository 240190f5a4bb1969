import type { AdkCompaction } from './adk-records.ts';
import { isProse } from './content.ts';
import { type Coverage, foldCoverage } from './coverage.ts';
import type { Compaction, Event } from './event.ts';
import { intersectRanges, normalizeRanges, type SeqRange, subtractRanges } from './ranges.ts';

/** An event of a session that comes from ADK, as far as summaries are concerned. */
export interface AdkLogEntry {
  readonly seq: number;
  /** As ADK wrote it, in the unit of the records. */
  readonly timestamp: number;
  readonly branch?: string;
  readonly isolationScope?: string;
  /** Set if the event is a rewind: the first seq that it hides. */
  readonly rewindFromSeq?: number;
}

/** A summary, and the place in the session of the event that it came in. */
export interface AdkRecord {
  readonly seq: number;
  readonly branch?: string;
  readonly isolationScope?: string;
  readonly compaction: Pick<AdkCompaction, 'start' | 'end' | 'content' | 'besideRewind'>;
}

/** What a record of timestamps is in seqs: a compaction that append accepts, or why there is none. */
export type AdkCompactionOutcome =
  | { readonly seq: number; readonly valid: true; readonly compaction: Compaction }
  | { readonly seq: number; readonly valid: false; readonly reason: string };

/**
 * Turns the summaries of a whole session from ranges of timestamps into ranges of seqs, in order of seq. A summary covers
 * what stands before it in its time range, live and of exactly its branch and isolation scope. Of two that overlap in
 * part the later one is clipped; an older one that is contained whole is superseded. `entries` are all events, in order
 * of seq, those that the records came in included.
 */
export function adkCompactionsToSeqs(
  records: readonly AdkRecord[],
  entries: readonly AdkLogEntry[],
): readonly AdkCompactionOutcome[] {
  const own = new Set(records.map(({ seq }) => seq));
  const conversation = entries.filter((entry) => !own.has(entry.seq) && entry.rewindFromSeq === undefined);
  const rewinds = entries.flatMap(({ seq, rewindFromSeq: fromSeq }) =>
    fromSeq === undefined ? [] : { seq, actions: { rewind: { beforeInvocationId: '', fromSeq } } },
  );
  const placed: Bookkeeping[] = [];
  return [...records]
    .sort((a, b) => a.seq - b.seq)
    .map((record) => {
      const before = [...rewinds, ...placed].filter(({ seq }) => seq < record.seq).sort((a, b) => a.seq - b.seq);
      const outcome = place(record, conversation, foldCoverage(before));
      if (outcome.valid) placed.push({ seq: record.seq, actions: { compaction: outcome.compaction } });
      return outcome;
    });
}

type Bookkeeping = Pick<Event, 'seq' | 'actions'>;

function place(record: AdkRecord, entries: readonly AdkLogEntry[], coverage: Coverage): AdkCompactionOutcome {
  const { seq, branch, isolationScope } = record;
  const { start, end, content, besideRewind } = record.compaction;
  const refuse = (reason: string): AdkCompactionOutcome => ({ seq, valid: false, reason });
  if (besideRewind) return refuse('stands beside a rewind');
  if (!isProse(content)) return refuse('holds no prose');
  if (start === undefined || end === undefined) return refuse('lacks a bound of its time range');
  if (start > end) return refuse('ends before it starts');
  const wanted = normalizeRanges(
    entries
      .filter((entry) => entry.seq < seq && entry.branch === branch && entry.isolationScope === isolationScope)
      .filter((entry) => entry.timestamp >= start && entry.timestamp <= end && coverage.isLive(entry.seq))
      .map((entry): SeqRange => [entry.seq, entry.seq]),
  );
  if (wanted.length === 0) return refuse('covers no live event of its branch and isolation scope');
  const { covers, supersedes } = clip(wanted, coverage);
  if (covers.length === 0) return refuse('covers only what older summaries cover, and none of them whole');
  const compaction: Compaction = {
    covers,
    content,
    ...(branch === undefined ? {} : { branch }),
    ...(isolationScope === undefined ? {} : { isolationScope }),
    ...(supersedes.length === 0 ? {} : { supersedes }),
    trigger: 'import',
    sourceHash: '',
  };
  return { seq, valid: true, compaction };
}

/** Takes out what summaries in force cover, unless one is contained whole, which is then superseded. */
function clip(wanted: readonly SeqRange[], coverage: Coverage): { covers: SeqRange[]; supersedes: number[] } {
  let covers: SeqRange[] = [...wanted];
  const supersedes: number[] = [];
  for (const { seq, compaction } of coverage.summaries) {
    if (subtractRanges(compaction.covers, wanted).length === 0) supersedes.push(seq);
    else if (intersectRanges(covers, compaction.covers).length > 0) covers = subtractRanges(covers, compaction.covers);
  }
  return { covers, supersedes };
}
