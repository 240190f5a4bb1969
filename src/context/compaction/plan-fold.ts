import { type Event, isBookkeeping, type SeqRange, type SummaryInForce } from '../../events/index.ts';
import { coversOf } from './covers-of.ts';
import { summaryTokens } from './event-tokens.ts';
import { type CutOptions, findCut } from './find-cut.ts';
import { type FoldPlace, type FoldWindow, foldPlaceOf, isSamePlace, isSeenFrom } from './fold-window.ts';
import { defaultSummaryRegion, largestSummary, summariesToMerge } from './summaries-to-merge.ts';
import { type KeptReason, type Survey, surveyWindow } from './survey-window.ts';
import { tellEvent } from './tell-event.ts';

/** What is to be folded, and what for. */
export interface FoldOptions extends CutOptions {
  /** The branch and scope to fold in. Default: where most tokens can be folded. */
  readonly place?: FoldPlace;
  /** Only where this reader sees it: to fold anything else makes no prompt of its shorter. */
  readonly seenBy?: FoldPlace;
  /** So many invocations before the folded ones are read along; they are taken from the window and what is earlier. */
  readonly overlap?: number;
  /** Runs that are under way: none of their events is folded. */
  readonly openInvocations?: ReadonlySet<string>;
  /** The most tokens that summaries in force hold together. Default 8,000. */
  readonly summaryRegion?: number;
}

/** An event that a fold leaves verbatim in the midst of what it covers. */
export interface SteppedOver {
  readonly seq: number;
  readonly why: KeptReason;
}

/** How many tokens a fold is about. */
export interface FoldTokens {
  /** Of the events that are folded. */
  readonly folded: number;
  /** Of the older summaries that are superseded. */
  readonly merged: number;
  /** Of the events of this branch and scope that stay verbatim. */
  readonly stays: number;
}

/** A fold that an append accepts, short of its summary. */
export interface FoldPlan extends FoldPlace {
  /** The events to summarise, in order of seq. */
  readonly events: readonly Event[];
  /** Inclusive, sorted, disjoint: these events, what the superseded summaries cover, and bookkeeping in between. */
  readonly covers: readonly SeqRange[];
  /** Older summaries that the new one takes the place of, in order of where they stand. */
  readonly supersedes: readonly SummaryInForce[];
  /** Read along for the sake of continuity; not covered by this summary. */
  readonly context: readonly Event[];
  readonly steppedOver: readonly SteppedOver[];
  readonly tokens: FoldTokens;
  /** The most tokens that the summary may have. */
  readonly mostTokens: number;
}

/** Why there is no fold: all is covered; or retained, newer than what may be folded, or to be kept; or it says nothing. */
export type NoFold = 'allCovered' | 'retained' | 'nothingSaid';

/** What came of planning a fold. */
export type FoldOutcome =
  | { readonly status: 'plan'; readonly plan: FoldPlan }
  | { readonly status: 'nothingToDo'; readonly why: NoFold }
  /** Open calls, confirmations or authorisations of these events come first. */
  | { readonly status: 'blocked'; readonly by: readonly number[] };

/** A summary need not be shorter than that. */
const shortSummary = 200;

/** A summary has at most this share of the tokens of what it stands for. */
const largestPart = 2;

/**
 * Plans one fold of a live window: which events of one branch and scope to summarise, and what the summary covers. Never
 * folded are pins, the live question, anything of a run that is under way, and calls that wait for an answer, each with
 * what belongs to it. An open call stops the fold, unless its run is over: then it is stepped over.
 */
export function planFold(window: FoldWindow, options: FoldOptions = {}): FoldOutcome {
  const surveys = surveyWindow(window, options.openInvocations).filter((survey) => isWanted(survey.place, options));
  const outcomes = surveys.map((survey) => planPlace(window, survey, options));
  const [best] = outcomes
    .flatMap((outcome) => (outcome.status === 'plan' ? outcome : []))
    .sort((a, b) => b.plan.tokens.folded - a.plan.tokens.folded || firstSeq(a.plan) - firstSeq(b.plan));
  if (best !== undefined) return best;
  const blocked = outcomes.flatMap((outcome) => (outcome.status === 'blocked' ? outcome.by : []));
  // An event may owe several answers.
  if (blocked.length > 0) return { status: 'blocked', by: [...new Set(blocked)].sort((a, b) => a - b) };
  return outcomes.find(({ status }) => status === 'nothingToDo') ?? { status: 'nothingToDo', why: 'allCovered' };
}

function isWanted(at: FoldPlace, { place, seenBy }: FoldOptions): boolean {
  if (place !== undefined && !isSamePlace(at, place)) return false;
  return seenBy === undefined || isSeenFrom(seenBy, at);
}

function firstSeq({ events }: FoldPlan): number {
  return events[0]?.seq ?? 0;
}

function planPlace(window: FoldWindow, survey: Survey, options: FoldOptions): FoldOutcome {
  const [stop] = survey.stops;
  const cut = findCut(survey, stop === undefined ? options : { ...options, below: stop });
  const folded = foldedUpTo(survey, cut);
  if (folded.some(saysSomething)) return { status: 'plan', plan: planOf(window, survey, { folded, options }) };
  const isStopped = stop !== undefined && foldedUpTo(survey, findCut(survey, options)).some(saysSomething);
  if (isStopped) return { status: 'blocked', by: survey.stops };
  return { status: 'nothingToDo', why: folded.length > 0 ? 'nothingSaid' : 'retained' };
}

function foldedUpTo({ events }: Survey, cut: number | undefined): readonly Event[] {
  if (cut === undefined) return [];
  return events.filter(({ kept, wholeAt }) => kept === undefined && wholeAt <= cut).map(({ event }) => event);
}

function saysSomething(event: Event): boolean {
  return tellEvent(event).length > 0;
}

function planOf(
  window: FoldWindow,
  { place, events }: Survey,
  { folded, options }: { readonly folded: readonly Event[]; readonly options: FoldOptions },
): FoldPlan {
  const { summaryRegion = defaultSummaryRegion, overlap = 0 } = options;
  const older = window.coverage.summaries.filter(({ compaction }) => isSamePlace(compaction, place));
  const supersedes = summariesToMerge(older, summaryRegion);
  const isFolded = new Set(folded);
  const staying = events.filter(({ event }) => !isFolded.has(event));
  const last = folded.at(-1)?.seq ?? 0;
  const tokens: FoldTokens = {
    folded: sumOf(events) - sumOf(staying),
    merged: summaryTokens(supersedes),
    stays: sumOf(staying),
  };
  const mostOfSource = Math.floor((tokens.folded + tokens.merged) / largestPart);
  return {
    ...foldPlaceOf(place),
    events: folded,
    covers: coversOf(folded, supersedes, window),
    supersedes,
    context: overlapBefore(window, folded[0], overlap),
    steppedOver: staying
      .filter(({ event }) => event.seq < last)
      .map(({ event, kept = 'pair' }) => ({ seq: event.seq, why: kept })),
    tokens,
    mostTokens: Math.min(largestSummary(summaryRegion), Math.max(shortSummary, mostOfSource)),
  };
}

function sumOf(events: Survey['events']): number {
  return events.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The events of the last invocations before the first that is folded, in the same branch and scope. */
function overlapBefore(window: FoldWindow, first: Event | undefined, invocations: number): readonly Event[] {
  if (first === undefined || invocations === 0) return [];
  const known = new Map([...(window.earlier ?? []), ...window.events].map((event) => [event.seq, event]));
  const before = [...known.values()]
    .filter(
      (event) =>
        event.seq < first.seq &&
        event.invocationId !== first.invocationId &&
        !isBookkeeping(event) &&
        saysSomething(event) &&
        window.coverage.isLive(event.seq) &&
        isSamePlace(event, first),
    )
    .sort((a, b) => a.seq - b.seq);
  const ids = [...new Set(before.map(({ invocationId }) => invocationId))].slice(-invocations);
  return before.filter(({ invocationId }) => ids.includes(invocationId));
}
