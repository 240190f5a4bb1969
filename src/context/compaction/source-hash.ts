import { canonicalJson, sha256 } from '../../internal/index.ts';
import type { FoldWindow } from './fold-window.ts';
import type { FoldPlan } from './plan-fold.ts';
import { surveyWindow } from './survey-window.ts';

type Source = Pick<FoldPlan, 'branch' | 'isolationScope' | 'events' | 'supersedes'>;

/** SHA-256 of what a summary is made from: the events that it covers and the older summaries that it takes the place of. */
export function sourceHash({ branch, isolationScope, events, supersedes }: Source): string {
  const summaries = supersedes.map(({ seq, compaction }) => ({ seq, content: compaction.content }));
  const covered = events.map((event) => {
    const { seq, id, author, timestamp, content, inputTranscription, outputTranscription } = event;
    return { seq, id, author, timestamp, content, inputTranscription, outputTranscription };
  });
  return sha256(canonicalJson({ branch, isolationScope, events: covered, summaries }));
}

/**
 * True if what a plan was made from has changed since, so that its summary must not be appended: an event was rewound,
 * erased, pinned, covered by another summary or answered anew, belongs to a run that has begun, or a summary that it
 * supersedes is no longer in force.
 */
export function isStale(
  plan: FoldPlan,
  window: FoldWindow,
  { openInvocations }: { readonly openInvocations?: ReadonlySet<string> } = {},
): boolean {
  const surveyed = surveyWindow(window, openInvocations).flatMap(({ events }) => events);
  const known = new Map(surveyed.map((one) => [one.event.seq, one]));
  const last = plan.events.at(-1)?.seq ?? 0;
  const events = plan.events.flatMap(({ seq }) => {
    const now = known.get(seq);
    return now === undefined || now.kept !== undefined || now.wholeAt > last ? [] : now.event;
  });
  const seqs = new Set(plan.supersedes.map(({ seq }) => seq));
  const supersedes = window.coverage.summaries.filter(({ seq }) => seqs.has(seq));
  const inOrder = plan.supersedes.flatMap(({ seq }) => supersedes.find((summary) => summary.seq === seq) ?? []);
  return sourceHash({ ...plan, events, supersedes: inOrder }) !== sourceHash(plan);
}
