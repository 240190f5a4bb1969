import {
  buyingPrice,
  type ExpectedFold,
  expectFold,
  type FoldPrices,
  isWorthwhile,
  paysWhenCold,
  sparedBy,
} from './fold-costs.ts';
import type { FoldOptions, FoldTokens } from './plan-fold.ts';
import { defaultSummaryRegion, largestSummary } from './summaries-to-merge.ts';
import type { RentOrBuyTrigger, ThresholdTrigger, Trigger, TriggerKind, WindowTrigger } from './triggers.ts';

/** What is known when it is decided whether to fold. What is left out is not known, and fires nothing. */
export interface FoldFacts {
  /** Invocations that are newer than the last covered one. */
  readonly newInvocations: number;
  /** Tokens of the next prompt: the last that was observed of this agent and what came since, never a sum of several. */
  readonly promptTokens?: number;
  /** From so many tokens on, a prompt is folded whatever it costs: see ceilingOf. */
  readonly ceilingTokens?: number;
  /** Since the newest event of the conversation. */
  readonly secondsSinceEvent?: number;
  /** Since the agent's last request. */
  readonly secondsSinceRequest?: number;
  /** The next thing that happens is a request of the agent. */
  readonly isBeforeRequest?: boolean;
  /** The run goes on: its next request will find the prefix warm. */
  readonly isWithinRun?: boolean;
  readonly isTaskComplete?: boolean;
  /** The model asks for a fold. */
  readonly asked?: { readonly throughSeq?: number };
  /** What the fold of `rentOrBuy` would be about: from a plan with its `retain`. */
  readonly foldable?: FoldTokens;
  /** Requests since the last decision. */
  readonly requests?: number;
  /** How many are expected before the next decision. Default: as many as came since the last. */
  readonly requestsAhead?: number;
  /** How many of them came so late that the prefix was gone and had to be written anew. Default 0. */
  readonly coldRequests?: number;
  readonly prices?: FoldPrices;
  /** The most tokens that summaries in force hold together. Default 8,000. */
  readonly summaryRegion?: number;
}

/** What is remembered from one decision to the next. */
export interface TriggerState {
  /** What has been paid for sending foldable tokens again. */
  readonly rent: number;
  /** Tokens of which a fold would have spared the requests that have come since. Absent: none. */
  readonly spared?: number;
  /** Fired because of the prompt's size, which has not fallen below that limit since: it does not fire again till then. */
  readonly waitsBelow?: 'threshold' | 'ceiling';
}

/** The state before anything has happened. */
export const freshTriggerState: TriggerState = Object.freeze({ rent: 0 });

/** Which trigger fires, with what fold. */
export interface FiredTrigger {
  readonly trigger: TriggerKind | 'ceiling';
  readonly fold: FoldOptions;
  /** The state to go on with if the fold is made; if it is not, the decision's own. */
  readonly stateAfter: TriggerState;
}

/** What was decided. */
export interface FoldDecision {
  readonly state: TriggerState;
  /** Absent if nothing is to be folded. */
  readonly fires?: FiredTrigger;
}

const ceilingShare = 0.9;

/** The size of prompts, for a model with such a context window, at which folding can wait no longer. */
export function ceilingOf(contextWindow: number): number {
  return Math.floor(ceilingShare * contextWindow);
}

/** What is folded at the ceiling stays within an invocation if need be. */
const tailAtCeiling = 6000;

/** Where limits are so low, a summary still has room for a few sentences. */
const smallestRegion = 400;

/**
 * Within a run a fold has to pay twice: after the reply people pause, and where the prefix is gone by the next request,
 * nothing is written anew for the fold.
 */
const withinRunFactor = 2;

/** Which trigger fires first if several do. */
const order: readonly TriggerKind[] = ['threshold', 'modelDriven', 'taskComplete', 'window', 'rentOrBuy', 'idle'];

/**
 * Decides whether to fold now: the first trigger that fires, the threshold before the others, and at the ceiling a fold
 * whether or not one fires. At most one fires. A fold because of the prompt's size is not asked for again before the
 * prompt was below the limit.
 */
export function decide(triggers: readonly Trigger[], facts: FoldFacts, before = freshTriggerState): FoldDecision {
  const state = { ...stillWaiting(before, triggers, facts), ...rentNow(before, triggers, facts) };
  const inOrder = [...triggers].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  for (const trigger of inOrder) {
    const fold = firing(trigger, facts, state);
    if (fold === undefined) continue;
    const waitsBelow = trigger.kind === 'threshold' ? 'threshold' : state.waitsBelow;
    return { state, fires: { trigger: trigger.kind, fold, stateAfter: stateAfter(waitsBelow) } };
  }
  if (!isAtCeiling(facts) || state.waitsBelow === 'ceiling') return { state };
  return { state, fires: foldAtCeiling(facts) };
}

/** The fold that the hard ceiling asks for. */
export function foldAtCeiling(facts: Pick<FoldFacts, 'ceilingTokens' | 'summaryRegion'>): FiredTrigger {
  const { ceilingTokens = 0 } = facts;
  const tokens = Math.max(1, Math.min(tailAtCeiling, Math.floor(ceilingTokens / 4)));
  const fold = { retain: { tokens }, ...regionBelow(ceilingTokens, facts) };
  return { trigger: 'ceiling', fold, stateAfter: stateAfter('ceiling') };
}

/** Summaries leave room below a limit, or no fold could bring the prompt there. */
function regionBelow(
  limit: number,
  { summaryRegion = defaultSummaryRegion }: Pick<FoldFacts, 'summaryRegion'>,
): FoldOptions {
  return { summaryRegion: Math.min(summaryRegion, Math.max(smallestRegion, Math.floor(limit / 2))) };
}

function stateAfter(waitsBelow: TriggerState['waitsBelow']): TriggerState {
  return { rent: 0, ...(waitsBelow === undefined ? {} : { waitsBelow }) };
}

/** What is left of the waiting, now that the prompt is as large as it is. */
function stillWaiting(
  { waitsBelow }: TriggerState,
  triggers: readonly Trigger[],
  facts: FoldFacts,
): Pick<TriggerState, 'waitsBelow'> {
  if (waitsBelow === undefined) return {};
  if (waitsBelow === 'ceiling' && isAtCeiling(facts)) return { waitsBelow };
  const { promptTokens = Number.POSITIVE_INFINITY } = facts;
  const isAbove = triggers.some((trigger) => trigger.kind === 'threshold' && promptTokens >= trigger.tokens);
  return isAbove ? { waitsBelow: 'threshold' } : {};
}

function isAtCeiling({ promptTokens = 0, ceilingTokens = Number.POSITIVE_INFINITY }: FoldFacts): boolean {
  return promptTokens >= ceilingTokens;
}

function rentNow(
  before: TriggerState,
  triggers: readonly Trigger[],
  facts: FoldFacts,
): Omit<TriggerState, 'waitsBelow'> {
  const trigger = triggers.find(({ kind }) => kind === 'rentOrBuy');
  const fold = trigger?.kind === 'rentOrBuy' ? expectedFold(trigger, facts) : undefined;
  if (fold === undefined) return { rent: before.rent };
  const spared = sparedBy(fold);
  return { rent: before.rent + rentSince(before, facts, spared), spared };
}

/**
 * What requests have paid since the last decision for tokens that a fold would have spared them: the first of them for
 * those of then, the later ones for what had grown on to those of now, evenly. Cold ones are taken for first ones.
 */
function rentSince({ spared = 0 }: TriggerState, facts: FoldFacts, now: number): number {
  const { prices, requests = 0, coldRequests = 0 } = facts;
  if (prices === undefined || requests === 0) return 0;
  const { readFactor, writeFactor } = prices;
  const grown = (Math.max(0, now - spared) * (requests - 1)) / 2;
  return readFactor * (requests * spared + grown) + Math.max(0, writeFactor - readFactor) * coldRequests * spared;
}

/** What the fold of `rentOrBuy` is expected to be; `undefined` where there is nothing to fold. */
export function expectedFold(
  { summaryShare }: RentOrBuyTrigger,
  { foldable, summaryRegion = defaultSummaryRegion }: FoldFacts,
): ExpectedFold | undefined {
  return foldable && expectFold(foldable, summaryShare, largestSummary(summaryRegion));
}

/** What a trigger wants folded, if it fires. */
function firing(trigger: Trigger, facts: FoldFacts, state: TriggerState): FoldOptions | undefined {
  switch (trigger.kind) {
    case 'threshold':
      return firesAtThreshold(trigger, facts, state)
        ? { retain: trigger.retain, ...regionBelow(trigger.tokens, facts) }
        : undefined;
    case 'modelDriven':
      return facts.asked && { retain: trigger.retain, ...facts.asked };
    case 'taskComplete':
      return facts.isTaskComplete === true ? { between: 'invocations', retain: trigger.retain } : undefined;
    case 'window':
      return firingWindow(trigger, facts);
    case 'rentOrBuy':
      return firesToBuy(trigger, facts, state) ? { retain: trigger.retain } : undefined;
    case 'idle':
      return (facts.secondsSinceEvent ?? 0) >= trigger.seconds
        ? { between: 'invocations', retain: trigger.retain }
        : undefined;
  }
}

function firesAtThreshold(
  { tokens }: ThresholdTrigger,
  { promptTokens = 0 }: FoldFacts,
  { waitsBelow }: TriggerState,
): boolean {
  return waitsBelow === undefined && promptTokens >= tokens;
}

function firingWindow({ interval, overlap }: WindowTrigger, { newInvocations }: FoldFacts): FoldOptions | undefined {
  if (newInvocations < interval) return undefined;
  return { between: 'invocations', most: { invocations: interval }, overlap };
}

/**
 * Once the rent has reached the price, or is nearer to it now than it will be when it is decided next, after as many
 * requests again; before a request for which the prefix is written anew, whenever it pays at once.
 */
function firesToBuy(trigger: RentOrBuyTrigger, facts: FoldFacts, { rent }: TriggerState): boolean {
  const {
    prices,
    requests = 0,
    requestsAhead = requests,
    isBeforeRequest = false,
    isWithinRun = false,
    secondsSinceRequest = 0,
  } = facts;
  const fold = expectedFold(trigger, facts);
  if (fold === undefined || prices === undefined || !isWorthwhile(fold)) return false;
  const isCold = isBeforeRequest && secondsSinceRequest > prices.ttlSeconds;
  const ahead = (prices.readFactor * sparedBy(fold) * Math.max(0, requestsAhead - 1)) / 2;
  const price = buyingPrice(fold, prices) * (isWithinRun ? withinRunFactor : 1);
  return rent + ahead >= price || (isCold && paysWhenCold(fold, prices));
}
