import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, textsOf, unchanged } from '../expectations.ts';
import { answers, compacts, says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

const second = 1000;

/** Checks of the lease that a run holds, and of what memory has read. */
export const leaseChecks = {
  'lease.one-holder': async (subject) => {
    const key = await begin(subject);
    const lease = await subject.first.acquireLease(key, 'run 1');
    same([lease.owner, lease.key, lease.expiresAt], ['run 1', key, '2026-01-01T00:00:30.000Z']);
    for (const service of [subject.first, subject.second]) {
      const busy = service.acquireLease(key, 'run 2');
      const error = await refused(busy, 'SESSION_BUSY', { sessionId: key.sessionId, freeAt: lease.expiresAt });
      assert.equal(error.retryable, true);
    }
    await subject.second.acquireLease(await begin(subject, { sessionId: 's2' }), 'run 2');
  },
  'lease.appends-are-fenced': async (subject) => {
    const key = await begin(subject);
    const lease = await subject.first.acquireLease(key, 'run 1');
    await subject.first.append(key, [says('mine')], { lease });
    subject.clock.advance(31 * second);
    const taken = await subject.second.acquireLease(key, 'run 2');
    assert.ok(taken.token > lease.token, 'the token did not grow');
    await unchanged(subject.first, key, () =>
      refused(subject.first.append(key, [sets({ k: 1 })], { lease }), 'LEASE_LOST', { sessionId: key.sessionId }),
    );
    await subject.second.append(key, [says('theirs')], { lease: taken });
    same(textsOf(await readAll(subject.first, key)), ['mine', 'theirs']);
  },
  'lease.taken-over-when-over': async (subject) => {
    const key = await begin(subject);
    await subject.first.acquireLease(key, 'run 1');
    subject.clock.advance(30 * second - 1);
    await refused(subject.second.acquireLease(key, 'run 2'), 'SESSION_BUSY');
    subject.clock.advance(2);
    const lease = await subject.second.acquireLease(key, 'run 2', { seconds: 5 });
    same([lease.owner, lease.expiresAt], ['run 2', '2026-01-01T00:00:35.001Z']);
  },
  'lease.renewed': async (subject) => {
    const key = await begin(subject);
    const lease = await subject.first.acquireLease(key, 'run 1');
    subject.clock.advance(20 * second);
    const renewed = await subject.first.renewLease(lease);
    same([renewed.token, renewed.expiresAt], [lease.token, '2026-01-01T00:00:50.000Z']);
    subject.clock.advance(29 * second);
    await refused(subject.second.acquireLease(key, 'run 2'), 'SESSION_BUSY');
    subject.clock.advance(2 * second);
    await subject.second.acquireLease(key, 'run 2');
    await refused(subject.first.renewLease(renewed), 'LEASE_LOST', { sessionId: key.sessionId });
  },
  'lease.released': async (subject) => {
    const key = await begin(subject);
    const lease = await subject.first.acquireLease(key, 'run 1');
    await subject.first.releaseLease(lease);
    const next = await subject.second.acquireLease(key, 'run 2');
    assert.ok(next.token > lease.token, 'the token did not grow');
    await subject.first.releaseLease(lease);
    await refused(subject.first.acquireLease(key, 'run 3'), 'SESSION_BUSY');
    await refused(subject.first.append(key, [says('a')], { lease }), 'LEASE_LOST');
  },
  'lease.waits': async (subject) => {
    const key = await begin(subject);
    const lease = await subject.first.acquireLease(key, 'run 1');
    const release = sleep(20).then(() => subject.first.releaseLease(lease));
    const waiting = subject.second.acquireLease(key, 'run 2', { waitMs: 5000 });
    const [taken] = await Promise.all([waiting, release]);
    assert.equal(taken.owner, 'run 2');
    await refused(subject.first.acquireLease(key, 'run 3', { waitMs: 30 }), 'SESSION_BUSY');
  },
  'lease.wait-aborted': async (subject) => {
    const key = await begin(subject);
    await subject.first.acquireLease(key, 'run 1');
    const abort = new AbortController();
    const waiting = subject.second.acquireLease(key, 'run 2', { waitMs: 5000, signal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    await refused(waiting, 'ABORTED');
  },
  'lease.dies-with-its-session': async (subject) => {
    const key = await begin(subject);
    const lease = await subject.first.acquireLease(key, 'run 1');
    await subject.second.delete(key);
    await subject.second.create(key);
    await refused(subject.first.append(key, [says('a')], { lease }), 'LEASE_LOST');
    await refused(subject.first.renewLease(lease), 'LEASE_LOST');
    await subject.first.releaseLease(lease);
    same(await readAll(subject.second, key), []);
    const next = await subject.second.acquireLease(key, 'run 2');
    await refused(subject.first.append(key, [says('a')], { lease }), 'LEASE_LOST');
    await subject.first.releaseLease(lease);
    await subject.second.append(key, [says('b')], { lease: next });
  },
  'lease.second-writer': async (subject) => {
    const key = await begin(subject);
    const lease = await subject.first.acquireLease(key, 'run 1');
    await subject.first.append(key, [says('question')], { lease });
    await subject.second.append(key, [says('from a webhook')]);
    await subject.second.append(key, [compacts([[1, 1]])]);
    await subject.first.append(key, [answers('the answer')], { lease });
    same(textsOf(await readAll(subject.second, key)), ['question', 'from a webhook', '', 'the answer']);
  },
  'lease.bad-input': async (subject) => {
    const key = await begin(subject);
    for (const seconds of [0, -1, Number.NaN]) {
      await refused(subject.first.acquireLease(key, 'run', { seconds }), 'INVALID_ARGUMENT');
    }
    await refused(subject.first.acquireLease(key, 'run', { waitMs: -1 }), 'INVALID_ARGUMENT', { argument: 'waitMs' });
    await subject.second.acquireLease(key, 'run');
  },
  'ingestion.behind': async (subject) => {
    const one = await begin(subject, { sessionId: 'one', state: { k: 1 } });
    const two = await begin(subject, { sessionId: 'two' });
    await begin(subject, { sessionId: 'empty' });
    await subject.first.append(two, [says('a'), says('b')]);
    const behind = async (limit?: number) =>
      (await subject.second.listBehind({ appName: one.appName, ...(limit ? { limit } : {}) })).map(
        (info) => info.key.sessionId,
      );
    same([...(await behind())].sort(), ['one', 'two']);
    same((await behind(1)).length, 1);
    const { incarnation = '' } = (await subject.first.open(two)) ?? {};
    await subject.first.noteIngested(two, incarnation, 1);
    same([...(await behind())].sort(), ['one', 'two']);
    await subject.second.noteIngested(two, incarnation, 2);
    same(await behind(), ['one']);
    await subject.first.append(two, [says('c')]);
    same([...(await behind())].sort(), ['one', 'two']);
  },
  'ingestion.forward-only': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), says('b')]);
    const { incarnation = '' } = (await subject.first.open(key)) ?? {};
    await subject.first.noteIngested(key, incarnation, 2);
    await subject.second.noteIngested(key, incarnation, 1);
    await subject.second.noteIngested(key, '00000000-0000-4000-8000-000000000000', 0);
    assert.equal((await subject.first.open(key))?.ingestedSeq, 2);
    await subject.first.append(key, [says('c')], { expectedVersion: 2 });
    await subject.second.noteIngested(key, 'another life', 3);
    assert.equal((await subject.first.open(key))?.ingestedSeq, 2);
    await subject.first.noteIngested(keyIn(subject, 'gone'), incarnation, 1);
    assert.equal(await subject.second.open(keyIn(subject, 'gone')), undefined);
    const short = await begin(subject, { sessionId: 'short', ttlSeconds: 1 });
    subject.clock.advance(2 * second);
    await subject.first.noteIngested(short, incarnation, 1);
  },
  'ingestion.bad-input': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')]);
    const { incarnation = '' } = (await subject.first.open(key)) ?? {};
    for (const seq of [-1, 1.5, Number.NaN]) {
      await refused(subject.first.noteIngested(key, incarnation, seq), 'INVALID_ARGUMENT', { argument: 'seq' });
    }
    await subject.first.noteIngested(key, incarnation, 99);
    assert.ok(((await subject.second.open(key))?.ingestedSeq ?? 99) <= 1, 'a mark stands beyond the log');
  },
} satisfies Checks<SessionSubject>;
