import type { JsonMap, Scope } from '../events/index.ts';

/** Whose work a job is: a user's, perhaps within a project or a session. Together with the queue it makes a line. */
export type JobScope = Exclude<Scope, { readonly shared: true }>;

/** Which scopes are meant: those that agree in every id that is named. */
export type JobFilter = Pick<JobScope, 'appName'> & Partial<Omit<JobScope, 'appName'>>;

/** A job as it is put in. Times are milliseconds since 1970. */
export interface JobRow {
  readonly id: string;
  readonly queue: string;
  readonly scope: JobScope;
  /** While a job of the line waits with this, one that is enqueued with it as well is the same. */
  readonly dedupeId?: string;
  readonly payload: JsonMap;
  readonly enqueuedAt: number;
}

/** A job and the right to end it. */
export interface ClaimedJob extends JobRow {
  /** How often it has been claimed, this time included, without being given back. */
  readonly attempts: number;
  /** Grows with every claim of the store, whatever is claimed. */
  readonly token: number;
  /** Who held it when the last lease ran out; `undefined` if none did. */
  readonly lostBy?: string;
}

/** What is claimed, by whom, and until when. */
export interface JobClaim {
  readonly queues: readonly string[];
  readonly owner: string;
  readonly now: number;
  readonly leaseUntil: number;
}

/** The outcome of a claim: a job, or when the next one is free at the latest, if there is any. */
export type ClaimOutcome = { readonly job: ClaimedJob } | { readonly job?: never; readonly freeAt?: number };

/** Names one claim of one job. */
export interface JobHold {
  readonly id: string;
  readonly token: number;
}

/** `lost`: somebody else has claimed the job since, or it was given back, ended or removed; nothing was changed. */
export type HoldOutcome = 'held' | 'lost';

/** Why a job is dead. */
export interface JobCause {
  readonly message: string;
  /** The code of a failure of this library. */
  readonly code?: string;
  readonly attempts: number;
  /** When it failed for the last time. */
  readonly at: number;
}

/**
 * What becomes of a job that was not completed: it waits at the head of its line, until a time or, where that is 0, for
 * none, or leaves it as a dead letter.
 */
export type JobFailure =
  | { readonly freeAt: number; readonly attempts: number }
  | { readonly freeAt?: never; readonly cause: JobCause };

/** A job that is not tried any more, as a store keeps it. */
export interface DeadLetterRow extends JobRow {
  readonly cause: JobCause;
  /** Grows from one dead letter to the next. */
  readonly place: number;
}

/** Which dead letters are wanted, the newest first. */
export interface DeadLetterQuery {
  readonly filter: JobFilter;
  readonly queue?: string;
  /** Only those below this place. */
  readonly before?: number;
  readonly limit: number;
}

/**
 * Keeps jobs and knows none of their rules, behind eight primitives. Jobs of one queue and scope stand in line: only the
 * head of a line is ever claimed, and it stays the head until it is completed, dead or removed. Each primitive is
 * atomic; what a resolved promise acknowledged survives the death of the process, if the store is durable.
 */
export interface JobStore {
  readonly name: string;
  /**
   * Puts a job at the end of its line, where it waits for no time, whatever a clock says. `waiting`: an equal one is
   * there and not held; its id is returned.
   */
  enqueue(job: JobRow): Promise<{ readonly outcome: 'enqueued' | 'waiting'; readonly id: string }>;
  /** Of the heads whose pause or lease is over, the one whose was so first; without one, the oldest that waits for no time. */
  claim(claim: JobClaim): Promise<ClaimOutcome>;
  renew(hold: JobHold, leaseUntil: number): Promise<HoldOutcome>;
  /** The job is gone, and the next of its line is the head. */
  complete(hold: JobHold): Promise<HoldOutcome>;
  fail(hold: JobHold, failure: JobFailure): Promise<HoldOutcome>;
  deadLetters(query: DeadLetterQuery): Promise<readonly DeadLetterRow[]>;
  /** Enqueues what a dead letter holds, under its id; the letter is gone, unless the outcome is `waiting`. */
  requeue(filter: JobFilter, id: string): Promise<'enqueued' | 'waiting' | 'absent'>;
  /** Removes jobs, held ones too, and dead letters; returns how many. */
  remove(filter: JobFilter): Promise<number>;
}
