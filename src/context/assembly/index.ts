/**
 * What the model sees: assemble() rebuilds the conversation from a session's events, one stage after another, and says
 * what became of each event; a ContextView does the same while the log grows, at the cost of what is new; buildRequest()
 * puts instruction, tools and blocks around it. Pure: no clock, no I/O, no promise.
 */
export { assemble } from './assemble.ts';
export type { Assembly, HiddenWhy, Placement, QuestionEnd, StageCounts } from './assembly.ts';
export { buildRequest } from './build-request.ts';
export { estimateRequest, type ObservedTokens, type RequestTokens } from './estimate-request.ts';
export { type BlockExplanation, explainRequest, type RequestExplanation } from './explain-request.ts';
export type { RequestParts } from './request-parts.ts';
export { SettledFold, settledCount } from './settled-fold.ts';
export type { TokenSum } from './token-sum.ts';
export { validateRequest } from './validators/validate-request.ts';
export { type ContextView, createContextView } from './view/context-view.ts';
