import assert from 'node:assert/strict';
import type { EventInput } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, seqsOf, stateOf, textsOf, unchanged, upTo } from '../expectations.ts';
import { answers, calls, compacts, overflows, pins, says, sets, trims, unpins } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

/** Checks of what an append stores and refuses. */
export const appendChecks = {
  'append.order': async (subject) => {
    const key = await begin(subject);
    const backwards = upTo(20).map((n) => says(`t${n}`, { timestamp: `2026-01-01T00:00:${59 - n}.000Z` }));
    const equal = upTo(20).map((n) => says(`e${n}`, { timestamp: '2026-01-01T00:00:00.000Z' }));
    await subject.first.append(key, backwards);
    for (const event of equal) await subject.first.append(key, [event]);
    const expected = [...upTo(20).map((n) => `t${n}`), ...upTo(20).map((n) => `e${n}`)];
    for (const service of [subject.first, subject.second]) {
      same(textsOf(await readAll(service, key)), expected);
      same(textsOf(await readAll(service, key, { newestFirst: true })), [...expected].reverse());
    }
  },
  'append.dense-seqs': async (subject) => {
    const key = await begin(subject);
    const one = await subject.first.append(key, [says('a'), answers('b')]);
    await refused(subject.first.append(key, [{ author: '' }]), 'INVALID_ID');
    const two = await subject.second.append(key, [says('c')]);
    same([seqsOf(one.events), one.version, seqsOf(two.events), two.version], [[1, 2], 2, [3], 3]);
    same(seqsOf(await readAll(subject.first, key)), [1, 2, 3]);
    assert.equal((await subject.first.open(key))?.version, 3);
  },
  'append.result-is-what-is-read': async (subject) => {
    const key = await begin(subject);
    const { events } = await subject.first.append(key, [says('a'), sets({ k: [1, { deep: '深' }] }), calls('c1')]);
    same(await readAll(subject.first, key), events);
    same(await readAll(subject.second, key), events);
  },
  'append.missing-session': async (subject) => {
    const key = keyIn(subject, 'never');
    await refused(subject.first.append(key, [says('a')]), 'SESSION_NOT_FOUND', { sessionId: 'never' });
    assert.equal(await subject.first.open(key), undefined);
    same((await subject.first.list({ appName: key.appName })).items, []);
  },
  'append.empty-batch': async (subject) => {
    const key = await begin(subject, { state: { k: 1 } });
    await unchanged(subject.second, key, async () => {
      same(await subject.first.append(key, []), { events: [], version: 1, replacedSurrogates: 0 });
    });
  },
  'append.clock-may-go-back': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('before'), says('as well')]);
    subject.clock.advance(-3_600_000);
    const { events } = await subject.second.append(key, [says('after')], { expectedVersion: 2 });
    same(seqsOf(events), [3]);
    same(textsOf(await readAll(subject.first, key)), ['before', 'as well', 'after']);
    same(textsOf(await readAll(subject.first, key, { newestFirst: true })), ['after', 'as well', 'before']);
  },
  'append.all-or-nothing': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')]);
    const bad: readonly EventInput[][] = [
      [says('b'), sets({ k: 1, 'app:k': 1, 'user:k': 1 }), { author: 'assistant', partial: true, content: 'c' }],
      [sets({ k: 1 }), sets({ when: new Date(0) })],
      [says('b'), compacts([[1, 9]])],
      [sets({ k: 1 }), pins(99)],
    ];
    await unchanged(subject.second, key, async () => {
      for (const batch of bad)
        await assert.rejects(subject.first.append(key, batch), 'a batch with a bad event was accepted');
    });
  },
  'append.works-after-refusal': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')]);
    for (let round = 0; round < 3; round++) {
      await refused(subject.first.append(key, [sets({ bad: Number.NaN })]), 'NOT_JSON');
      await refused(subject.first.append(key, [says('x')], { expectedVersion: 0 }), 'APPEND_CONFLICT');
      await refused(subject.first.append(keyIn(subject, 'gone'), [says('x')]), 'SESSION_NOT_FOUND');
    }
    assert.equal((await subject.first.append(key, [says('b')])).version, 2);
    assert.equal((await subject.second.append(key, [says('c')])).version, 3);
    await subject.first.health();
  },
  'append.version-checked': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')], { expectedVersion: 0 });
    await unchanged(subject.second, key, async () => {
      const stale = subject.second.append(key, [sets({ k: 1 })], { expectedVersion: 0 });
      await refused(stale, 'APPEND_CONFLICT', { sessionId: key.sessionId, expected: 0, actual: 1 });
    });
    const { version } = await subject.second.append(key, [answers('b')], { expectedVersion: 1 });
    assert.equal(version, 2);
  },
  'append.conflict-is-retryable': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answers('b'), says('c'), pins(2)]);
    const error = await refused(subject.first.append(key, [says('x')], { expectedVersion: 1 }), 'APPEND_CONFLICT');
    same(error.details, { sessionId: key.sessionId, expected: 1, actual: 4 });
    assert.equal(error.retryable, true);
    assert.ok(!/19\d\d|20\d\d/.test(error.message), `the message speaks of dates: ${error.message}`);
    const { version } = await subject.first.append(key, [says('x')], { expectedVersion: error.details.actual });
    assert.equal(version, 5);
  },
  'append.any-version': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a')]);
    await subject.second.append(key, [says('b')], { expectedVersion: 'any' });
    await subject.first.append(key, [says('c')]);
    same(textsOf(await readAll(subject.second, key)), ['a', 'b', 'c']);
  },
  'append.bad-version': async (subject) => {
    const key = await begin(subject);
    for (const expectedVersion of [-1, 1.5, Number.NaN]) {
      await refused(subject.first.append(key, [says('a')], { expectedVersion }), 'INVALID_ARGUMENT');
    }
    same(await readAll(subject.first, key), []);
  },
  'append.passive-keeps-version': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answers('b')]);
    const overflow = overflows({ why: 'tooLong', tokens: 9000 });
    for (const passive of [compacts([[1, 1]]), pins(2), unpins(2), trims(2), overflow])
      await subject.second.append(key, [passive]);
    await subject.second.end(key);
    const { version } = await subject.first.append(key, [says('c')], { expectedVersion: 2 });
    assert.equal(version, 9);
    await refused(subject.second.append(key, [says('d')], { expectedVersion: 8 }), 'APPEND_CONFLICT', { actual: 9 });
  },
  'append.rewind-outdates': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a', { invocationId: 'i1' })]);
    await subject.second.rewind(key, { beforeInvocationId: 'i1' });
    await refused(subject.first.append(key, [answers('b')], { expectedVersion: 1 }), 'APPEND_CONFLICT', {
      expected: 1,
      actual: 2,
    });
  },
  'append.idempotent-by-id': async (subject) => {
    const key = await begin(subject);
    const batch = [says('a', { id: 'e1' }), sets({ notes: [1], 'app:notes': [1] }, { id: 'e2' })];
    const once = await subject.first.append(key, batch);
    await subject.second.append(key, [says('later')]);
    const again = await subject.second.append(key, batch, { expectedVersion: 0 });
    same(again.events, once.events);
    same(again.version, 3);
    same(seqsOf(await readAll(subject.first, key)), [1, 2, 3]);
    same(await stateOf(subject.first, key), { notes: [1], 'app:notes': [1] });
  },
  'append.id-reused': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a', { id: 'e1' })]);
    await unchanged(subject.first, key, async () => {
      const others = [
        says('b', { id: 'e1' }),
        answers('a', { id: 'e1' }),
        sets({ k: 1 }, { id: 'e1' }),
        says('a', { id: 'e1', invocationId: 'another' }),
        says('a', { id: 'e1', timestamp: '1999-12-31T00:00:00Z' }),
      ];
      for (const other of others) {
        await refused(subject.second.append(key, [other]), 'EVENT_ID_REUSED', {
          sessionId: key.sessionId,
          eventId: 'e1',
        });
      }
    });
  },
  'append.batch-stored-in-part': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a', { id: 'e1' })]);
    await unchanged(subject.first, key, async () => {
      const half = [says('a', { id: 'e1' }), sets({ k: 1 }, { id: 'e2' })];
      await refused(subject.first.append(key, half), 'EVENT_ID_REUSED');
      await refused(subject.first.append(key, [...half].reverse()), 'EVENT_ID_REUSED');
    });
  },
  'append.id-twice-in-batch': async (subject) => {
    const key = await begin(subject);
    const twice = [says('a', { id: 'e1' }), says('b', { id: 'e1' })];
    await refused(subject.first.append(key, twice), 'EVENT_ID_REUSED', { eventId: 'e1' });
    same(await readAll(subject.first, key), []);
  },
  'append.ids-per-session': async (subject) => {
    const one = await begin(subject, { sessionId: 'one' });
    const two = await begin(subject, { sessionId: 'two' });
    await subject.first.append(one, [says('a', { id: 'e1' })]);
    await subject.first.append(two, [says('b', { id: 'e1' })]);
    same(textsOf(await readAll(subject.second, two)), ['b']);
    const { events } = await subject.first.append(two, [says('c'), says('d')]);
    assert.equal(new Set(events.map((event) => event.id)).size, 2);
  },
  'append.partial-refused': async (subject) => {
    const key = await begin(subject);
    subject.clock.advance(5000);
    await unchanged(subject.first, key, async () => {
      const piece = subject.first.append(key, [{ author: 'assistant', content: 'He', partial: true }]);
      const error = await refused(piece, 'INVALID_EVENT');
      assert.match(error.details.field, /partial$/);
    });
    await subject.first.append(key, [{ author: 'assistant', content: 'Hello', partial: false }]);
    same(textsOf(await readAll(subject.first, key)), ['Hello']);
  },
  'append.moves-the-session-clock': async (subject) => {
    const key = await begin(subject);
    subject.clock.advance(5000);
    const { events } = await subject.first.append(key, [says('a', { timestamp: '1999-01-01T00:00:00Z' })]);
    const session = await subject.second.open(key);
    assert.equal(session?.updatedAt, events[0]?.recordedAt);
    assert.equal(session?.updatedAt, '2026-01-01T00:00:05.000Z');
    assert.equal((await subject.second.list({ appName: key.appName })).items[0]?.updatedAt, session?.updatedAt);
  },
  'append.input-not-kept': async (subject) => {
    const key = await begin(subject);
    const delta = { list: [1], map: { a: 1 } };
    const artifactDelta = { 'a.txt': 0 };
    const event = {
      author: 'assistant',
      actions: { stateDelta: delta, artifactDelta },
      customMetadata: { tags: ['x'] },
    };
    await subject.first.append(key, [event]);
    delta.list.push(2);
    delta.map.a = 9;
    artifactDelta['a.txt'] = 9;
    event.customMetadata.tags.push('y');
    const [stored] = await readAll(subject.first, key);
    same(stored?.actions, { stateDelta: { list: [1], map: { a: 1 } }, artifactDelta: { 'a.txt': 0 } });
    same(stored?.customMetadata, { tags: ['x'] });
    same(await stateOf(subject.first, key), { list: [1], map: { a: 1 } });
  },
  'append.only-adds': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(
      key,
      upTo(10).map((n) => says(`m${n}`)),
    );
    const page = await subject.first.read(key, { newestFirst: true, limit: 2 });
    same(seqsOf(page.items), [10, 9]);
    await subject.first.append(key, [says('m11')], { expectedVersion: 10 });
    same(
      textsOf(await readAll(subject.second, key)),
      upTo(11).map((n) => `m${n}`),
    );
  },
  'append.reading-writes-nothing': async (subject) => {
    const key = await begin(subject, { state: { k: 1 } });
    await subject.first.append(key, [says('a'), answers('b')]);
    await unchanged(subject.first, key, async () => {
      for (const service of [subject.first, subject.second]) {
        await service.open(key);
        await service.read(key);
        await service.readEffective(key);
        await service.readBookkeeping(key);
        await service.list({ appName: key.appName });
      }
    });
  },
  'append.unknown-field': async (subject) => {
    const key = await begin(subject);
    const field = { author: 'user', content: 'a', colour: 'red' };
    const action = { author: 'user', actions: { explode: true } } as EventInput;
    assert.match((await refused(subject.first.append(key, [field]), 'INVALID_EVENT')).details.field, /colour$/);
    assert.match((await refused(subject.first.append(key, [action]), 'INVALID_EVENT')).details.field, /explode$/);
    same(await readAll(subject.first, key), []);
  },
} satisfies Checks<SessionSubject>;
