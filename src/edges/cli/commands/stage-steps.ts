import type { Assembly, HiddenWhy, Placement, StageCounts } from '../../../context/assembly/index.ts';
import type { Event } from '../../../events/index.ts';
import { countText } from '../display/index.ts';

/** One step from the log to the conversation of a request, in words. */
export interface StageStep {
  /** How many are left, and of what: `11 live`. */
  readonly left: string;
  /** What became of the others; empty for the log itself. */
  readonly why: string;
}

/** What the steps are told from. */
export interface StagedRequest {
  readonly assembly: Pick<Assembly, 'sources'>;
  readonly explanation: { readonly counts: StageCounts };
  readonly events: readonly Pick<Event, 'seq'>[];
  explain(seq: number): Placement;
}

const summariesNamed = 5;
const orphanWhys: readonly HiddenWhy[] = ['orphanCall', 'orphanResponse'];

const whyTexts = {
  rewound: (n) => `${n} rewound`,
  bookkeeping: (n) => `${n} about the log itself`,
  branch: (n) => `${n} on ${n === 1 ? 'a branch' : 'branches'} that the agent does not see`,
  scope: (n) => `${n} in ${n === 1 ? 'another isolation scope' : 'other isolation scopes'}`,
  empty: (n) => `${n} that ${n === 1 ? 'says' : 'say'} nothing to the model`,
  auth: (n) => `${n} about credentials or confirmations`,
  window: (n) => `${n} before the history window`,
  orphanCall: (n) => `${countText(n, 'call')} without an answer`,
  orphanResponse: (n) => `${countText(n, 'result')} without a call`,
} as const satisfies { readonly [why in HiddenWhy]: (count: number) => string };

/**
 * How the events of a log become the contents of a conversation: first the log, then each stage that took something
 * away, or brought something back, with its reasons.
 */
export function stageSteps(request: StagedRequest, logLength: number): StageStep[] {
  const { counts } = request.explanation;
  const read = tallyOf(request.events, request);
  let left = logLength;
  const step = (next: number, unit: string, why: (lost: number) => string): StageStep[] => {
    const lost = left - next;
    left = next;
    return lost === 0 ? [] : [{ left: `${next.toLocaleString('en')} ${unit}`, why: why(lost) }];
  };
  const hidden = (whys: readonly HiddenWhy[]) => (lost: number) => whyHidden(read, whys, lost);
  return [
    { left: `${countText(logLength, 'event')} in the log`, why: '' },
    ...step(counts.events, 'that need to be read', () => whyUnread(request, logLength)),
    ...step(counts.live, 'live', hidden(['rewound', 'bookkeeping'])),
    ...step(counts.visible, 'seen by the agent', hidden(['branch', 'scope', 'empty'])),
    ...step(counts.unmasked, 'remain', () => whyMasked(read)),
    ...step(counts.spoken, 'with something to say', hidden(['auth', 'empty'])),
    ...step(counts.inWindow, 'in the history window', hidden(['window'])),
    ...step(counts.recovered, 'with calls that came back', () => 'their results are still here'),
    ...turnSteps(request, read),
  ];
}

/** The steps behind the events: turns, pieces of them, contents. */
function turnSteps({ assembly, explanation }: StagedRequest, read: Tally): StageStep[] {
  const { recovered, turns, narrated, paired, contents } = explanation.counts;
  const isOpened = assembly.sources[0]?.length === 0;
  const joined = paired + (isOpened ? 1 : 0) - contents;
  const orphans = orphanWhys.reduce((sum, why) => sum + (read.hidden.get(why) ?? 0), 0);
  const reasons: readonly (string | false)[] = [
    turns < recovered && `${countText(recovered - turns, 'piece')} of transcripts joined`,
    narrated < turns && `${turns - narrated} of other agents without anything to retell`,
    orphans > 0 && whyHidden(read, orphanWhys, orphans),
    paired !== narrated - orphans && 'results put behind their calls',
    joined > 0 && `${joined} joined with ${joined === 1 ? 'a neighbour' : 'neighbours'} of the same side`,
    isOpened && "a constant opening on the user's side added",
  ];
  return [{ left: countText(contents, 'content'), why: reasons.filter((reason) => reason !== false).join(', ') }];
}

/** How many of some events are hidden for which reason, and how many stand behind which summary. */
interface Tally {
  readonly hidden: ReadonlyMap<HiddenWhy, number>;
  readonly masked: ReadonlyMap<number, number>;
}

function tallyOf(events: Iterable<Pick<Event, 'seq'>>, request: Pick<StagedRequest, 'explain'>): Tally {
  const hidden = new Map<HiddenWhy, number>();
  const masked = new Map<number, number>();
  for (const { seq } of events) {
    const placement = request.explain(seq);
    if (placement.outcome === 'hidden') hidden.set(placement.why, (hidden.get(placement.why) ?? 0) + 1);
    if (placement.outcome === 'masked') masked.set(placement.by, (masked.get(placement.by) ?? 0) + 1);
  }
  return { hidden, masked };
}

function whyUnread(request: StagedRequest, logLength: number): string {
  const read = new Set(request.events.map(({ seq }) => seq));
  const all = Array.from({ length: logLength }, (_, index) => ({ seq: index + 1 }));
  const tally = tallyOf(
    all.filter(({ seq }) => !read.has(seq)),
    request,
  );
  return [whyMasked(tally), whyHidden(tally, ['rewound'], logLength)].filter((why) => why !== '').join(', ');
}

/** The reasons of so many events; a reason that several stages give has what the ones before it leave. */
function whyHidden({ hidden }: Tally, whys: readonly HiddenWhy[], lost: number): string {
  let rest = lost;
  const told = whys.map((why) => {
    const count = Math.min(rest, hidden.get(why) ?? 0);
    rest -= count;
    return count === 0 ? '' : whyTexts[why](count);
  });
  return told.filter((text) => text !== '').join(', ');
}

function whyMasked({ masked }: Tally): string {
  if (masked.size === 0) return '';
  const seqs = [...masked.keys()].sort((a, b) => a - b);
  const count = [...masked.values()].reduce((sum, n) => sum + n, 0);
  const shown = seqs.slice(0, summariesNamed).join(', ') + (seqs.length > summariesNamed ? ' …' : '');
  return `${count.toLocaleString('en')} behind ${seqs.length === 1 ? 'summary' : 'summaries'} ${shown}`;
}
