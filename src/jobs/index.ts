/**
 * Work that must happen once, later, and in order: a thin store of jobs with leases, and the runner that holds the rules
 * of back-off, attempts, budget and dead letters.
 */
export { createJobRunner } from './create-job-runner.ts';
export { createInMemoryJobStore } from './in-memory-job-store.ts';
export type {
  DeadLetter,
  DeadLetterOptions,
  Enqueued,
  Job,
  JobHandler,
  JobRunner,
  JobRunnerOptions,
  NewJob,
} from './job-runner.ts';
export type {
  ClaimedJob,
  ClaimOutcome,
  DeadLetterQuery,
  DeadLetterRow,
  HoldOutcome,
  JobCause,
  JobClaim,
  JobFailure,
  JobFilter,
  JobHold,
  JobRow,
  JobScope,
  JobStore,
} from './job-store.ts';
