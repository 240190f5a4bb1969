import type { Coverage } from '../../events/index.ts';
import type { CallLinks } from './call-ledger.ts';
import type { Question } from './find-question.ts';

/** Seqs that neither masking nor the window may take away: pins, what answers pinned calls, the live question. */
export function findKept(coverage: Coverage, links: CallLinks, question: Question | undefined): ReadonlySet<number> {
  const kept = new Set(question?.live ? [question.seq] : []);
  for (const pinned of coverage.pinned) {
    kept.add(pinned);
    for (const seq of links.answersTo(pinned)) kept.add(seq);
  }
  return kept;
}
