/**
 * Tools: what a model can ask for. tool() makes one with typed arguments; callTool() answers a call, whatever happens;
 * loadMemory(), rememberTool() and forgetTool() give an agent the memory of its user.
 */
export { callTool } from './call-tool.ts';
export { asksForFolds, compactContext } from './compact-context.ts';
export { type ExpandHistoryOptions, expandHistory, looksUpHistory } from './expand-history.ts';
export { forgetTool } from './forget-tool.ts';
export { type JsonSchema, jsonSchemaOf } from './json-schema-of.ts';
export { type LoadMemoryOptions, loadMemory, toldMemoryIds } from './load-memory.ts';
export { pinTool, unpinTool } from './pin-tools.ts';
export { readOutput } from './read-output.ts';
export { rememberTool } from './remember-tool.ts';
export { toldText } from './told-text.ts';
export type {
  AskedFold,
  HistoryOptions,
  ReadArguments,
  ReadHistory,
  ReadonlyRunState,
  RunArtifacts,
  RunState,
  ToldSummary,
  Tool,
  ToolContext,
  ToolHistory,
  ToolMemory,
  ToolOutcome,
} from './tool.ts';
export {
  type ArgumentsOf,
  type DescribedSchema,
  type ToolDefinition,
  type ToolParameters,
  type TypedTool,
  tool,
} from './tool-of.ts';
export { withinTime } from './within-time.ts';
