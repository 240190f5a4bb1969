import { type Event, isBookkeeping, type SummaryInForce, toMillis, type View } from '../../events/index.ts';
import type { FoldFacts } from './decide.ts';
import { eventTokens, summaryTokens } from './event-tokens.ts';
import { invocationBegins } from './find-cut.ts';
import { type FoldPlace, type FoldWindow, isSamePlace, isSeenFrom } from './fold-window.ts';
import { type FoldOptions, planFold } from './plan-fold.ts';
import { type Survey, surveyWindow } from './survey-window.ts';
import type { Trigger } from './triggers.ts';

/** What the facts of a window depend on, besides the window. */
export interface FactsInput {
  /** Whose prompt is measured. */
  readonly view: Pick<View, 'agentName' | 'branch' | 'isolationScope'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Tokens of instruction, tools and blocks: counted where no usage tells of them. */
  readonly overheadTokens?: number;
}

/** The facts that a window tells by itself. */
export type WindowFacts = Pick<
  FoldFacts,
  'newInvocations' | 'promptTokens' | 'secondsSinceEvent' | 'secondsSinceRequest' | 'foldable'
>;

/** Reads from a live window what a decision about folding needs to know of it. */
export function readFacts(
  window: FoldWindow,
  triggers: readonly Trigger[],
  {
    view,
    now,
    overheadTokens = 0,
    ...fold
  }: FactsInput & Pick<FoldOptions, 'place' | 'openInvocations' | 'summaryRegion'>,
): WindowFacts {
  const newest = window.events.findLast((event) => !isBookkeeping(event));
  const request = window.events.findLast((event) => isRequestOf(event, view));
  const rentOrBuy = triggers.find(({ kind }) => kind === 'rentOrBuy');
  const outcome =
    rentOrBuy?.kind === 'rentOrBuy' ? planFold(window, { ...fold, seenBy: view, retain: rentOrBuy.retain }) : undefined;
  return {
    newInvocations: countNewInvocations(window, { ...fold, seenBy: view }),
    promptTokens: promptTokens(window, view, { request, overheadTokens }),
    ...(newest === undefined ? {} : { secondsSinceEvent: secondsSince(newest, now) }),
    ...(request === undefined ? {} : { secondsSinceRequest: secondsSince(request, now) }),
    ...(outcome?.status === 'plan' ? { foldable: outcome.plan.tokens } : {}),
  };
}

function isRequestOf({ author, usage }: Event, { agentName }: FactsInput['view']): boolean {
  return author === agentName && usage?.inputTokens !== undefined;
}

function secondsSince({ recordedAt }: Event, now: number): number {
  return Math.max(0, (now - toMillis(recordedAt)) / 1000);
}

/** Of the branch and scope where most stands uncovered, unless it is named; runs that are under way do not count. */
function countNewInvocations(
  window: FoldWindow,
  { place, openInvocations, seenBy }: Pick<FoldOptions, 'place' | 'openInvocations'> & { readonly seenBy: FoldPlace },
): number {
  const surveys = surveyWindow(window, openInvocations).filter((one) => isSeenFrom(seenBy, one.place));
  const survey = place === undefined ? largest(surveys) : surveys.find((one) => isSamePlace(one.place, place));
  if (survey === undefined) return 0;
  const covered = lastCovered(window, survey.place);
  const begins = invocationBegins(survey.events).flatMap((index) => survey.events[index]?.event ?? []);
  return begins.filter(({ seq, invocationId }) => seq > covered && !openInvocations?.has(invocationId)).length;
}

function largest(surveys: readonly Survey[]): Survey | undefined {
  const sizes = surveys.map(({ events }) => events.reduce((sum, { tokens }) => sum + tokens, 0));
  return surveys[sizes.indexOf(Math.max(...sizes))];
}

function lastCovered({ coverage }: FoldWindow, place: FoldPlace): number {
  const covers = coverage.summaries.flatMap(({ compaction }) =>
    isSamePlace(compaction, place) ? compaction.covers : [],
  );
  return Math.max(0, ...covers.map(([, to]) => to));
}

/**
 * Tokens of an agent's requests that are no conversation, such as instruction and tools: what the provider counted of the
 * last one, less an estimate of the conversation in it. `undefined` where nothing was counted since the last summary.
 */
export function observedOverhead(window: FoldWindow, view: FactsInput['view']): number | undefined {
  const request = window.events.findLast((event) => isRequestOf(event, view));
  const counted = countedOf(window, request);
  if (request === undefined || counted === undefined) return undefined;
  const { live, summaries } = shownTo(view, window);
  return Math.max(0, counted - summaryTokens(summaries) - sumOf(live.filter(({ seq }) => seq < request.seq)));
}

/**
 * What the provider counted of the agent's last request and an estimate of what came since. Where nothing was counted, or
 * a summary has taken the place of some of it, all that stands in the window is estimated.
 */
function promptTokens(
  window: FoldWindow,
  view: FactsInput['view'],
  { request, overheadTokens }: { readonly request: Event | undefined; readonly overheadTokens: number },
): number {
  const { live, summaries } = shownTo(view, window);
  const counted = countedOf(window, request);
  if (request !== undefined && counted !== undefined)
    return counted + sumOf(live.filter(({ seq }) => seq >= request.seq));
  return overheadTokens + summaryTokens(summaries) + sumOf(live);
}

/** What the provider counted of a request, if no summary was made since. */
function countedOf({ coverage }: FoldWindow, request: Event | undefined): number | undefined {
  const newestSummary = Math.max(0, ...coverage.summaries.map(({ seq }) => seq));
  return request === undefined || request.seq < newestSummary ? undefined : request.usage?.inputTokens;
}

/** The part of a window that stands in an agent's prompt. */
function shownTo(
  view: FactsInput['view'],
  { events, coverage }: FoldWindow,
): { readonly live: readonly Event[]; readonly summaries: readonly SummaryInForce[] } {
  const isSeen = (one: FoldPlace) => isSeenFrom(view, one);
  return {
    live: events.filter((event) => !isBookkeeping(event) && coverage.isLive(event.seq) && isSeen(event)),
    summaries: coverage.summaries.filter(({ compaction }) => isSeen(compaction)),
  };
}

function sumOf(events: readonly Event[]): number {
  return events.reduce((total, event) => total + eventTokens(event), 0);
}
