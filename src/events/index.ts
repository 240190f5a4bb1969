/**
 * The words that every other folder speaks: events and what they carry, keys and scopes, the view of a reader, and the
 * one rule for what is live, visible and covered. Pure: no clock, no I/O, no promise.
 */
export type { Clock } from '../internal/index.ts';
export {
  type AdkCompactionOutcome,
  type AdkLogEntry,
  type AdkRecord,
  adkCompactionsToSeqs,
} from './adk-compactions.ts';
export { type AdkExportOptions, adkTimestamp, eventToAdk } from './adk-export.ts';
export { type AdkImport, eventFromAdk, withAdkCompaction } from './adk-import.ts';
export type { AdkCasing, AdkDialect } from './adk-names.ts';
export type { AdkCompaction } from './adk-records.ts';
export type { ArtifactInfo, ArtifactScope, ArtifactStore } from './artifact-store.ts';
export { hiddenFrom, isSameOrAbove } from './branch.ts';
export {
  type CodeExecutionResult,
  type Content,
  type ExecutableCode,
  type FileData,
  type FunctionCall,
  type FunctionResponse,
  functionCalls,
  functionResponses,
  hasTextOrMedia,
  type InlineData,
  modelText,
  type Part,
  type Role,
  text,
  textOf,
} from './content.ts';
export { countedText } from './counted-text.ts';
export { type Coverage, foldCoverage, namedBy, type SummaryInForce } from './coverage.ts';
export type { EraseReceipt } from './erase-receipt.ts';
export {
  bookkeepingActions,
  type Compaction,
  type Event,
  type EventActions,
  type EventActionsInput,
  type EventInput,
  type GivenAtAppend,
  isBookkeeping,
  isPassive,
  noActions,
  type Origin,
  type Outline,
  type Overflow,
  type PartInput,
  type Rewind,
  type Transcription,
} from './event.ts';
export { decodeEvent, encodeEvent, eventToJson } from './event-codec.ts';
export { type Instant, parseInstant, parseTimeZone, toInstant, toMillis } from './instant.ts';
export {
  type CopyReport,
  copyJson,
  copyJsonMap,
  copyText,
  freezeParsed,
  isPlainObject,
  type JsonMap,
  type JsonValue,
  maxEventBytes,
} from './json.ts';
export { parseId, parseScope, parseSessionKey, type Scope, type SessionKey } from './keys.ts';
export type { Block, BreakReason, ModelRequest, RequestJournal, ToolDeclaration } from './model-request.ts';
export { closes, isFinal, openObligations, opens } from './obligations.ts';
export { OutlineFold } from './outline-fold.ts';
export type { Page } from './page.ts';
export {
  beginsInvocation,
  type EventDraft,
  originOf,
  type Placed,
  type PreparedEvent,
  placeEvent,
  prepareEvent,
  refuseTooLarge,
} from './prepare-event.ts';
export type { ProvenanceRef } from './provenance.ts';
export { answers, asks } from './question.ts';
export {
  countRanges,
  intersectRanges,
  normalizeRanges,
  rangeAt,
  rangesMeet,
  type SeqRange,
  subtractRanges,
} from './ranges.ts';
export { noBookkeeping, type StandingBookkeeping, standingBookkeeping } from './standing-bookkeeping.ts';
export { type CountTokens, estimateTokens, type TokenCount, type Usage } from './usage.ts';
export type { Provider, View } from './view.ts';
