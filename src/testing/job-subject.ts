import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClaimedJob,
  createJobRunner,
  type JobRow,
  type JobRunner,
  type JobRunnerOptions,
  type JobScope,
  type JobStore,
} from '../index.ts';
import type { LawSubject } from './conformance.ts';
import { ManualClock } from './manual-clock.ts';

/** Two handles on the same jobs, as two processes would have them, and runners that go by one clock. */
export interface JobSubject extends LawSubject {
  readonly first: JobStore;
  readonly second: JobStore;
  readonly clock: ManualClock;
  /** Opens a runner, on the first handle unless another one is given; pauses are half of the longest. */
  open(options?: Partial<JobRunnerOptions>): JobRunner;
}

/** What a subject is made of. */
export interface JobSubjectParts {
  readonly first: JobStore;
  readonly second: JobStore;
  /** Called at the end, when all runners are closed. */
  readonly cleanUp?: () => Promise<void>;
}

/** A subject whose runners stand on these stores. */
export function jobSubject({ first, second, cleanUp }: JobSubjectParts): JobSubject {
  const clock = new ManualClock();
  const runners: JobRunner[] = [];
  return {
    first,
    second,
    clock,
    capabilities: new Set(),
    open(options) {
      const runner = createJobRunner({ store: first, clock, random: () => 0.5, closeWaitMs: 1_000, ...options });
      runners.push(runner);
      return runner;
    },
    async dispose() {
      for (const runner of runners) await runner.close();
      await cleanUp?.();
    },
  };
}

/** A store that passes everything on to another one but what is given. */
export function forwardJobs(store: JobStore, given: Partial<JobStore>): JobStore {
  return {
    name: store.name,
    enqueue: (job) => store.enqueue(job),
    claim: (claim) => store.claim(claim),
    renew: (hold, leaseUntil) => store.renew(hold, leaseUntil),
    complete: (hold) => store.complete(hold),
    fail: (hold, failure) => store.fail(hold, failure),
    deadLetters: (query) => store.deadLetters(query),
    requeue: (filter, id) => store.requeue(filter, id),
    remove: (filter) => store.remove(filter),
    ...given,
  };
}

const longestWaitMs = 10_000;

/** The lease of a claim, in milliseconds. */
export const leaseMs = 30_000;

/** The scope that most checks work in. */
export const s1 = { appName: 'laws', userId: '用户一', sessionId: 's1' };

/** Another session of that user. */
export const s2 = { ...s1, sessionId: 's2' };

/** A job as a runner would put it in. */
export function jobRow(subject: JobSubject, id: string, more: Partial<JobRow> = {}): JobRow {
  return { id, queue: 'q', scope: s1, payload: { id }, enqueuedAt: subject.clock.now(), ...more };
}

/** Puts jobs into the line of a scope, through the first handle. */
export async function putIn(subject: JobSubject, ids: readonly string[], scope: JobScope = s1): Promise<void> {
  for (const id of ids) await subject.first.enqueue(jobRow(subject, id, { scope }));
}

/** Claims what is free now; `undefined` if nothing is. */
export async function claimNow(subject: JobSubject, store = subject.first): Promise<ClaimedJob | undefined> {
  const now = subject.clock.now();
  return (await store.claim({ queues: ['q'], owner: 'somebody', now, leaseUntil: now + leaseMs })).job;
}

/** The same where a job must be free. */
export async function mustClaim(subject: JobSubject, store = subject.first): Promise<ClaimedJob> {
  const job = await claimNow(subject, store);
  assert.ok(job, 'no job is free');
  return job;
}

/** Puts a job in and lets it die at once. */
export async function die(subject: JobSubject, id: string, more: Partial<JobRow> = {}): Promise<void> {
  await subject.first.enqueue(jobRow(subject, id, more));
  const now = subject.clock.now();
  const queues = [more.queue ?? 'q'];
  const { job } = await subject.first.claim({ queues, owner: 'somebody', now, leaseUntil: now + leaseMs });
  assert.equal(job?.id, id, 'another job was in the way');
  await subject.first.fail(job, { cause: { message: `${id} 坏了`, attempts: 1, at: now } });
}

/** What a promise resolves to; fails where that takes for ever, as it does where the law that is proved is broken. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  const over = new AbortController();
  const late = sleep(longestWaitMs, undefined, { signal: over.signal }).then(
    () => assert.fail(`${what} did not happen`),
    () => promise,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}

/** A promise, and what resolves it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}
