import assert from 'node:assert/strict';
import type { SessionKey } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, seqsOf, stateOf, textsOf, unchanged, upTo } from '../expectations.ts';
import { answers, compacts, says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

const minute = 60_000;

/** Checks of how sessions begin, end and go. */
export const lifeChecks = {
  'create.unique': async (subject) => {
    const key = await begin(subject, { state: { k: 1 } });
    await subject.first.append(key, [says('a')]);
    await unchanged(subject.first, key, async () => {
      for (const service of [subject.first, subject.second]) {
        const again = service.create({ ...key, state: { k: 2, 'app:k': 2, 'user:k': 2 } });
        await refused(again, 'SESSION_EXISTS', { sessionId: key.sessionId });
      }
    });
  },
  'create.facts': async (subject) => {
    subject.clock.advance(500);
    const facts = { projectId: 'p', ttlSeconds: 60, timeZone: 'Europe/Berlin', metadata: { title: '标题', n: [1] } };
    const session = await subject.first.create({ ...keyIn(subject), ...facts });
    const { key, projectId, ttlSeconds, timeZone, metadata } = session;
    same({ projectId, ttlSeconds, timeZone, metadata }, facts);
    same(key, keyIn(subject));
    const now = '2026-01-01T00:00:00.500Z';
    same([session.createdAt, session.updatedAt, session.expiresAt], [now, now, '2026-01-01T00:01:00.500Z']);
    same([session.ended, session.version, session.ingestedSeq, session.forkedFrom], [false, 0, 0, undefined]);
    same(await subject.second.open(key), session);
  },
  'create.id-given': async (subject) => {
    const { sessionId: _, ...scope } = keyIn(subject);
    const one = await subject.first.create(scope);
    const two = await subject.first.create(scope);
    assert.notEqual(one.key.sessionId, two.key.sessionId);
    assert.match(one.key.sessionId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.notEqual(one.incarnation, two.incarnation);
    same((await subject.second.open(one.key))?.key, one.key);
  },
  'create.bad-input': async (subject) => {
    const key = keyIn(subject);
    for (const ttlSeconds of [0, -1, Number.NaN]) {
      await refused(subject.first.create({ ...key, ttlSeconds }), 'INVALID_ARGUMENT', { argument: 'ttlSeconds' });
    }
    await refused(subject.first.create({ ...key, timeZone: 'Mars/Base' }), 'INVALID_ARGUMENT', {
      argument: 'timeZone',
    });
    await refused(subject.first.create({ ...key, state: { a: new Set() } }), 'NOT_JSON', { path: 'state.a' });
    await refused(subject.first.create({ ...key, metadata: { a: () => 1 } }), 'NOT_JSON');
    await refused(subject.first.create({ ...key, state: { '': 1 } }), 'INVALID_EVENT');
    assert.equal(await subject.second.open(key), undefined);
  },
  'end.recorded': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')]);
    const event = await subject.first.end(key);
    same([event.seq, event.author, event.origin, event.actions], [2, 'system', 'system', { sessionEnd: true }]);
    assert.equal((await subject.second.open(key))?.ended, true);
    same((await subject.second.list({ appName: key.appName })).items[0]?.ended, true);
    same(await readAll(subject.second, key, { fromSeq: 2 }), [event]);
  },
  'end.once': async (subject) => {
    const key = await begin(subject);
    const event = await subject.first.end(key);
    subject.clock.advance(minute);
    same(await subject.second.end(key), event);
    assert.equal((await subject.first.open(key))?.version, 1);
  },
  'end.reopened-by-append': async (subject) => {
    const key = await begin(subject);
    await subject.first.end(key);
    await subject.second.append(key, [says('a')], { expectedVersion: 0 });
    assert.equal((await subject.first.open(key))?.ended, false);
    assert.equal((await subject.first.end(key)).seq, 3);
  },
  'end.idle': async (subject) => {
    const idle = await begin(subject, { sessionId: 'idle' });
    await subject.first.append(idle, [says('a')]);
    const ended = await begin(subject, { sessionId: 'ended' });
    await subject.first.append(ended, [says('a')]);
    await subject.first.end(ended);
    subject.clock.advance(15 * minute);
    const busy = await begin(subject, { sessionId: 'busy' });
    await subject.first.append(busy, [says('a')]);
    const { appName } = idle;
    const idleSince = new Date(subject.clock.now() - minute).toISOString();
    const done = await subject.second.endIdle({ appName, idleSince });
    same(
      done.map((info) => info.key.sessionId),
      ['idle'],
    );
    same((await subject.first.readBookkeeping(idle)).at(-1)?.actions, { sessionEnd: true });
    same([(await subject.first.open(idle))?.ended, (await subject.first.open(busy))?.ended], [true, false]);
    assert.equal((await subject.first.open(ended))?.version, 2);
    same(await subject.first.endIdle({ appName, idleSince }), []);
    await refused(subject.first.endIdle({ appName, idleSince: 'lately' }), 'INVALID_ARGUMENT');
  },
  'ttl.gone-when-over': async (subject) => {
    const key = await begin(subject, { ttlSeconds: 60, state: { 'user:k': 1 } });
    for (const service of [subject.first, subject.second]) await service.append(key, [says('a')]);
    subject.clock.advance(minute - 1);
    assert.ok(await subject.first.open(key), 'is gone too early');
    subject.clock.advance(1);
    for (const service of [subject.first, subject.second]) {
      assert.equal(await service.open(key), undefined);
      await refused(service.append(key, [says('a')]), 'SESSION_NOT_FOUND');
      await refused(service.read(key), 'SESSION_NOT_FOUND');
      same((await service.list({ appName: key.appName })).items, []);
    }
  },
  'ttl.from-newest-event': async (subject) => {
    const key = await begin(subject, { ttlSeconds: 60 });
    subject.clock.advance(minute - 1);
    await subject.first.append(key, [says('a', { timestamp: '2020-01-01T00:00:00Z' })]);
    subject.clock.advance(minute - 1);
    assert.equal((await subject.second.open(key))?.expiresAt, '2026-01-01T00:01:59.999Z');
    subject.clock.advance(1);
    assert.equal(await subject.second.open(key), undefined);
  },
  'ttl.id-free-again': async (subject) => {
    const key = await begin(subject, { ttlSeconds: 60, state: { k: 1 } });
    await subject.first.append(key, [says('a', { id: 'e1' })]);
    subject.clock.advance(2 * minute);
    const session = await subject.second.create(key);
    same([session.version, session.state, session.ttlSeconds], [0, {}, undefined]);
    await subject.first.append(key, [says('b', { id: 'e1' })]);
    same(textsOf(await readAll(subject.second, key)), ['b']);
  },
  'ttl.sweep': async (subject) => {
    await begin(subject, { sessionId: 'forever' });
    await begin(subject, { sessionId: 'long', ttlSeconds: 3600 });
    for (const sessionId of ['a', 'b', 'c']) await begin(subject, { sessionId, ttlSeconds: 60 });
    const at = (millis: number) => new Date(subject.clock.now() + millis).toISOString();
    assert.equal(await subject.first.sweepExpired(at(0)), 0);
    assert.equal(await subject.second.sweepExpired(at(minute)), 3);
    assert.equal(await subject.first.sweepExpired(at(minute)), 0);
    const left = (await subject.first.list({ appName: keyIn(subject).appName })).items.map(
      (info) => info.key.sessionId,
    );
    same([...left].sort(), ['forever', 'long']);
    await refused(subject.first.sweepExpired('soon'), 'INVALID_ARGUMENT');
  },
  'ttl.sweep-all-or-nothing': async (subject) => {
    const key = await begin(subject, { ttlSeconds: 60, state: { k: 1 } });
    await subject.first.append(key, [says('a'), answers('b')]);
    subject.clock.advance(minute / 2);
    const fork = await subject.first.fork(key, { atSeq: 3, sessionId: 'fork' });
    let appended = false;
    const append = async () => {
      await subject.second.append(key, [says('still here')]);
      appended = true;
    };
    subject.hooks.onErase = () =>
      append().then(
        () => 0,
        () => 0,
      );
    // A sweeper whose clock is ahead of the writer's.
    const swept = await subject.first.sweepExpired(new Date(subject.clock.now() + minute / 2).toISOString());
    const left = await subject.second.open(key);
    const copies = (await readAll(subject.first, fork.key)).length;
    same([left?.version, copies, swept], appended ? [4, 3, 0] : [undefined, 0, 1]);
  },
  'delete.everything': async (subject) => {
    const key = await begin(subject, { state: { a: 1, b: 2, 'user:u': 1, 'app:p': 1 } });
    await subject.first.append(key, [says('x'), answers('y')]);
    const { incarnation } = (await subject.first.open(key)) ?? assert.fail('is gone');
    const receipt = await subject.second.delete(key);
    same(receipt.sessions, [{ userId: key.userId, sessionId: key.sessionId, incarnation }]);
    same([receipt.events, receipt.stateKeys, receipt.memories], [3, 2, 0]);
    for (const service of [subject.first, subject.second]) {
      assert.equal(await service.open(key), undefined);
      await refused(service.read(key), 'SESSION_NOT_FOUND');
    }
    await refused(subject.first.delete(key), 'SESSION_NOT_FOUND');
    const sibling = await begin(subject, { sessionId: 's2' });
    same(await stateOf(subject.second, sibling), { 'user:u': 1, 'app:p': 1 });
  },
  'delete.new-life': async (subject) => {
    const key = await begin(subject, { state: { k: 1 } });
    await subject.first.append(key, [says('old', { id: 'e1' })]);
    const old = await subject.first.open(key);
    await subject.first.noteIngested(key, old?.incarnation ?? '', 2);
    await subject.first.delete(key);
    const session = await subject.second.create(key);
    same([session.version, session.state, session.ingestedSeq], [0, {}, 0]);
    assert.notEqual(session.incarnation, old?.incarnation);
    await subject.first.append(key, [says('new', { id: 'e1' })]);
    same(textsOf(await readAll(subject.second, key)), ['new']);
  },
  'delete.seen-by-all-handles': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('old')]);
    await subject.second.delete(key);
    const { incarnation } = await subject.second.create(key);
    await subject.second.append(key, [sets({ k: 1 })]);
    await subject.first.append(key, [says('new')]);
    const session = await subject.second.open(key);
    same([session?.incarnation, session?.version, session?.state], [incarnation, 2, { k: 1 }]);
    same(textsOf(await readAll(subject.first, key)), ['', 'new']);
  },
  'delete.reaches-forks': async (subject) => {
    const key = await begin(subject, { state: { secret: 1 } });
    await subject.first.append(key, [says('quoted'), answers('b'), says('not copied')]);
    const fork = await subject.first.fork(key, { atSeq: 3, sessionId: 'fork' });
    await subject.first.append(fork.key, [says('own'), sets({ own: 1 })]);
    const grandchild = await subject.first.fork(fork.key, { atSeq: 4, sessionId: 'grandchild' });
    const receipt = await subject.second.delete(key);
    same(textsOf(await readAll(subject.first, fork.key)), ['own', '']);
    same(textsOf(await readAll(subject.first, grandchild.key)), ['own']);
    same(await stateOf(subject.first, fork.key), { own: 1 });
    const reached = receipt.sessions.filter(({ seqs }) => seqs !== undefined);
    same(reached.map(({ sessionId, seqs }) => [sessionId, seqs]).sort(), [
      ['fork', [[1, 3]]],
      ['grandchild', [[1, 3]]],
    ]);
    assert.equal(receipt.events, 10);
    const { events } = await subject.second.append(fork.key, [says('goes on')]);
    same(seqsOf(events), [6]);
  },
  'delete.reaches-summaries': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('quoted', { invocationId: 'i1' }), answers('b')]);
    const fork = await subject.first.fork(key, { atSeq: 2, sessionId: 'fork' });
    await subject.first.append(fork.key, [says('own'), compacts([[1, 2]]), compacts([[3, 3]]), says('also own')]);
    const receipt = await subject.second.delete(key);
    same(
      (await readAll(subject.first, fork.key)).map((event) => event.seq),
      [3, 5, 6],
    );
    same(receipt.sessions.find(({ sessionId }) => sessionId === 'fork')?.seqs, [
      [1, 2],
      [4, 4],
    ]);
    await subject.first.append(fork.key, [compacts([[6, 6]])]);
  },
  'delete.spares-other-summaries': async (subject) => {
    const { first, second, hooks } = subject;
    const key = await begin(subject);
    await first.append(key, [says('quoted'), answers('b')]);
    const fork = await first.fork(key, { atSeq: 2, sessionId: 'fork' });
    await first.append(fork.key, [says('own'), compacts([[1, 2]]), says('also own')]);
    const grandchild = await first.fork(fork.key, { atSeq: 5, sessionId: 'grandchild' });
    await first.append(grandchild.key, [compacts([[3, 5]])]);
    const seqsIn = async (one: SessionKey) => (await readAll(first, one)).map(({ seq }) => seq);
    let told = 0;
    hooks.onErase = async ({ key: { sessionId } }) =>
      sessionId === 'grandchild' && ++told === 2 ? assert.fail('cut short, with one fork done') : 0;
    await assert.rejects(second.delete(key), /cut short/);
    hooks.onErase = async () => 0;
    same(await seqsIn(fork.key), [1, 2, 3, 4, 5]);
    same(await seqsIn(grandchild.key), [3, 5, 6], 'it runs over a summary that is gone, but is not made of it');
    await first.append(grandchild.key, [
      says('later'),
      compacts([
        [1, 2],
        [7, 7],
      ]),
    ]);
    await second.delete(key);
    same(await seqsIn(fork.key), [3, 5]);
    same(await seqsIn(grandchild.key), [3, 5, 6, 7, 8], 'it runs over events that were gone before it');
  },
  'delete.reaches-busy-forks': async (subject) => {
    const { first, second, hooks } = subject;
    const key = await begin(subject);
    await first.append(key, [says('quoted', { invocationId: 'i1' }), answers('b')]);
    const fork = await first.fork(key, { atSeq: 2, sessionId: 'fork' });
    await first.append(fork.key, [says('own', { invocationId: 'i2' })]);
    const meanwhile = [
      () => second.append(fork.key, [says('more', { invocationId: 'i3' })]),
      () => second.append(fork.key, [compacts([[1, 2]]), says('most', { invocationId: 'i4' })]),
      () => second.rewind(fork.key, { beforeInvocationId: 'i3' }),
    ];
    hooks.onErase = async ({ key: { sessionId } }) => {
      if (sessionId === 'fork') await meanwhile.shift()?.();
      return 0;
    };
    const receipt = await first.delete(key);
    same(meanwhile.length, 0);
    same(textsOf(await readAll(second, fork.key)), ['own', 'more', 'most', '']);
    same(receipt.sessions.find(({ sessionId }) => sessionId === 'fork')?.seqs?.[0], [1, 2]);
    const [joined] = (await second.append(fork.key, [answers('joins')])).events;
    same([joined?.seq, joined?.invocationId], [8, 'i2'], 'it joins the newest that is live');
  },
  'delete.reaches-every-fork': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('quoted')]);
    const forks: SessionKey[] = [];
    for (const n of upTo(205)) forks.push((await subject.first.fork(key, { atSeq: 1, sessionId: `fork ${n}` })).key);
    const receipt = await subject.second.delete(key);
    assert.equal(receipt.events, 206);
    for (const fork of forks) same(await readAll(subject.first, fork), []);
  },
  'delete.reaches-late-forks': async (subject) => {
    const { first, second, hooks } = subject;
    const key = await begin(subject);
    await first.append(key, [says('quoted'), answers('b')]);
    const fork = await first.fork(key, { atSeq: 2, sessionId: 'fork' });
    await first.append(fork.key, [says('own')]);
    await first.fork(fork.key, { atSeq: 3, sessionId: 'grandchild' });
    const late: SessionKey[] = [];
    hooks.onErase = async ({ key: { sessionId } }) => {
      // By now the copies of the fork, and of its source, are listed.
      if (sessionId !== 'grandchild' || late.length > 0) return 0;
      for (const source of [key, fork.key]) late.push((await second.fork(source, { atSeq: 2 })).key);
      return 0;
    };
    const receipt = await first.delete(key);
    same(late.length, 2);
    for (const one of late) same(await readAll(first, one), [], 'a copy made meanwhile is left');
    same(new Set(receipt.sessions.map(({ sessionId }) => sessionId)).size, receipt.sessions.length);
    assert.equal(receipt.events, 10);
  },
  'delete.forks-go-on': async (subject) => {
    const { first, second } = subject;
    const key = await begin(subject);
    await first.append(key, [says('quoted', { invocationId: 'i1' }), answers('b')]);
    await first.end(key);
    const bare = await first.fork(key, { atSeq: 3, sessionId: 'bare' });
    const named = await first.fork(key, { atSeq: 2, sessionId: 'named' });
    const talked = await first.fork(key, { atSeq: 2, sessionId: 'talked' });
    await first.append(talked.key, [says('own', { invocationId: 'i2' }), compacts([[1, 2]])]);
    await second.delete(key);
    same([(await first.open(bare.key))?.ended, (await first.open(bare.key))?.version], [false, 3]);
    const [later] = (await second.append(bare.key, [answers('later')], { expectedVersion: 0 })).events;
    assert.notEqual(later?.invocationId, 'i1', 'it joins nothing that is gone');
    const invocationId = later?.invocationId ?? '';
    same(seqsOf(await readAll(first, bare.key, { invocationId })), [4]);
    assert.equal((await first.rewind(bare.key, { beforeInvocationId: invocationId })).seq, 5);
    assert.equal((await second.end(bare.key)).seq, 6);
    await second.append(named.key, [answers('by name', { invocationId: 'i1' })]);
    same(seqsOf(await readAll(first, named.key, { invocationId: 'i1' })), [3]);
    const [joined] = (await second.append(talked.key, [answers('more')])).events;
    same([joined?.seq, joined?.invocationId], [5, 'i2'], 'it joins what is its own');
    same(seqsOf(await readAll(first, talked.key, { invocationId: 'i2' })), [3, 5]);
    await refused(first.append(talked.key, [says('late')], { expectedVersion: 4 }), 'APPEND_CONFLICT');
    assert.equal((await first.rewind(talked.key, { beforeInvocationId: 'i2' })).actions.rewind?.fromSeq, 3);
  },
  'delete.forks-end-again': async (subject) => {
    const { first, second } = subject;
    const key = await begin(subject);
    await first.append(key, [says('quoted')]);
    await first.end(key);
    const ended = await first.fork(key, { atSeq: 2, sessionId: 'ended' });
    assert.equal(ended.ended, true);
    const reopened = await first.fork(key, { atSeq: 1, sessionId: 'reopened' });
    await first.end(reopened.key);
    await first.append(reopened.key, [compacts([[1, 1]])]);
    await second.delete(key);
    const again = await second.fork(reopened.key, { atSeq: 3, sessionId: 'of the reopened' });
    for (const one of [ended, reopened, again]) {
      assert.equal((await first.open(one.key))?.ended, false);
      const event = await first.end(one.key);
      same([event.seq, event.actions], [one === ended ? 3 : 4, { sessionEnd: true }]);
      same(await second.end(one.key), event);
    }
  },
  'delete.user-data': async (subject) => {
    const key = await begin(subject, { state: { own: 1, 'user:a': 1, 'user:b': 2, 'app:k': 1 } });
    const other = await begin(subject, { userId: 'u2', state: { 'user:a': 9 } });
    const receipt = await subject.second.deleteUserData({ appName: key.appName, userId: key.userId });
    assert.equal(receipt.stateKeys, 2);
    same(await stateOf(subject.first, key), { own: 1, 'app:k': 1 });
    same(await stateOf(subject.first, other), { 'user:a': 9, 'app:k': 1 });
    same(await subject.first.stateHistory({ appName: key.appName, userId: key.userId }, 'a'), []);
  },
} satisfies Checks<SessionSubject>;
