import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, type Job, type JobRunner, type NewJob, toInstant } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { assertDeepFrozen, refused, same, upTo } from '../expectations.ts';
import { claimNow, gate, type JobSubject, mustClaim, s1, s2, soon } from '../job-subject.ts';

/** Jobs that must be refused, the code, and the field that it names. */
const badJobs: readonly [Partial<Record<keyof NewJob, unknown>>, ErrorCode, string][] = [
  [{ queue: '' }, 'INVALID_ID', 'queue'],
  [{ scope: undefined }, 'INVALID_ID', 'scope.appName'],
  [{ scope: { appName: 'a', userId: ' ' } }, 'INVALID_ID', 'scope.userId'],
  [{ scope: { appName: 'a', shared: true } }, 'INVALID_ARGUMENT', 'scope.shared'],
  [{ dedupeId: 7 }, 'INVALID_ID', 'dedupeId'],
  [{ payload: { when: new Date(0) } }, 'NOT_JSON', 'payload.when'],
  [{ payload: ['list'] }, 'NOT_JSON', 'payload'],
  [{ payload: { big: '大'.repeat(22_000) } }, 'INVALID_ARGUMENT', 'payload'],
];

/** Checks of how a runner goes about its work, and of what it is given. */
export const runnerChecks = {
  'jobs.run-once': async (subject) => {
    const seen: Omit<Job, 'signal'>[] = [];
    const handlers = {
      q: async ({ signal, ...job }: Job) => {
        seen.push(job);
      },
    };
    const payload = { 中文: ['😀', null, 1.5], nul: '\u0000', ...JSON.parse('{"__proto__": 1}') };
    const [one, two] = [subject.open({ handlers }), subject.open({ handlers, store: subject.second })];
    const { id, outcome } = await one.enqueue({ queue: 'q', scope: s1, payload, dedupeId: 'x' });
    for (const runner of [one, two, one]) await runner.settled();
    const enqueuedAt = toInstant(subject.clock.now());
    const job = { id, queue: 'q', scope: s1, payload, attempt: 1, token: seen[0]?.token, dedupeId: 'x', enqueuedAt };
    same([outcome, seen], ['enqueued', [job]]);
    subject.clock.advance(1e9);
    await two.settled();
    same([seen.length, await claimNow(subject), (await two.deadLetters(s1)).items], [1, undefined, []]);
  },
  'jobs.frozen': async (subject) => {
    const seen: Job[] = [];
    const runner = subject.open({
      store: subject.second,
      handlers: {
        q: async (job) => {
          seen.push(job);
        },
      },
    });
    const payload = { list: [1, { deep: 'tea' }] };
    const scope = { ...s1 };
    const enqueued = subject.open().enqueue({ queue: 'q', scope, payload });
    payload.list.push(2);
    scope.userId = 'another';
    await enqueued;
    await runner.settled();
    same([seen[0]?.payload, seen[0]?.scope], [{ list: [1, { deep: 'tea' }] }, s1]);
    assertDeepFrozen(seen[0]?.payload);
    assertDeepFrozen(seen[0]?.scope);
  },
  'jobs.bad-input': async (subject) => {
    const runner = subject.open();
    for (const [part, code, field] of badJobs) {
      const error = await refused(runner.enqueue({ queue: 'q', scope: s1, ...part } as NewJob), code);
      same(Object.values(error.details).includes(field), true, `${error.message} does not name ${field}`);
    }
    for (const limit of [0, 1_001, 1.5]) {
      await refused(runner.deadLetters({ ...s1, limit }), 'INVALID_ARGUMENT', { argument: 'limit' });
    }
    await refused(runner.deadLetters({ ...s1, cursor: 'x' }), 'INVALID_ARGUMENT', { argument: 'cursor' });
    await refused(runner.deadLetters({ appName: '' }), 'INVALID_ID', { field: 'appName' });
    await refused(runner.requeue({ appName: '' }, 'x'), 'INVALID_ID', { field: 'appName' });
    await refused(runner.erase({ appName: 'a', userId: '' }), 'INVALID_ID', { field: 'scope.userId' });
    same(await claimNow(subject), undefined);
    const full = { big: 'x'.repeat(65_536 - JSON.stringify({ big: '' }).length) };
    same((await runner.enqueue({ queue: 'q', scope: s1, payload: full })).outcome, 'enqueued');
  },
  'jobs.restart': async (subject) => {
    const attempts: number[] = [];
    const handlers = {
      q: async ({ attempt }: Job) => {
        attempts.push(attempt);
        throw 'broken';
      },
    };
    const before = subject.open({ handlers, maxAttempts: 2, firstDelayMs: 1_000 });
    await before.enqueue({ queue: 'q', scope: s1 });
    await before.settled();
    await before.close();
    subject.clock.advance(1_000);
    const after = subject.open({ handlers, maxAttempts: 2, store: subject.second });
    await after.settled();
    same(attempts, [1, 2]);
    same((await subject.open().deadLetters(s1)).items.length, 1);
  },
  'jobs.budget': async (subject) => {
    let [running, most, done] = [0, 0, 0];
    const handlers = {
      q: async () => {
        most = Math.max(most, ++running);
        for (const _ of upTo(20)) await setImmediate();
        running--;
        done++;
      },
    };
    const feeder = subject.open();
    for (const n of upTo(7)) await feeder.enqueue({ queue: 'q', scope: { ...s1, sessionId: `s${n}` } });
    await subject.open({ handlers, maxRunning: 2 }).settled();
    same([most, done], [2, 7]);
  },
  'jobs.settled': async (subject) => {
    let runs = 0;
    const handlers = {
      q: async () => {
        for (const _ of upTo(5)) await setImmediate();
        if (++runs === 1) throw 'broken';
      },
      asks: () => runner.settled(),
    };
    const runner: JobRunner = subject.open({ handlers, firstDelayMs: 40, pollMs: 1, maxAttempts: 2 });
    await runner.settled();
    await runner.enqueue({ queue: 'q', scope: s1 });
    await soon(runner.settled(), 'settling');
    same(runs, 1);
    let isOver = false;
    const all = runner.settled({ backOffs: true }).then(() => {
      isOver = true;
    });
    for (const _ of upTo(20)) await setImmediate();
    same([isOver, runs], [false, 1]);
    subject.clock.advance(20);
    await soon(all, 'settling');
    same(runs, 2);
    await runner.enqueue({ queue: 'asks', scope: s1 });
    await soon(runner.settled(), 'settling');
    subject.clock.advance(40);
    await soon(runner.settled(), 'settling');
    const [asked] = (await runner.deadLetters(s1)).items;
    same([asked?.queue, asked?.cause.code], ['asks', 'INVALID_ARGUMENT']);
  },
  'jobs.given-back': async (subject) => {
    const [started, finish, ended] = [gate(), gate(), gate()];
    let begun = 0;
    const begin = () => void (++begun === 3 && started.open());
    const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
    const handlers = {
      obeys: async ({ signal }: Job) => {
        begin();
        await aborted(signal);
        throw 'stopped';
      },
      finishes: async ({ signal }: Job) => {
        begin();
        await aborted(signal);
        for (const _ of upTo(3)) await setImmediate();
      },
      hangs: async () => {
        begin();
        await finish.passed;
        ended.open();
      },
    };
    const runner = subject.open({ handlers, closeWaitMs: 200 });
    for (const queue of Object.keys(handlers)) await runner.enqueue({ queue, scope: s1 });
    await started.passed;
    await runner.close();
    const now = subject.clock.now();
    const claim = { queues: Object.keys(handlers), owner: 'next', now, leaseUntil: now + 1_000 };
    const jobs = [await subject.second.claim(claim), await subject.second.claim(claim)].map(({ job }) => job);
    const found = jobs.map((job) => [job?.queue, job?.attempts, job?.lostBy]);
    same(found, [
      ['obeys', 1, undefined],
      ['hangs', 1, undefined],
    ]);
    same((await subject.second.claim(claim)).job, undefined);
    finish.open();
    await ended.passed;
    await setImmediate();
    for (const job of jobs) same(job && (await subject.second.complete(job)), 'held');
  },
  'jobs.closed': async (subject) => {
    const runner = subject.open({ handlers: { q: async () => undefined } });
    await Promise.all([runner.close(), runner.close()]);
    const calls: readonly ((on: JobRunner) => Promise<unknown>)[] = [
      (on) => on.enqueue({ queue: 'q', scope: s1 }),
      (on) => on.settled(),
      (on) => on.deadLetters(s1),
      (on) => on.requeue(s1, 'x'),
      (on) => on.erase(s1),
    ];
    for (const call of calls) await refused(call(runner), 'CLOSED', { what: 'The job runner' });
    await subject.open().enqueue({ queue: 'q', scope: s2 });
    same((await mustClaim(subject)).scope, s2, 'a closed runner has claimed a job');
  },
} satisfies Checks<JobSubject>;
