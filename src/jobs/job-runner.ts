import type { Clock, Instant, JsonMap, Page } from '../events/index.ts';
import type { JobFilter, JobScope, JobStore } from './job-store.ts';

/** A job as a caller states it. */
export interface NewJob {
  /** Which handler does it. */
  readonly queue: string;
  readonly scope: JobScope;
  /** Up to 64 KiB of JSON. Default empty. */
  readonly payload?: JsonMap;
  /** While a job of the same queue and scope waits with this, enqueueing another one changes nothing. */
  readonly dedupeId?: string;
}

/** What became of a job that was enqueued; `waiting`: an equal one was waiting already, and the id is that one's. */
export interface Enqueued {
  readonly outcome: 'enqueued' | 'waiting';
  readonly id: string;
}

/** A job as its handler sees it. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly scope: JobScope;
  readonly payload: JsonMap;
  readonly dedupeId?: string;
  readonly enqueuedAt: Instant;
  /** 1 for the first. */
  readonly attempt: number;
  /** Grows with every claim: whoever is written to can refuse one that is older than what he has seen. */
  readonly token: number;
  /** Aborts when the runner closes, or when somebody else holds the job. */
  readonly signal: AbortSignal;
}

/** Does a job. It may be called again for the same one, so it must bear that. Throwing is failing. */
export type JobHandler = (job: Job) => Promise<void>;

/** A job that failed too often, and why. */
export interface DeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly scope: JobScope;
  readonly payload: JsonMap;
  readonly dedupeId?: string;
  readonly enqueuedAt: Instant;
  readonly cause: {
    readonly message: string;
    /** The code of a failure of this library. */
    readonly code?: string;
    readonly attempts: number;
    readonly at: Instant;
  };
}

/** Which dead letters are wanted. Only `appName` must be named. */
export interface DeadLetterOptions extends JobFilter {
  readonly queue?: string;
  /** From 1 to 1,000. Default 50. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** How a runner works. Times are milliseconds. */
export interface JobRunnerOptions {
  readonly store: JobStore;
  /** Handlers by queue. Jobs of other queues are left to other runners. */
  readonly handlers?: Readonly<Record<string, JobHandler>>;
  readonly clock?: Clock;
  /** Names this runner to others, in the cause of a job that it lost. Default a UUID. */
  readonly owner?: string;
  /** The most jobs that run at once. Default 4. */
  readonly maxRunning?: number;
  /** How long a job is held without a sign of life; renewed three times as often. Default 30,000. */
  readonly leaseMs?: number;
  /** After so many a job is a dead letter. Default 5. */
  readonly maxAttempts?: number;
  /** The longest pause after a first failure; each next one may be twice as long. Default 1,000. */
  readonly firstDelayMs?: number;
  /** The longest pause, unless a failure asks for more. Default 900,000. */
  readonly longestDelayMs?: number;
  /** How often to look for jobs that other processes have enqueued. Default 1,000. */
  readonly pollMs?: number;
  /** How long closing waits for handlers. Default 5,000. */
  readonly closeWaitMs?: number;
  /** From 0 to below 1; a pause is that share of the longest one. Default Math.random. */
  readonly random?: () => number;
  /** Told what the store threw while nobody waited; settled() throws it as well. What it throws itself is ignored. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Jobs, and what does them, over any store. Jobs of one queue and scope run one at a time, in the order they were
 * enqueued: one that waits for its next attempt keeps those behind it waiting, until it is done or dead. A runner with
 * handlers begins at once, and goes on with what others have left. Every call but close() throws CLOSED once it is closed.
 */
export interface JobRunner {
  /** Throws INVALID_ARGUMENT, INVALID_ID or NOT_JSON, naming the field. */
  enqueue(job: NewJob): Promise<Enqueued>;
  /** From now on does the jobs of one more queue, or of a known one in another way. Throws INVALID_ARGUMENT. */
  handle(queue: string, handler: JobHandler): void;
  /**
   * Resolves when no job of these handlers can run now; with `backOffs` when none is left at all, those included that
   * wait for their next attempt or that others hold. Throws the first failure of the store since it was last asked, and
   * INVALID_ARGUMENT in a handler of the runner, which it would wait for.
   */
  settled(options?: { readonly backOffs?: boolean }): Promise<void>;
  /** The newest first. */
  deadLetters(options: DeadLetterOptions): Promise<Page<DeadLetter>>;
  /**
   * Puts a dead letter back at the end of its line, with all its attempts before it. `waiting`: an equal job waits
   * already, and the letter stays; `absent`: there is none.
   */
  requeue(filter: JobFilter, id: string): Promise<'enqueued' | 'waiting' | 'absent'>;
  /** Removes all jobs and dead letters of a user, a project or a session, running ones too; returns how many. */
  erase(scope: JobScope): Promise<number>;
  /**
   * Claims no more, aborts the handlers, waits for them a while, and gives back what is not done, without counting the
   * attempt. Throws the first failure of the store that nobody has heard of; what it held is free when its lease is over.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
