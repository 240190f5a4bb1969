import assert from 'node:assert/strict';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, seqsOf, stateOf, unchanged } from '../expectations.ts';
import { answers, calls, compacts, returns, says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

/** Checks of forks. */
export const forkChecks = {
  'fork.copies': async (subject) => {
    const key = await begin(subject, { projectId: 'p', timeZone: 'Asia/Tokyo' });
    await subject.first.append(key, [says('a'), answers('b'), says('c'), compacts([[1, 2]]), says('e')]);
    await unchanged(subject.first, key, async () => {
      const fork = await subject.first.fork(key, { atSeq: 3, sessionId: 'fork' });
      same([fork.version, fork.projectId, fork.timeZone, fork.ended], [3, 'p', 'Asia/Tokyo', false]);
      const source = await readAll(subject.second, key, { toSeq: 3 });
      same(await readAll(subject.second, fork.key), source, 'ids, seqs and content are kept');
      same(await subject.second.readBookkeeping(fork.key), [], 'the later summary is not copied');
      same(await subject.second.open(fork.key), fork);
    });
  },
  'fork.recorded': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answers('b')]);
    const source = await subject.first.open(key);
    const fork = await subject.second.fork(key, { atSeq: 1 });
    same(fork.forkedFrom, { sessionId: key.sessionId, incarnation: source?.incarnation, atSeq: 1 });
    assert.notEqual(fork.incarnation, source?.incarnation);
    assert.notEqual(fork.key.sessionId, key.sessionId);
    same(fork.ingestedSeq, 1, 'consumers start behind what was copied');
  },
  'fork.lives-on-its-own': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a', { id: 'e1' }), answers('b')]);
    const fork = await subject.first.fork(key, { atSeq: 2, sessionId: 'fork' });
    const { events } = await subject.second.append(fork.key, [says('c')], { expectedVersion: 2 });
    same(seqsOf(events), [3]);
    assert.equal((await subject.first.open(key))?.version, 2);
    const again = await subject.first.append(fork.key, [says('a', { id: 'e1' })]);
    same(seqsOf(again.events), [1], 'a copied id is known');
  },
  'fork.state-as-of': async (subject) => {
    const key = await begin(subject, { state: { k: 0 } });
    await subject.first.append(key, [says('a', { invocationId: 'i1' }), sets({ k: 1, notes: ['a'] })]);
    await subject.first.append(key, [says('b', { invocationId: 'i2' }), sets({ k: 2, notes: ['b'], late: 1 })]);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    const state = async (atSeq: number) => (await subject.first.fork(key, { atSeq })).state;
    same(await state(1), { k: 0 });
    same(await state(3), { k: 1, notes: ['a'] });
    same(await state(5), { k: 2, notes: ['a', 'b'], late: 1 });
    same(await state(6), { k: 1, notes: ['a'] });
  },
  'fork.no-shared-delta-again': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [sets({ 'app:notes': ['a'], 'user:n': 1 })]);
    await subject.first.append(key, [sets({ 'user:n': 2 })]);
    const fork = await subject.second.fork(key, { atSeq: 1 });
    same(fork.state, { 'user:n': 2, 'app:notes': ['a'] });
    same(await stateOf(subject.first, key), { 'user:n': 2, 'app:notes': ['a'] });
    same((await subject.first.stateHistory({ appName: key.appName }, 'notes')).length, 1);
  },
  'fork.refused-while-open': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), calls('c1'), calls('c2'), returns('c1'), returns('c2')]);
    const refusal = async (atSeq: number, openCalls: readonly string[]) =>
      refused(subject.first.fork(key, { atSeq, sessionId: 'fork' }), 'FORK_REFUSED', {
        sessionId: key.sessionId,
        openCalls,
      });
    await refusal(2, ['c1']);
    await refusal(3, ['c1', 'c2']);
    await refusal(4, ['c2']);
    assert.equal(await subject.second.open(keyIn(subject, 'fork')), undefined);
    await subject.first.fork(key, { atSeq: 5, sessionId: 'fork' });
    await subject.first.fork(key, { atSeq: 1 });
  },
  'fork.into-expired-id': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answers('b')]);
    const expired = await begin(subject, { sessionId: 'fork', ttlSeconds: 60, state: { old: 1 } });
    await subject.first.append(expired, [says('old', { id: 'e1' })]);
    const before = await subject.first.open(expired);
    await refused(subject.second.fork(key, { atSeq: 1, sessionId: 'fork' }), 'SESSION_EXISTS');
    subject.clock.advance(60_000);
    const fork = await subject.second.fork(key, { atSeq: 1, sessionId: 'fork' });
    assert.notEqual(fork.incarnation, before?.incarnation);
    same([fork.version, fork.state, fork.ttlSeconds], [1, {}, undefined]);
    same(await subject.first.open(fork.key), fork);
    same(await readAll(subject.first, fork.key), await readAll(subject.first, key, { toSeq: 1 }));
    const { events } = await subject.first.append(fork.key, [says('other', { id: 'e1' })]);
    same(seqsOf(events), [2], 'ids of the former life are free');
  },
  'fork.bad-input': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')]);
    for (const atSeq of [-1, 2, 1.5, Number.NaN]) {
      await refused(subject.first.fork(key, { atSeq }), 'INVALID_ARGUMENT', { argument: 'atSeq' });
    }
    await refused(subject.first.fork(key, { atSeq: 1, sessionId: key.sessionId }), 'SESSION_EXISTS');
    same((await subject.second.list({ appName: key.appName })).items.length, 1);
  },
} satisfies Checks<SessionSubject>;
