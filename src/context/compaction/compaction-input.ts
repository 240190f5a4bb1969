import { type EventInput, modelText, type Usage } from '../../events/index.ts';
import { foldPlaceOf } from './fold-window.ts';
import type { FoldPlan } from './plan-fold.ts';
import { sourceHash } from './source-hash.ts';

/** What a summary's event tells of how it came about. */
export interface SummaryOrigin {
  /** What made the fold happen. */
  readonly trigger: string;
  /** The model that wrote it. */
  readonly model: string;
  readonly usage?: Usage;
}

/** The event that puts a summary, as checkSummary accepted it, in the place of what the plan covers. */
export function compactionInput(plan: FoldPlan, summary: string, { trigger, model, usage }: SummaryOrigin): EventInput {
  const { covers, supersedes } = plan;
  return {
    author: 'system',
    actions: {
      compaction: {
        ...foldPlaceOf(plan),
        covers,
        content: modelText(summary),
        trigger,
        sourceHash: sourceHash(plan),
        summarizer: { model, usage: usage ?? {} },
        ...(supersedes.length === 0 ? {} : { supersedes: supersedes.map(({ seq }) => seq) }),
      },
    },
  };
}
