import { isPalimpsestError } from '../errors/index.ts';
import {
  type Coverage,
  type Event,
  foldCoverage,
  intersectRanges,
  rangeAt,
  type SeqRange,
  type SessionKey,
  subtractRanges,
} from '../events/index.ts';
import type { MemoryService, SessionSource } from '../memory/service/index.ts';
import type { SessionInfo, SessionService } from '../sessions/index.ts';

const batchSize = 200;

/** The two services that ingestion joins. */
export interface IngestParts {
  readonly sessions: SessionService;
  readonly memory: MemoryService;
}

/**
 * Lets memory read a session's log from its watermark to the end. Any number of processes may do so at once: each step
 * is applied by one of them. A session that is gone, or goes meanwhile, leaves nothing behind.
 */
export async function ingestLog(parts: IngestParts, key: SessionKey): Promise<void> {
  for (;;) {
    const session = await parts.sessions.open(key);
    if (session === undefined) return;
    const source = sourceOf(session);
    const fromSeq = (await parts.memory.watermark(source)) ?? session.forkedFrom?.atSeq ?? 0;
    try {
      if (fromSeq >= session.version) return await parts.sessions.noteIngested(key, session.incarnation, fromSeq);
      await ingestSteps(parts, session, source, fromSeq);
    } catch (error) {
      if (!isPalimpsestError(error, 'WATERMARK_MOVED') && !isPalimpsestError(error, 'SESSION_NOT_FOUND')) throw error;
    }
    await forgetIfGone(parts, session, source);
  }
}

/** Where memories of a session belong. */
export function sourceOf({ key, incarnation, projectId }: SessionInfo): SessionSource {
  return { ...key, incarnation, ...(projectId === undefined ? {} : { projectId }) };
}

/**
 * Reads from the watermark to the newest event, batch by batch. After each step memory holds what was live when the log
 * ended there, whatever follows, so that whoever goes on from a watermark knows what stands. Copied events of a fork
 * belong to the session that they were copied from.
 */
async function ingestSteps(
  parts: IngestParts,
  session: SessionInfo,
  source: SessionSource,
  watermark: number,
): Promise<void> {
  const { key, version } = session;
  const first = (session.forkedFrom?.atSeq ?? 0) + 1;
  const bookkeeping = await parts.sessions.readBookkeeping(key);
  const coverageAt = (seq: number) => foldCoverage(bookkeeping.filter((event) => event.seq <= seq));
  let before = coverageAt(watermark);
  for (let fromSeq = watermark; fromSeq < version; ) {
    const toSeq = Math.min(fromSeq + batchSize, version);
    const after = coverageAt(toSeq);
    const read: SeqRange[] = first <= fromSeq ? [[first, fromSeq]] : [];
    const retract = intersectRanges(read, subtractRanges(after.hidden, before.hidden));
    const restored = intersectRanges(read, subtractRanges(before.hidden, after.hidden));
    const events = await readRanges(parts, key, [...restored, [fromSeq + 1, toSeq]], after);
    await parts.memory.ingest({ source, fromSeq, toSeq, events, retract });
    before = after;
    fromSeq = toSeq;
  }
}

async function readRanges(
  parts: IngestParts,
  key: SessionKey,
  ranges: readonly SeqRange[],
  coverage: Coverage,
): Promise<Event[]> {
  const events: Event[] = [];
  for (const [fromSeq, toSeq] of subtractRanges(ranges, coverage.hidden)) {
    for (let cursor: string | undefined; ; ) {
      const page = await parts.sessions.read(key, { fromSeq, toSeq, limit: batchSize, ...(cursor ? { cursor } : {}) });
      events.push(...page.items.filter(({ seq }) => rangeAt(coverage.hidden, seq) === -1));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
  }
  return events;
}

/** A deletion cannot see what is about to be learnt; so what was learnt looks whether its source still stands. */
async function forgetIfGone(parts: IngestParts, session: SessionInfo, source: SessionSource): Promise<void> {
  const now = await parts.sessions.open(session.key);
  if (now?.incarnation === session.incarnation) return;
  const { appName, userId } = session.key;
  await parts.memory.delete({ appName, userId }, { sessionId: source.sessionId, incarnation: source.incarnation });
}
