import { type JobRunner, PalimpsestError, toInstant } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { assertDeepFrozen, everyPage, same, upTo } from '../expectations.ts';
import {
  claimNow,
  die,
  forwardJobs,
  gate,
  type JobSubject,
  leaseMs,
  mustClaim,
  putIn,
  s1,
  s2,
  soon,
} from '../job-subject.ts';

/** Fails unless the next attempt comes after exactly so many milliseconds. */
async function expectPause(
  { clock }: JobSubject,
  { runner, runs, millis }: { readonly runner: JobRunner; readonly runs: readonly unknown[]; readonly millis: number },
): Promise<void> {
  const before = runs.length;
  clock.advance(millis - 1);
  await runner.settled();
  same(runs.length, before, `it did not wait for ${millis} ms`);
  clock.advance(1);
  await runner.settled();
  same(runs.length, before + 1, `it waited for more than ${millis} ms`);
}

/** Fails unless a job that has ended all its processes is dead too where the next runner closes as it claims it. */
async function expectEndAtClosing(subject: JobSubject): Promise<void> {
  await putIn(subject, ['c'], s2);
  await mustClaim(subject);
  subject.clock.advance(leaseMs);
  const [claimed, goOn] = [gate(), gate()];
  const store = forwardJobs(subject.first, {
    claim: async (claim) => {
      const outcome = await subject.first.claim(claim);
      claimed.open();
      await goOn.passed;
      return outcome;
    },
  });
  const runner = subject.open({ store, maxAttempts: 1, handlers: { q: async () => undefined } });
  await soon(claimed.passed, 'the claim');
  const closed = runner.close();
  goOn.open();
  await closed;
  same(await claimNow(subject, subject.second), undefined, 'it was given back');
  const [dead] = (await subject.open().deadLetters(s2)).items;
  same([dead?.id, dead?.cause.attempts], ['c', 1]);
}

/** Checks of what follows a failure. */
export const failureChecks = {
  'jobs.back-off': async (subject) => {
    const runs: number[] = [];
    const failures = [
      new PalimpsestError('MODEL_FAILED', { model: 'm', reason: 'busy', attempts: 1, retryAfterMs: 7_000 }),
      { retryAfterMs: 9_000 },
      { retryAfterMs: 1 },
    ];
    const runner = subject.open({
      ...{ firstDelayMs: 1_000, longestDelayMs: 3_000, maxAttempts: 9 },
      handlers: {
        q: async ({ attempt }) => {
          runs.push(attempt);
          throw failures[attempt - 5] ?? 'broken';
        },
      },
    });
    await runner.enqueue({ queue: 'q', scope: s1 });
    await runner.settled();
    const pauses = [500, 1_000, 1_500, 1_500, 7_000, 9_000, 1_500];
    for (const millis of pauses) await expectPause(subject, { runner, runs, millis });
    same(runs, upTo(8));
  },
  'jobs.dead-letters': async (subject) => {
    const runner = subject.open({
      maxAttempts: 2,
      firstDelayMs: 1_000,
      handlers: {
        q: async () => {
          throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: '会话' });
        },
        odd: async () => {
          throw '坏\u0000了😀';
        },
      },
    });
    const enqueuedAt = toInstant(subject.clock.now());
    const payload = { n: 1 };
    const { id } = await runner.enqueue({ queue: 'q', scope: s1, payload, dedupeId: 'x' });
    await runner.settled();
    same((await runner.deadLetters(s1)).items, []);
    subject.clock.advance(1_000);
    await runner.settled();
    const at = toInstant(subject.clock.now());
    const reader = subject.open({ store: subject.second });
    const { items } = await reader.deadLetters(s1);
    const { message } = new PalimpsestError('SESSION_NOT_FOUND', { sessionId: '会话' });
    const cause = { message, code: 'SESSION_NOT_FOUND', attempts: 2, at };
    same(items, [{ id, queue: 'q', scope: s1, payload, dedupeId: 'x', enqueuedAt, cause }]);
    assertDeepFrozen(items[0]);
    await runner.enqueue({ queue: 'odd', scope: s2 });
    await runner.settled();
    subject.clock.advance(1_000);
    await runner.settled();
    const [odd] = (await reader.deadLetters(s2)).items;
    same([odd?.cause.message, odd?.cause.code], ['坏\u0000了😀', undefined]);
  },
  'jobs.lost-to-the-last': async (subject) => {
    await putIn(subject, ['a', 'b']);
    await mustClaim(subject);
    subject.clock.advance(leaseMs);
    await mustClaim(subject, subject.second);
    subject.clock.advance(leaseMs);
    const runs: string[] = [];
    const runner = subject.open({
      maxAttempts: 2,
      handlers: {
        q: async ({ id }) => {
          runs.push(id);
        },
      },
    });
    await runner.settled();
    same(runs, ['b']);
    const [dead] = (await runner.deadLetters(s1)).items;
    const message = 'The run by "somebody" was stopped before it finished.';
    const at = toInstant(subject.clock.now());
    same([dead?.id, dead?.cause], ['a', { message, code: 'ABORTED', attempts: 2, at }]);
    await expectEndAtClosing(subject);
  },
  'jobs.pages': async (subject) => {
    for (const number of upTo(5)) await die(subject, `d${number}`, { scope: number === 3 ? s2 : s1 });
    await die(subject, 'd6', { queue: 'r' });
    await die(subject, 'other app', { scope: { ...s1, appName: 'laws2' } });
    await die(subject, 'other user', { scope: { ...s1, userId: 'u2' } });
    const runner = subject.open({ store: subject.second });
    const list = async (filter: Parameters<JobRunner['deadLetters']>[0]) => {
      const page = (cursor?: string) => runner.deadLetters(cursor === undefined ? filter : { ...filter, cursor });
      return (await everyPage(page)).map(({ id }) => id);
    };
    const { appName, userId } = s1;
    same(await list({ appName, limit: 2 }), ['other user', 'd6', 'd5', 'd4', 'd3', 'd2', 'd1']);
    same(await list({ appName, userId, limit: 3 }), ['d6', 'd5', 'd4', 'd3', 'd2', 'd1']);
    same(await list({ ...s1, limit: 1 }), ['d6', 'd5', 'd4', 'd2', 'd1']);
    same(await list({ ...s1, queue: 'r' }), ['d6']);
    same(await list({ ...s1, projectId: 'none' }), []);
    same((await runner.deadLetters({ appName, userId, limit: 3 })).items.length, 3);
    same((await runner.deadLetters({ appName, userId, limit: 6 })).nextCursor, undefined);
  },
} satisfies Checks<JobSubject>;
