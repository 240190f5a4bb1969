import type { Coverage } from '../../events/index.ts';
import type { Question } from './find-question.ts';
import type { CallLinks } from './link-calls.ts';

/** Seqs that neither masking nor the window may take away: pins, what answers pinned calls, the live question. */
export function findKept(coverage: Coverage, links: CallLinks, question: Question | undefined): ReadonlySet<number> {
  const { pinned } = coverage;
  if (pinned.size === 0) return new Set(question?.live ? [question.seq] : []);
  const kept = new Set(pinned);
  for (const responses of links.responses) {
    for (const { event, call } of responses) if (call !== undefined && pinned.has(call.event.seq)) kept.add(event.seq);
  }
  if (question?.live) kept.add(question.seq);
  return kept;
}
