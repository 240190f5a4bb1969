import assert from 'node:assert/strict';
import type { Event, SessionKey } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { everyPage, readAll, refused, same, seqsOf, stateOf, textsOf, unchanged } from '../expectations.ts';
import { answers, compacts, pins, removes, says, sets } from '../sample-events.ts';
import { begin, type SessionSubject } from '../session-subject.ts';

async function effective(subject: SessionSubject, key: SessionKey): Promise<readonly Event[]> {
  return everyPage((cursor) => subject.second.readEffective(key, cursor === undefined ? {} : { cursor }));
}

/** Initial state as event 1, then two invocations of three events each that write state. */
async function beginTwoTurns(
  subject: SessionSubject,
  state: Record<string, unknown> = { tenant: 't1' },
): Promise<SessionKey> {
  const key = await begin(subject, { state });
  await subject.first.append(key, [
    says('one', { invocationId: 'i1' }),
    answers('first', { actions: { stateDelta: { k1: 1, kept: 'x' } } }),
    says('two', { invocationId: 'i2' }),
    answers('second', { actions: { stateDelta: { k1: 9, k2: 2 } } }),
  ]);
  return key;
}

/** Checks of what a rewind hides, reverts and leaves. */
export const rewindChecks = {
  'rewind.hides': async (subject) => {
    const key = await beginTwoTurns(subject);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    await subject.first.append(key, [says('three')]);
    same(seqsOf(await readAll(subject.second, key)), [1, 2, 3, 4, 5, 6, 7], 'the log keeps everything');
    same(textsOf(await effective(subject, key)).filter(Boolean), ['one', 'first', 'three']);
  },
  'rewind.recorded': async (subject) => {
    const key = await beginTwoTurns(subject);
    const event = await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    same(event.actions.rewind, { beforeInvocationId: 'i2', fromSeq: 4 });
    same([event.seq, event.author, event.origin], [6, 'system', 'system']);
    same((await subject.second.read(key, { fromSeq: 6 })).items, [event]);
    same(await subject.second.readBookkeeping(key), [event]);
  },
  'rewind.through-append': async (subject) => {
    const key = await beginTwoTurns(subject);
    const lying = { author: 'system', actions: { rewind: { beforeInvocationId: 'i2', fromSeq: 1 } } };
    const { events } = await subject.first.append(key, [lying]);
    same(events[0]?.actions.rewind?.fromSeq, 4, 'fromSeq is found, not believed');
    same(await stateOf(subject.second, key), { tenant: 't1', k1: 1, kept: 'x' });
  },
  'rewind.unknown-invocation': async (subject) => {
    const key = await beginTwoTurns(subject);
    await unchanged(subject.second, key, async () => {
      const error = await refused(subject.first.rewind(key, { beforeInvocationId: 'nope' }), 'INVALID_REWIND');
      assert.equal(error.details.invocationId, 'nope');
    });
  },
  'rewind.keys-of-the-span': async (subject) => {
    const key = await beginTwoTurns(subject);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    for (const service of [subject.first, subject.second]) {
      same(await stateOf(service, key), { tenant: 't1', k1: 1, kept: 'x' });
    }
  },
  'rewind.initial-state-stays': async (subject) => {
    const key = await beginTwoTurns(subject, { tenant: 't1', k1: 0, nothing: null });
    const [initial] = await readAll(subject.first, key);
    const tooFar = subject.first.rewind(key, { beforeInvocationId: initial?.invocationId ?? '' });
    await refused(tooFar, 'INVALID_REWIND');
    await subject.first.rewind(key, { beforeInvocationId: 'i1' });
    same(await stateOf(subject.second, key), { tenant: 't1', k1: 0, nothing: null });
  },
  'rewind.absent-again': async (subject) => {
    const key = await beginTwoTurns(subject, {});
    await subject.first.append(key, [removes('kept'), sets({ fresh: null })]);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    const state = await stateOf(subject.second, key);
    same(state, { k1: 1, kept: 'x' });
    assert.ok(!('fresh' in state) && !('k2' in state), 'an absent key is not null');
  },
  'rewind.merged-keys': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [
      says('one', { invocationId: 'i1' }),
      sets({ notes: ['a'], tags: ['x'], peak: 5 }),
      sets({ notes: ['b'], tags: ['x'], peak: 2 }),
    ]);
    const second = sets({ notes: ['c'], tags: ['x', 'y'], peak: 9 });
    await subject.first.append(key, [says('two', { invocationId: 'i2' }), second]);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    same(await stateOf(subject.second, key), { notes: ['a', 'b'], tags: ['x'], peak: 5 });
    await subject.first.append(key, [sets({ notes: ['d'] })]);
    same((await stateOf(subject.second, key)).notes, ['a', 'b', 'd']);
  },
  'rewind.shared-stays': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('one', { invocationId: 'i1' }), sets({ 'app:a': 1, 'user:u': 1, s: 1 })]);
    await subject.first.append(key, [says('two', { invocationId: 'i2' }), sets({ 'app:a': 2, 'user:u': 2, s: 2 })]);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    same(await stateOf(subject.second, key), { s: 1, 'user:u': 2, 'app:a': 2 });
  },
  'rewind.shared-on-demand': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('one', { invocationId: 'i1' }), sets({ 'app:a': 1, 'user:u': 1, s: 1 })]);
    await subject.first.append(key, [
      says('two', { invocationId: 'i2' }),
      sets({ 'app:a': 2, 'user:u': 2, 'user:new': 1, s: 2 }),
    ]);
    const event = await subject.first.rewind(key, { beforeInvocationId: 'i2', shared: true });
    assert.equal(event.actions.rewind?.shared, true);
    same(await stateOf(subject.second, key), { s: 1, 'user:u': 1, 'app:a': 1 });
  },
  'rewind.shared-merges': async (subject) => {
    const key = await begin(subject);
    const other = await begin(subject, { sessionId: 's2' });
    const merged = (note: string, peak: number) => sets({ 'app:notes': [note], 'user:tags': [note], 'app:peak': peak });
    await subject.first.append(key, [says('one', { invocationId: 'i1' }), merged('a', 1)]);
    await subject.first.append(key, [says('two', { invocationId: 'i2' }), merged('b', 9)]);
    await subject.first.append(key, [merged('c', 3)]);
    await subject.first.append(other, [says('one'), says('two'), says('three'), sets({ 'user:tags': ['theirs'] })]);
    await subject.second.rewind(key, { beforeInvocationId: 'i2', shared: true });
    const taken = { 'user:tags': ['a', 'b', 'c', 'theirs'], 'app:notes': ['a'], 'app:peak': 1 };
    for (const one of [key, other]) same(await stateOf(subject.first, one), taken, 'what others built on stands');
    await subject.first.append(other, [sets({ 'app:notes': ['d'], 'app:peak': 2 })]);
    const { 'app:notes': notes, 'app:peak': peak } = await stateOf(subject.second, key);
    same([notes, peak], [['a', 'd'], 2]);
  },
  'rewind.twice': async (subject) => {
    const key = await beginTwoTurns(subject);
    await subject.first.append(key, [says('three', { invocationId: 'i3' }), sets({ k3: 3 })]);
    await subject.first.rewind(key, { beforeInvocationId: 'i3' });
    same(await stateOf(subject.second, key), { tenant: 't1', k1: 9, kept: 'x', k2: 2 });
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    same(textsOf(await effective(subject, key)).filter(Boolean), ['one', 'first']);
    same(await stateOf(subject.second, key), { tenant: 't1', k1: 1, kept: 'x' });
  },
  'rewind.of-a-rewind': async (subject) => {
    const key = await beginTwoTurns(subject);
    const rewind = await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    await subject.first.append(key, [says('three'), sets({ k1: 100, k3: 3 })]);
    await subject.first.rewind(key, { beforeInvocationId: rewind.invocationId });
    same(textsOf(await effective(subject, key)).filter(Boolean), ['one', 'first', 'two', 'second']);
    same(await stateOf(subject.second, key), { tenant: 't1', k1: 9, kept: 'x', k2: 2 });
  },
  'rewind.bookkeeping-about-live-events': async (subject) => {
    const key = await beginTwoTurns(subject);
    await subject.first.append(key, [compacts([[2, 3]]), pins(2), pins(5)]);
    await subject.first.rewind(key, { beforeInvocationId: 'i2' });
    await unchanged(subject.second, key, async () => {
      await refused(subject.first.append(key, [compacts([[3, 3]])]), 'INVALID_COMPACTION');
    });
    await subject.first.append(key, [compacts([[2, 3]], { supersedes: [6] })]);
  },
  'rewind.expected-version': async (subject) => {
    const key = await beginTwoTurns(subject);
    await unchanged(subject.second, key, async () => {
      const stale = subject.first.rewind(key, { beforeInvocationId: 'i2', expectedVersion: 3 });
      await refused(stale, 'APPEND_CONFLICT', { expected: 3, actual: 5 });
    });
    const event = await subject.first.rewind(key, { beforeInvocationId: 'i2', expectedVersion: 5 });
    assert.equal(event.seq, 6);
  },
} satisfies Checks<SessionSubject>;
