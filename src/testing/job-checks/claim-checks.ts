import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { ClaimedJob, HoldOutcome, Job, JobStore } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { same, upTo } from '../expectations.ts';
import {
  claimNow,
  die,
  forwardJobs,
  gate,
  type JobSubject,
  jobRow,
  leaseMs,
  mustClaim,
  putIn,
  s1,
  s2,
  soon,
} from '../job-subject.ts';

/** What a holder hears who tries everything that only a holder may do. */
async function tryAll(store: JobStore, job: ClaimedJob): Promise<readonly HoldOutcome[]> {
  return [
    await store.renew(job, job.enqueuedAt + 10 * leaseMs),
    await store.fail(job, { freeAt: job.enqueuedAt, attempts: 0 }),
    await store.fail(job, { cause: { message: 'late', attempts: 1, at: 0 } }),
    await store.complete(job),
  ];
}

/** Checks of who holds a job, and for how long. */
export const claimChecks = {
  'jobs.claimed-once': async (subject) => {
    for (const number of upTo(12)) await putIn(subject, [`j${number}`], { ...s1, sessionId: `s${number}` });
    const claims = await Promise.all(
      upTo(20).map((number) => claimNow(subject, number % 2 === 0 ? subject.first : subject.second)),
    );
    const ids = claims.flatMap((job) => job?.id ?? []);
    same([ids.length, new Set(ids).size], [12, 12]);
    await subject.first.enqueue(jobRow(subject, 'new', { scope: { ...s1, sessionId: 'new' } }));
    const [one, other] = await Promise.all([claimNow(subject, subject.first), claimNow(subject, subject.second)]);
    same([one?.id, other?.id].filter((id) => id !== undefined).length, 1);
  },
  'jobs.lease-expires': async (subject) => {
    await putIn(subject, ['a']);
    const start = subject.clock.now();
    same((await mustClaim(subject)).attempts, 1);
    subject.clock.advance(leaseMs - 1);
    const claim = { queues: ['q'], owner: 'next', now: subject.clock.now(), leaseUntil: 0 };
    same(await subject.second.claim(claim), { freeAt: start + leaseMs });
    subject.clock.advance(1);
    const { id, attempts, lostBy, payload } = await mustClaim(subject, subject.second);
    same({ id, attempts, lostBy, payload }, { id: 'a', attempts: 2, lostBy: 'somebody', payload: { id: 'a' } });
  },
  'jobs.fenced': async (subject) => {
    await putIn(subject, ['a', 'b']);
    const lost = await mustClaim(subject);
    subject.clock.advance(leaseMs);
    const held = await mustClaim(subject, subject.second);
    assert.ok(held.token > lost.token, 'the token did not grow');
    same(await tryAll(subject.first, lost), ['lost', 'lost', 'lost', 'lost']);
    same(await claimNow(subject), undefined);
    same(await subject.second.renew(held, subject.clock.now() + leaseMs), 'held');
    same(await subject.second.complete(held), 'held');
    same(await tryAll(subject.first, held), ['lost', 'lost', 'lost', 'lost']);
    const next = await mustClaim(subject, subject.second);
    same([next.id, next.token > held.token], ['b', true]);
    same(await subject.second.fail(next, { freeAt: subject.clock.now(), attempts: 0 }), 'held');
    same(await tryAll(subject.second, next), ['lost', 'lost', 'lost', 'lost']);
    const again = await mustClaim(subject);
    same([again.attempts, again.lostBy, again.token > next.token], [1, undefined, true]);
    same(await subject.first.deadLetters({ filter: s1, limit: 10 }), []);
  },
  'jobs.renewed': async (subject) => {
    const [started, renewed, held, stopped] = [gate(), gate(), gate(), gate()];
    let renewals = 0;
    let holdUp = Promise.resolve();
    const store = forwardJobs(subject.first, {
      renew: async (hold, leaseUntil) => {
        await holdUp;
        const outcome = await subject.first.renew(hold, leaseUntil);
        // One may have been on its way when the clock was moved.
        if (++renewals > 2) renewed.open();
        return outcome;
      },
    });
    const handler = async ({ signal }: { readonly signal: AbortSignal }) => {
      signal.addEventListener('abort', stopped.open);
      started.open();
      await stopped.passed;
    };
    const runner = subject.open({ store, handlers: { q: handler }, leaseMs: 30 });
    await runner.enqueue({ queue: 'q', scope: s1 });
    await soon(started.passed, 'the handler');
    subject.clock.advance(29);
    renewals = 0;
    await soon(renewed.passed, 'a renewal');
    holdUp = held.passed;
    subject.clock.advance(29);
    same(await claimNow(subject, subject.second), undefined);
    subject.clock.advance(leaseMs);
    const taken = await mustClaim(subject, subject.second);
    held.open();
    await soon(stopped.passed, 'the abort of the signal');
    await runner.settled();
    same(await subject.second.complete(taken), 'held');
  },
  'jobs.clock-ahead': async (subject) => {
    const [started, finish, passedBy, told, goOn] = [gate(), gate(), gate(), gate(), gate()];
    const runs: unknown[] = [];
    const store = forwardJobs(subject.first, {
      complete: async (hold) => {
        if (hold.id === long.id) {
          told.open();
          await goOn.passed;
        }
        return subject.first.complete(hold);
      },
    });
    const handler = async ({ attempt, payload }: Job) => {
      runs.push([payload.n, attempt]);
      if (payload.n === 'short') return passedBy.open();
      started.open();
      await finish.passed;
      if (attempt === 1) throw 'broken';
    };
    const runner = subject.open({ store, handlers: { q: handler }, firstDelayMs: 0, pollMs: 60_000 });
    const long = await runner.enqueue({ queue: 'q', scope: s1, payload: { n: 'long' } });
    await soon(started.passed, 'the handler');
    subject.clock.advance(10 * leaseMs);
    await runner.enqueue({ queue: 'q', scope: s2, payload: { n: 'short' } });
    await soon(passedBy.passed, 'the other job');
    same(await claimNow(subject, subject.second), undefined, 'the lease was not renewed');
    finish.open();
    await soon(told.passed, 'the end of the second attempt');
    subject.clock.advance(10 * leaseMs);
    const settled = runner.settled();
    for (const _ of upTo(20)) await setImmediate();
    goOn.open();
    await soon(settled, 'settling');
    same(runs, [
      ['long', 1],
      ['short', 1],
      ['long', 2],
    ]);
  },
  'jobs.clock-back': async (subject) => {
    const begun = gate();
    const interrupted = async ({ signal }: Job) => {
      begun.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw 'stopped';
    };
    await die(subject, 'dead');
    await putIn(subject, ['given back'], s2);
    const closing = subject.open({ handlers: { q: interrupted } });
    await soon(begun.passed, 'the handler');
    await closing.close();
    await putIn(subject, ['new'], { ...s1, sessionId: '新' });
    await subject.open().requeue(s1, 'dead');
    subject.clock.advance(-1e9);
    const runs: string[] = [];
    const store = forwardJobs(subject.second, {
      fail: async (hold, failure) => {
        const outcome = await subject.second.fail(hold, failure);
        subject.clock.advance(-1_000);
        return outcome;
      },
    });
    const handler = async ({ id, attempt }: Job) => {
      runs.push(`${id} ${attempt}`);
      if (id === 'new' && attempt === 1) throw 'broken';
    };
    await subject.open({ store, handlers: { q: handler }, maxRunning: 1, firstDelayMs: 0 }).settled();
    same(runs, ['given back 1', 'new 1', 'new 2', 'dead 1']);
  },
} satisfies Checks<JobSubject>;
