/**
 * Agents: createInvocationDriver() joins any loop that calls models to the log; createAgent() is the loop of our own
 * over it.
 */
export type {
  Agent,
  AgentCallbacks,
  AgentOptions,
  CallbackContext,
  DocumentsContext,
  InstructionContext,
  PartialEvent,
  RunEvent,
  RunInput,
} from './agent-options.ts';
export { type AgentParts, createAgent } from './create-agent.ts';
export { type ClosableDriver, createInvocationDriver, type DriverParts } from './create-invocation-driver.ts';
export type {
  BeginInvocation,
  FinishReport,
  Invocation,
  InvocationDriver,
  OnBusy,
  PreparedRequest,
  RecallOptions,
  RequestInput,
} from './invocation-driver.ts';
export { observedTokens } from './observed-tokens.ts';
export { openOrCreate } from './open-or-create.ts';
export type { CachePolicy } from './plan-cache.ts';
export { rebuildRequest } from './rebuild-request.ts';
export { recallMemories } from './recall-memories.ts';
export { recalledBlock } from './recalled-block.ts';
export type { RequestLimits, RunCompaction, RunReport } from './run-compaction.ts';
export { asksForFolds } from './tools/index.ts';
export { type TurnEvent, turnEvent } from './turn-event.ts';
export { wholeJournal } from './whole-journal.ts';
