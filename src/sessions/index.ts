/**
 * The log: SessionService keeps every rule about sessions, once, over a SessionStore that only moves bytes. An append
 * is planned against the session's head (plan-append) and written under a stamp check (commit-loop).
 */
export { createSessionService, type SessionServiceOptions } from './create-session-service.ts';
export { changesState, startsRun } from './event-traits.ts';
export { createInMemorySessionStore } from './in-memory-session-store.ts';
export { maxInlineBytes } from './inline-artifacts.ts';
export { maxPageSize } from './read-events.ts';
export { textProblem } from './request-texts.ts';
export { defaultLeaseSeconds } from './run-lease.ts';
export type { BeforeAppend } from './session-parts.ts';
export type {
  AppendOptions,
  AppendResult,
  BeforeErase,
  CreateSession,
  Lease,
  LeaseOptions,
  ListOptions,
  LiveWindow,
  QuotesToErase,
  ReadOptions,
  RequestText,
  Session,
  SessionInfo,
  SessionService,
} from './session-service.ts';
export type {
  ArtifactCommit,
  ArtifactQuery,
  ArtifactWrite,
  Commit,
  CommitOutcome,
  ErasedVersion,
  HeadLease,
  ListedHead,
  ListQuery,
  Removal,
  Removed,
  RowQuery,
  SeenSession,
  SessionHead,
  SessionStore,
  StateQuery,
  StateScope,
  StateValue,
  StateWrite,
  StoredArtifact,
} from './session-store.ts';
export type { StateMerge, StateMerges } from './state.ts';
export type { CostSum, ModelUsage, ModelUse, TokenSums, UsageOwner, UsageReport, UsageSums } from './usage-report.ts';
