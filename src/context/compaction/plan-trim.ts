import { type Event, type EventInput, estimateTokens, functionResponses } from '../../events/index.ts';
import { countPoints, cutText } from './cut-text.ts';
import { firstRetained, type Retain } from './find-cut.ts';
import type { FoldPrices } from './fold-costs.ts';
import type { FoldWindow } from './fold-window.ts';
import { surveyWindow } from './survey-window.ts';
import { textOfResult } from './tell-event.ts';

/** What is to be trimmed, and what speaks for it. */
export interface TrimOptions {
  /** How many code points of a result are still shown. */
  readonly keepChars: number;
  /** What stays whole, in each branch and scope. */
  readonly retain: Retain;
  /** A result is cut only if that spares so many tokens. Default 200. */
  readonly leastTokens?: number;
  readonly openInvocations?: ReadonlySet<string>;
  /** The prefix is broken anyway, so that trimming costs nothing. */
  readonly isBreak?: boolean;
  /** What has been paid so far for sending again what could be trimmed. */
  readonly rent?: number;
  readonly prices?: Pick<FoldPrices, 'readFactor' | 'writeFactor'>;
}

/** Which results to show cut. */
export interface TrimPlan {
  /** Seqs of the events with these results, in order. */
  readonly seqs: readonly number[];
  readonly keepChars: number;
  /** Tokens that a request is spared, estimated. */
  readonly tokens: number;
}

/** What came of planning a trim. */
export type TrimOutcome =
  | { readonly status: 'plan'; readonly plan: TrimPlan }
  | { readonly status: 'nothingToDo' }
  /** It does not pay yet: what one more request adds to the rent, and at what rent it does. */
  | { readonly status: 'wait'; readonly rentPerRequest: number; readonly price: number };

const defaultLeastTokens = 200;

/**
 * Plans to show old tool results cut: uncovered ones that are neither retained nor pinned nor of a run that is under way.
 * At a break that happens anyway all of them, else once sending them again has cost as much as writing anew what stands
 * behind the first of them.
 */
export function planTrim(window: FoldWindow, options: TrimOptions): TrimOutcome {
  const { keepChars, retain, openInvocations, isBreak = false, rent = 0, prices } = options;
  const surveys = surveyWindow(window, openInvocations);
  const spared = new Map<number, number>();
  for (const { events } of surveys) {
    const newest = firstRetained(events, retain);
    for (const { event, kept } of events) {
      if (event.seq >= newest || kept === 'pinned' || kept === 'running') continue;
      const tokens = sparedBy(event, { ...options, shown: window.coverage.trimmed.get(event.seq) });
      if (tokens > 0) spared.set(event.seq, tokens);
    }
  }
  const seqs = [...spared.keys()].sort((a, b) => a - b);
  const tokens = [...spared.values()].reduce((sum, one) => sum + one, 0);
  const [first] = seqs;
  if (first === undefined) return { status: 'nothingToDo' };
  if (isBreak) return { status: 'plan', plan: { seqs, keepChars, tokens } };
  if (prices === undefined) return { status: 'nothingToDo' };
  const behind = surveys.flatMap(({ events }) => events.filter(({ event }) => event.seq >= first));
  const rewritten = behind.reduce((sum, one) => sum + one.tokens, -tokens);
  const price = (prices.writeFactor - prices.readFactor) * Math.max(0, rewritten);
  if (rent >= price) return { status: 'plan', plan: { seqs, keepChars, tokens } };
  return { status: 'wait', rentPerRequest: prices.readFactor * tokens, price };
}

/** The event that has the results of a plan shown cut. */
export function trimInput({ seqs, keepChars }: TrimPlan): EventInput {
  return { author: 'system', actions: { trim: { seqs, keepChars } } };
}

/** Tokens that cutting the results of an event spares, if that is enough. */
function sparedBy(
  { content }: Event,
  { keepChars, leastTokens = defaultLeastTokens, shown }: TrimOptions & { readonly shown: number | undefined },
): number {
  if (shown !== undefined && shown <= keepChars) return 0;
  let tokens = 0;
  for (const { response } of functionResponses(content)) {
    const text = cutText(textOfResult(response), shown ?? Number.POSITIVE_INFINITY).text;
    if (countPoints(text) <= keepChars) continue;
    tokens += estimateTokens.count(text) - estimateTokens.count(cutText(text, keepChars).text);
  }
  return tokens >= leastTokens ? tokens : 0;
}
