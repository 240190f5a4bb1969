import type { SessionKey } from '../../events/index.ts';
import type { Logger } from '../../models/index.ts';
import type { CompactionOutcome } from './compactor.ts';

/** Tells a logger what came of a fold, unless nothing did. */
export function tellOutcome(logger: Logger, { sessionId }: SessionKey, outcome: CompactionOutcome): void {
  if (outcome.status === 'compacted') {
    const { seq, actions, customMetadata } = outcome.event;
    const trigger = actions.compaction?.trigger ?? '';
    logger.info('Events were folded into a summary.', { sessionId, seq, trigger, ...customMetadata });
  } else if (outcome.status === 'blocked') {
    logger.warn('Nothing can be folded before what is open is answered.', { sessionId, by: outcome.by });
  } else if (outcome.status === 'failed') {
    const { code, message } = outcome.error;
    logger.warn('No summary was made; nothing was folded.', { sessionId, code, message });
  } else if (outcome.status === 'stale') {
    logger.debug('A fold was given up, since the log went another way.', { sessionId });
  }
}
