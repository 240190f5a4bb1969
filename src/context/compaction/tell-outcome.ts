import type { SessionKey } from '../../events/index.ts';
import type { Logger, Telemetry } from '../../models/index.ts';
import type { CompactionOutcome } from './compactor.ts';

/** Tells a logger what came of a fold, unless nothing did. */
export function tellOutcome(logger: Logger, { sessionId }: SessionKey, outcome: CompactionOutcome): void {
  if (outcome.status === 'compacted') {
    const { seq, actions, customMetadata } = outcome.event;
    const { compaction, trim } = actions;
    if (trim !== undefined)
      logger.info('Old results of tools are shown cut.', { sessionId, seq, count: trim.seqs.length });
    else
      logger.info('Events were folded into a summary.', {
        sessionId,
        seq,
        trigger: compaction?.trigger ?? '',
        ...customMetadata,
      });
  } else if (outcome.status === 'blocked') {
    logger.warn('Nothing can be folded before what is open is answered.', { sessionId, by: outcome.by });
  } else if (outcome.status === 'failed') {
    const { code, message } = outcome.error;
    logger.warn('No summary was made; nothing was folded.', { sessionId, code, message });
  } else if (outcome.status === 'stale') {
    logger.debug('A fold was given up, since the log went another way.', { sessionId });
  }
}

/** Counts what came of a fold that was tried. */
export function countOutcome(
  telemetry: Pick<Telemetry, 'count'>,
  { status }: CompactionOutcome,
  trigger: string | undefined,
): void {
  if (status === 'nothingToDo') return;
  telemetry.count?.('palimpsest.compaction.folds', 1, {
    outcome: status,
    ...(trigger === undefined ? {} : { trigger }),
  });
}
