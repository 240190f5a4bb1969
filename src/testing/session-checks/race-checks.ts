import assert from 'node:assert/strict';
import { isPalimpsestError, type SessionService } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, seqsOf, stateOf, stepsOf, textsOf, upTo } from '../expectations.ts';
import { answers, compacts, says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

function both(subject: SessionSubject): (n: number) => SessionService {
  return (n) => (n % 2 === 0 ? subject.first : subject.second);
}

/** What became of calls made at once. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<readonly string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((one) =>
    one.status === 'fulfilled' ? 'done' : isPalimpsestError(one.reason) ? one.reason.code : String(one.reason),
  );
}

/** Checks of what happens when several writers come at once, through both handles. */
export const raceChecks = {
  'race.creates': async (subject) => {
    const key = keyIn(subject);
    const pick = both(subject);
    const states = upTo(10).map((n) => ({ n, 'app:n': n, 'user:n': n }));
    const done = await outcomes(states.map((state, n) => pick(n).create({ ...key, state })));
    same([...done].sort(), [...Array.from({ length: 9 }, () => 'SESSION_EXISTS'), 'done']);
    const winner = states[done.indexOf('done')];
    same(await stateOf(subject.first, key), { n: winner?.n, 'user:n': winner?.n, 'app:n': winner?.n });
    assert.equal((await readAll(subject.second, key)).length, 1);
    assert.equal((await subject.first.stateHistory({ appName: key.appName }, 'n')).length, 1);
  },
  'race.first-sessions-of-an-app': async (subject) => {
    const pick = both(subject);
    const make = (n: number) =>
      pick(n).create({
        ...keyIn(subject, `s${n}`, `u${n}`),
        state: { [`app:k${n}`]: n, 'user:k': n, 'app:notes': [n] },
      });
    // In rounds, for the same reason as merges.
    for (const first of [1, 6]) {
      const numbers = upTo(5).map((n) => first + n - 1);
      same(
        await outcomes(numbers.map(make)),
        numbers.map(() => 'done'),
      );
    }
    const { 'app:notes': notes, ...others } = await stateOf(subject.second, keyIn(subject, 's3', 'u3'));
    same(Object.keys(others).length, 11);
    same(
      [...(Array.isArray(notes) ? notes : [])].sort((a, b) => Number(a) - Number(b)),
      upTo(10),
    );
  },
  'race.versioned-appends': async (subject) => {
    const key = await begin(subject);
    const pick = both(subject);
    for (const round of upTo(5)) {
      const expectedVersion = round - 1;
      const done = await outcomes(upTo(4).map((n) => pick(n).append(key, [says(`r${round}`)], { expectedVersion })));
      same([...done].sort(), ['APPEND_CONFLICT', 'APPEND_CONFLICT', 'APPEND_CONFLICT', 'done']);
    }
    same(textsOf(await readAll(subject.first, key)), ['r1', 'r2', 'r3', 'r4', 'r5']);
  },
  'race.plain-appends': async (subject) => {
    const key = await begin(subject);
    const pick = both(subject);
    const writing = upTo(100).map((n) => pick(n).append(key, [says(`m${n}`), sets({ notes: [n] })]));
    const reading = upTo(10).map(async (n) => seqsOf(await readAll(pick(n), key, { limit: 7 })));
    const [results, readings] = await Promise.all([Promise.all(writing), Promise.all(reading)]);
    for (const seqs of readings) same(seqs, upTo(seqs.length), 'a reader sees a log without holes');
    const events = await readAll(subject.first, key);
    same(seqsOf(events), upTo(200));
    for (const { events: pair } of results)
      same((pair[1]?.seq ?? 0) - (pair[0]?.seq ?? 0), 1, 'a batch stays together');
    const notes = (await stateOf(subject.second, key)).notes;
    same(
      [...(Array.isArray(notes) ? notes : [])].sort((a, b) => Number(a) - Number(b)),
      upTo(100),
    );
  },
  'race.same-id': async (subject) => {
    const key = await begin(subject);
    const pick = both(subject);
    const event = says('once', { id: 'e1', actions: { stateDelta: { 'app:notes': ['x'] } } });
    const results = await Promise.all(upTo(10).map((n) => pick(n).append(key, [event])));
    for (const { events } of results) same(events, results[0]?.events);
    assert.equal((await readAll(subject.first, key)).length, 1);
    same(await stateOf(subject.second, key), { 'app:notes': ['x'] });
    const different = upTo(6).map((n) => pick(n).append(key, [says(`v${n}`, { id: 'e2' })]));
    same([...(await outcomes(different))].sort(), [...Array.from({ length: 5 }, () => 'EVENT_ID_REUSED'), 'done']);
  },
  'race.shared-state': async (subject) => {
    const one = await begin(subject, { sessionId: 'one' });
    const two = await begin(subject, { sessionId: 'two' });
    const pick = both(subject);
    const key = (n: number) => (n % 3 === 0 ? one : two);
    await Promise.all(upTo(30).map((n) => pick(n).append(key(n), [sets({ [`app:k${n}`]: n, [`user:k${n}`]: n })])));
    const state = await stateOf(subject.first, one);
    same(Object.keys(state).length, 60);
    same(await stateOf(subject.second, two), state);
  },
  'race.shared-merges': async (subject) => {
    const one = await begin(subject, { sessionId: 'one' });
    const two = await begin(subject, { sessionId: 'two' });
    const pick = both(subject);
    const write = (n: number) =>
      pick(n).append(n % 3 === 0 ? one : two, [sets({ 'app:notes': [n], 'user:tags': [`t${n % 5}`], 'app:peak': n })]);
    // In rounds: writers that all wait for their turn on the thread before the first of them begins may go one by one.
    for (const round of [0, 10, 20]) await Promise.all(upTo(10).map((n) => write(round + n)));
    const state = await stateOf(subject.first, one);
    const notes = Array.isArray(state['app:notes']) ? state['app:notes'] : [];
    same(
      [...notes].sort((a, b) => Number(a) - Number(b)),
      upTo(30),
    );
    const tags = Array.isArray(state['user:tags']) ? state['user:tags'] : [];
    same([...tags].sort(), ['t0', 't1', 't2', 't3', 't4']);
    same(state['app:peak'], 30);
    const history = await subject.second.stateHistory({ appName: one.appName }, 'notes');
    same(
      history.map(({ revision }) => revision),
      upTo(30),
    );
  },
  'race.many-sessions': async (subject) => {
    const pick = both(subject);
    const keys = await Promise.all(upTo(20).map((n) => begin(subject, { sessionId: `s${n}` })));
    // In rounds, for the same reason as merges.
    for (const round of upTo(3)) {
      const writers = keys.flatMap((key, n) => upTo(3).map((m) => pick(n + m).append(key, [says(`${round}`)])));
      const done = await outcomes(writers);
      same(
        done,
        done.map(() => 'done'),
      );
    }
    for (const key of keys) same(seqsOf(await readAll(subject.first, key)), upTo(9));
  },
  'race.delete-and-append': async (subject) => {
    const pick = both(subject);
    for (const round of upTo(5)) {
      const key = await begin(subject, { sessionId: `s${round}`, state: { k: 1 } });
      const appends = upTo(6).map((n) => pick(n).append(key, [says('x'), sets({ k: n })]));
      const [deleted, ...done] = await outcomes([pick(round).delete(key), ...appends]);
      assert.equal(deleted, 'done');
      same(
        done.filter((one) => one !== 'done' && one !== 'SESSION_NOT_FOUND'),
        [],
      );
      assert.equal(await subject.first.open(key), undefined);
      const session = await subject.second.create(key);
      same([session.version, session.state, await readAll(subject.first, key)], [0, {}, []]);
    }
  },
  'race.delete-and-fork': async (subject) => {
    const pick = both(subject);
    for (const round of upTo(5)) {
      const key = await begin(subject, { sessionId: `s${round}` });
      await subject.first.append(key, [says('secret'), answers('b')]);
      const sessionId = `fork${round}`;
      const [forked, deleted] = await outcomes([
        pick(round).fork(key, { atSeq: 2, sessionId }),
        pick(round + 1).delete(key),
      ]);
      assert.equal(deleted, 'done');
      const copy = keyIn(subject, sessionId);
      if (forked === 'done') same(textsOf(await readAll(subject.first, copy)), [], 'the copy outlived what it quotes');
      else assert.equal(await subject.first.open(copy), undefined);
    }
  },
  'race.delete-and-fork-of-a-fork': async (subject) => {
    const pick = both(subject);
    for (const round of upTo(30)) {
      const key = await begin(subject, { sessionId: `s${round}` });
      await subject.first.append(key, [says('secret'), answers('b')]);
      const between = await subject.first.fork(key, { atSeq: 2, sessionId: `between${round}` });
      const copy = keyIn(subject, `copy${round}`);
      const deleting = pick(round).delete(key);
      await stepsOf(round);
      const forking = pick(round + 1).fork(between.key, { atSeq: 2, sessionId: copy.sessionId });
      same(await outcomes([forking, deleting]), ['done', 'done']);
      same(textsOf(await readAll(subject.first, copy)), [], 'the copy outlived what it quotes');
    }
  },
  'race.compaction-and-turn': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [says('a'), answers('b'), says('c')]);
    const folding = subject.second.append(key, [compacts([[1, 2]])]);
    const answering = subject.first.append(key, [answers('d')], { expectedVersion: 3 });
    same(await outcomes([folding, answering]), ['done', 'done']);
    const { version } = (await subject.first.open(key)) ?? { version: 0 };
    assert.equal(version, 5);
  },
  'race.leases': async (subject) => {
    const key = await begin(subject);
    const pick = both(subject);
    const done = await outcomes(upTo(8).map((n) => pick(n).acquireLease(key, `run ${n}`)));
    same(done.filter((one) => one === 'done').length, 1);
    same(
      done.filter((one) => one !== 'done').every((one) => one === 'SESSION_BUSY'),
      true,
    );
    await refused(subject.first.acquireLease(key, 'late'), 'SESSION_BUSY');
  },
  'race.ends': async (subject) => {
    const key = await begin(subject);
    const pick = both(subject);
    const ended = await Promise.all(upTo(6).map((n) => pick(n).end(key)));
    assert.equal(new Set(ended.map((event) => event.id)).size, 1);
    assert.equal((await subject.first.open(key))?.version, 1);
  },
} satisfies Checks<SessionSubject>;
