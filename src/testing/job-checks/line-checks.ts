import type { Job, NewJob } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { same, upTo } from '../expectations.ts';
import { claimNow, die, gate, type JobSubject, jobRow, leaseMs, mustClaim, putIn, s1, s2 } from '../job-subject.ts';

/** Checks of lines: which job is next, what is in them, and what is taken out. */
export const lineChecks = {
  'jobs.in-order': async (subject) => {
    const log: string[] = [];
    const [held, passedBy] = [gate(), gate()];
    const handler = async ({ payload, queue }: Job) => {
      log.push(`${payload.n} begins`);
      if (payload.n === 'a') await held.passed;
      if (payload.n === 'd') passedBy.open();
      log.push(`${payload.n} ends`);
      if (queue === 'r') log.push('another queue');
    };
    const feeder = subject.open();
    for (const n of ['a', 'b', 'c']) await feeder.enqueue({ queue: 'q', scope: s1, payload: { n } });
    const runners = [subject.first, subject.second].map((store) => subject.open({ store, handlers: { q: handler } }));
    await feeder.enqueue({ queue: 'q', scope: s2, payload: { n: 'd' } });
    await passedBy.passed;
    const others = subject.open({ handlers: { r: handler } });
    await others.enqueue({ queue: 'r', scope: s1, payload: { n: 'e' } });
    await others.settled();
    same(log.includes('b begins') || log.includes('c begins'), false, 'one began before the one in front had ended');
    same(log.includes('another queue'), true);
    held.open();
    for (const runner of [...runners, ...runners]) await runner.settled();
    const line = log.filter((entry) => /^[abc] /.test(entry));
    same(line, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  },
  'jobs.fair': async (subject) => {
    for (const n of upTo(5)) await putIn(subject, [`j${n}`], { ...s1, sessionId: `s${n}` });
    const [one, two] = [await mustClaim(subject), await mustClaim(subject, subject.second)];
    await subject.first.fail(two, { freeAt: subject.clock.now() + leaseMs - 1, attempts: 1 });
    same((await mustClaim(subject)).id, 'j3');
    subject.clock.advance(leaseMs);
    const next = [];
    for (const _ of upTo(4)) next.push((await mustClaim(subject, subject.second)).id);
    same([one.id, two.id, ...next], ['j1', 'j2', 'j2', 'j1', 'j3', 'j4']);
  },
  'jobs.failed-blocks': async (subject) => {
    await putIn(subject, ['a', 'b']);
    const freeAt = subject.clock.now() + 1_000;
    await subject.first.fail(await mustClaim(subject), { freeAt, attempts: 1 });
    const claim = { queues: ['q'], owner: 'next', now: subject.clock.now(), leaseUntil: freeAt };
    same(await subject.second.claim(claim), { freeAt });
    subject.clock.advance(1_000);
    const again = await mustClaim(subject, subject.second);
    same([again.id, again.attempts], ['a', 2]);
    await subject.second.fail(again, { cause: { message: 'dead', attempts: 2, at: freeAt } });
    same((await mustClaim(subject)).id, 'b');
  },
  'jobs.deduplicated': async (subject) => {
    const [one, two] = [subject.open(), subject.open({ store: subject.second })];
    const job: NewJob = { queue: 'q', scope: s1, dedupeId: '摘要' };
    const twice = await Promise.all([one.enqueue(job), two.enqueue(job)]);
    same(twice.map(({ outcome }) => outcome).sort(), ['enqueued', 'waiting']);
    same(twice[0]?.id, twice[1]?.id);
    const others = [
      { ...job, dedupeId: 'x' },
      { ...job, scope: s2 },
      { ...job, queue: 'r' },
      { queue: 'q', scope: s1 },
    ];
    for (const other of [...others, { queue: 'q', scope: s1 }]) same((await two.enqueue(other)).outcome, 'enqueued');
    const running = await mustClaim(subject);
    same(running.id, twice[0]?.id);
    const anew = await two.enqueue(job);
    same(anew.outcome, 'enqueued');
    same(await one.enqueue(job), { outcome: 'waiting', id: anew.id });
    await subject.first.fail(running, { freeAt: subject.clock.now() + 1_000, attempts: 1 });
    same((await one.enqueue(job)).outcome, 'waiting');
  },
  'jobs.requeued': async (subject) => {
    const runner = subject.open();
    await die(subject, 'a', { dedupeId: 'x' });
    same(await runner.requeue({ ...s1, userId: 'another' }, 'a'), 'absent');
    await subject.first.enqueue(jobRow(subject, 'twin', { dedupeId: 'x' }));
    same(await runner.requeue(s1, 'a'), 'waiting');
    same((await runner.deadLetters(s1)).items.length, 1);
    const twin = await mustClaim(subject);
    const outcomes = await Promise.all([
      runner.requeue({ appName: s1.appName }, 'a'),
      subject.open({ store: subject.second }).requeue(s1, 'a'),
    ]);
    same([...outcomes].sort(), ['absent', 'enqueued']);
    same((await runner.deadLetters(s1)).items, []);
    same(await claimNow(subject), undefined, 'it went past the one in front');
    await subject.first.complete(twin);
    const { id, attempts, payload, dedupeId } = await mustClaim(subject, subject.second);
    same({ id, attempts, payload, dedupeId }, { id: 'a', attempts: 1, payload: { id: 'a' }, dedupeId: 'x' });
  },
  'jobs.erased': async (subject) => {
    const runner = subject.open();
    await die(subject, 'dead');
    await die(subject, 'dead elsewhere', { scope: s2 });
    await putIn(subject, ['held', 'waiting']);
    const held = await mustClaim(subject);
    await subject.first.enqueue(jobRow(subject, 'other queue', { queue: 'r' }));
    await putIn(subject, ['project'], { ...s1, projectId: 'p' });
    await putIn(subject, ['no session'], { appName: s1.appName, userId: s1.userId });
    await putIn(subject, ['same session, other user'], { ...s1, userId: 'u2' });
    await putIn(subject, ['other app'], { ...s1, appName: 'laws2' });
    same(await subject.open({ store: subject.second }).erase(s1), 5);
    same(await subject.first.complete(held), 'lost');
    same(await runner.erase(s1), 0);
    same(
      (await runner.deadLetters({ appName: s1.appName })).items.map(({ id }) => id),
      ['dead elsewhere'],
    );
    await putIn(subject, ['anew']);
    const left = [
      await mustClaim(subject),
      await mustClaim(subject),
      await mustClaim(subject),
      await mustClaim(subject),
    ];
    same(
      left.map(({ id }) => id),
      ['no session', 'same session, other user', 'other app', 'anew'],
    );
    same(await runner.erase({ appName: s1.appName, userId: s1.userId }), 3);
  },
} satisfies Checks<JobSubject>;
