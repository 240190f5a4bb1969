/**
 * Compaction: createCompactor() folds old events of a log into summaries and shows again what these cover. What may be
 * folded and when, how it is shown to a summariser, and what of its answer is taken are decided by pure functions: they
 * keep no state, read no clock and wait for nothing.
 */
export { checkSummary } from './check-summary.ts';
export { compactionInput } from './compaction-input.ts';
export type {
  AgentRequest,
  ComingRequest,
  CompactionFor,
  CompactionLog,
  CompactionOutcome,
  CompactOptions,
  Compactor,
  CompactorOptions,
  InvocationReport,
  OngoingInvocation,
  SentRequest,
  SummaryWait,
  TrimSettings,
} from './compactor.ts';
export { createCompactor } from './create-compactor.ts';
export {
  ceilingOf,
  decide,
  freshTriggerState,
} from './decide.ts';
export { type ExpandOptions, expandSummary } from './expand-summary.ts';
export type { Retain } from './find-cut.ts';
export type { FoldPrices } from './fold-costs.ts';
export { foldPricesOf } from './fold-prices.ts';
export type { FoldWindow } from './fold-window.ts';
export {
  type FoldPlan,
  type NoFold,
  planFold,
} from './plan-fold.ts';
export { readFacts } from './read-facts.ts';
export { tellEvent } from './tell-event.ts';
export {
  type IdleTrigger,
  idle,
  type ModelDrivenTrigger,
  modelDriven,
  type RentOrBuyTrigger,
  rentOrBuy,
  type TaskCompleteTrigger,
  type ThresholdTrigger,
  type Trigger,
  taskComplete,
  threshold,
  type WindowTrigger,
  window,
} from './triggers.ts';
