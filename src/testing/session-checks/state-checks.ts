import assert from 'node:assert/strict';
import type { SessionKey } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { readAll, refused, same, stateOf, unchanged } from '../expectations.ts';
import { answers, removes, says, sets } from '../sample-events.ts';
import { begin, keyIn, type SessionSubject } from '../session-subject.ts';

/** Checks of state: a fold of the log, shared by scope. */
export const stateChecks = {
  'state.initial-is-event-one': async (subject) => {
    const key = await begin(subject, { state: { k: 1 } });
    const [event] = await readAll(subject.second, key);
    same([event?.seq, event?.author, event?.origin, event?.actions.stateDelta], [1, 'system', 'system', { k: 1 }]);
    assert.equal((await subject.second.open(key))?.version, 1);
    const empty = await begin(subject, { sessionId: 's2' });
    assert.equal((await subject.second.open(empty))?.version, 0);
    same(await readAll(subject.second, empty), []);
  },
  'state.scopes': async (subject) => {
    const all = { own: 1, 'user:shared': 2, 'app:shared': 3 };
    const key = await begin(subject, { state: all });
    same(await stateOf(subject.second, key), all);
    const sibling = await subject.second.create({ ...keyIn(subject, 's2') });
    same(sibling.state, { 'user:shared': 2, 'app:shared': 3 });
    const stranger = await subject.second.create({ ...keyIn(subject, 's1', 'u2') });
    same(stranger.state, { 'app:shared': 3 });
    const elsewhere = await subject.first.create({ ...key, appName: `${key.appName}-b` });
    same(elsewhere.state, {});
    await subject.first.delete(elsewhere.key);
  },
  'state.one-merged-view': async (subject) => {
    const before = await begin(subject, { sessionId: 'before', state: { 'user:k': 1, 'app:k': 1 } });
    const created = await subject.second.create({ ...keyIn(subject), state: { own: 1 } });
    same(created.state, { own: 1, 'user:k': 1, 'app:k': 1 });
    same(await stateOf(subject.first, created.key), created.state);
    await subject.first.append(before, [sets({ 'user:k': 2 })]);
    same(await stateOf(subject.second, created.key), { own: 1, 'user:k': 2, 'app:k': 1 });
  },
  'state.shared-is-never-a-snapshot': async (subject) => {
    const one = await begin(subject, { state: { 'app:n': 1, 'user:n': 1 } });
    const two = await begin(subject, { sessionId: 's2' });
    await subject.second.append(two, [sets({ 'app:n': 2, 'user:n': 2 })]);
    await subject.first.append(one, [says('unrelated')]);
    for (const service of [subject.first, subject.second]) {
      same(await stateOf(service, one), { 'app:n': 2, 'user:n': 2 });
    }
  },
  'state.temp-never-stored': async (subject) => {
    const key = await begin(subject, { state: { 'temp:auth': 'secret', k: 1 } });
    const fleeting = await subject.first.create({ ...keyIn(subject, 'fleeting'), state: { 'temp:only': 1 } });
    same([fleeting.version, fleeting.state], [0, {}]);
    const temporary = { 'temp:x': 1, n: 2 };
    await subject.first.append(key, [
      sets(temporary),
      sets({ 'temp:only': 1 }),
      answers('x', { actions: { stateRemoved: ['temp:x'] } }),
    ]);
    same(await stateOf(subject.second, key), { k: 1, n: 2 });
    assert.ok(!JSON.stringify(await readAll(subject.second, key)).includes('temp:'), 'the log holds a temp: key');
    same(temporary, { 'temp:x': 1, n: 2 }, "the caller's own object stays as it was");
  },
  'state.removed-is-not-null': async (subject) => {
    const key = await begin(subject, { state: { a: 1, b: 1, 'user:a': 1, 'app:a': 1 } });
    await subject.first.append(key, [removes('a', 'user:a', 'app:a', 'never'), sets({ b: null })]);
    for (const service of [subject.first, subject.second]) {
      const state = await stateOf(service, key);
      same(state, { b: null });
      same(Object.keys(state), ['b']);
    }
    await subject.first.append(key, [sets({ a: 2, 'user:a': 2 })]);
    same(await stateOf(subject.second, key), { b: null, a: 2, 'user:a': 2 });
  },
  'state.set-and-removed-refused': async (subject) => {
    const key = await begin(subject, { state: { a: 1 } });
    await unchanged(subject.second, key, async () => {
      const both = { author: 'assistant', actions: { stateDelta: { a: 2 }, stateRemoved: ['a'] } };
      await refused(subject.first.append(key, [both]), 'INVALID_EVENT');
      for (const empty of ['', 'app:', 'user:'])
        await refused(subject.first.append(key, [sets({ [empty]: 1 })]), 'INVALID_EVENT');
      await refused(subject.first.append(key, [sets({ a: undefined })]), 'INVALID_EVENT');
    });
  },
  'state.proto-is-a-key': async (subject) => {
    const text = '{"__proto__":{"polluted":1},"constructor":2,"user:__proto__":3,"toString":4}';
    const key = await begin(subject, { state: JSON.parse(text) });
    await subject.first.append(key, [sets(JSON.parse('{"nested":{"__proto__":{"polluted":2}}}'))]);
    for (const service of [subject.first, subject.second]) {
      const state = await stateOf(service, key);
      const sorted = Object.keys(state).sort();
      same(sorted, ['__proto__', 'constructor', 'nested', 'toString', 'user:__proto__']);
      same(JSON.stringify(state.nested), '{"__proto__":{"polluted":2}}');
      assert.equal(Object.getPrototypeOf(state), null);
      assert.equal(Reflect.get({}, 'polluted'), undefined);
    }
    const plain = await begin(subject, { sessionId: 's2', userId: 'u2' });
    same(Object.keys(await stateOf(subject.second, plain)), [], 'an absent key is absent, whatever its name');
  },
  'state.code-stays-text': async (subject) => {
    const key = await begin(subject);
    const poison = {
      pickle: 'cos\nsystem\n(S"true"\ntR.',
      js: '_$$ND_FUNC$$_function(){return 1}()',
      sql: "'); DROP TABLE sessions;--",
    };
    await subject.first.append(key, [sets(poison), says(poison.sql, { id: poison.sql, branch: poison.sql })]);
    same(await stateOf(subject.second, key), poison);
    same((await readAll(subject.second, key)).at(-1)?.id, poison.sql);
  },
  'state.cannot-be-changed-by-hand': async (subject) => {
    const key = await begin(subject, { state: { list: [1], 'app:config': { theme: 'dark' } } });
    const state = await stateOf(subject.first, key);
    assert.throws(() => Reflect.apply(Array.prototype.push, state.list, [2]), TypeError);
    assert.equal(Reflect.set(state, 'k', 1), false);
    assert.equal(Reflect.set(Object(state['app:config']), 'theme', 'light'), false);
    const next = await begin(subject, { sessionId: 's2' });
    same(await stateOf(subject.first, next), { 'app:config': { theme: 'dark' } });
    same(await stateOf(subject.first, key), { list: [1], 'app:config': { theme: 'dark' } });
  },
  'state.delta-without-content': async (subject) => {
    const key = await begin(subject);
    await subject.first.append(key, [{ author: 'user', actions: { stateDelta: { k: 1, 'user:k': 2 } } }]);
    same(await stateOf(subject.second, key), { k: 1, 'user:k': 2 });
    same((await readAll(subject.second, key))[0]?.content, undefined);
  },
  'state.applied-once': async (subject) => {
    const key = await begin(subject);
    for (let round = 0; round < 3; round++) {
      await subject.first.append(key, [sets({ notes: [round], 'app:notes': [round], count: round })]);
    }
    for (const service of [subject.first, subject.second]) {
      same(await stateOf(service, key), { notes: [0, 1, 2], count: 2, 'app:notes': [0, 1, 2] });
    }
  },
  'state.merges': async (subject) => {
    const key = await begin(subject, { state: { notes: ['a'], tags: ['x'], peak: 3 } });
    await subject.first.append(key, [sets({ notes: ['b'], tags: ['x', { y: 1 }], peak: 2 })]);
    await subject.second.append(key, [sets({ notes: ['b'], tags: [{ y: 1 }, 'z'], peak: 7 }), sets({ notes: ['c'] })]);
    same(await stateOf(subject.first, key), { notes: ['a', 'b', 'b', 'c'], tags: ['x', { y: 1 }, 'z'], peak: 7 });
    await subject.first.append(key, [removes('notes'), sets({ notes: ['new'] })]);
    same((await stateOf(subject.second, key)).notes, ['new']);
    await subject.first.append(key, [sets({ plain: ['a'] }), sets({ plain: ['b'] })]);
    same((await stateOf(subject.second, key)).plain, ['b'], 'other keys are replaced');
  },
  'state.shared-merges': async (subject) => {
    const one = await begin(subject);
    const two = await begin(subject, { sessionId: 's2' });
    await subject.first.append(one, [sets({ 'app:notes': ['a'], 'user:tags': ['x'], 'app:peak': 5 })]);
    await subject.second.append(two, [sets({ 'app:notes': ['b'], 'user:tags': ['x', 'y'], 'app:peak': 4 })]);
    same(await stateOf(subject.first, one), { 'user:tags': ['x', 'y'], 'app:notes': ['a', 'b'], 'app:peak': 5 });
  },
  'state.revisions': async (subject) => {
    const key = await begin(subject, { state: { 'user:unit': 'C' } });
    await subject.first.append(key, [sets({ 'user:unit': 'F', 'app:n': 1 })]);
    await subject.second.append(key, [says('unrelated'), removes('user:unit')]);
    const user = { appName: key.appName, userId: key.userId };
    const history = await subject.second.stateHistory(user, 'unit');
    same(
      history.map(({ revision, value }) => [revision, value ?? 'removed']),
      [
        [1, 'C'],
        [2, 'F'],
        [3, 'removed'],
      ],
    );
    const shared = await subject.first.stateHistory({ appName: key.appName }, 'n');
    same(
      shared.map(({ revision, value }) => [revision, value]),
      [[1, 1]],
    );
  },
  'state.only-touched-scopes': async (subject) => {
    const key = await begin(subject, { state: { 'app:n': 1, 'user:n': 1 } });
    for (let round = 0; round < 3; round++) await subject.first.append(key, [says('a'), sets({ own: round })]);
    for (const scope of [{ appName: key.appName }, { appName: key.appName, userId: key.userId }]) {
      same((await subject.second.stateHistory(scope, 'n')).length, 1);
    }
  },
  'state.artifact-versions-kept': async (subject) => {
    const key = await begin(subject);
    const saved = (name: string, version: number) => ({
      author: 'assistant',
      actions: { artifactDelta: { [name]: version } },
    });
    const both = { author: 'assistant', actions: { artifactDelta: { 'c.txt': 0, 'd.txt': 0 } } };
    await subject.first.append(key, [saved('a.txt', 0), saved('b.txt', 0), both]);
    same(
      (await readAll(subject.second, key)).map((event) => event.actions.artifactDelta),
      [{ 'a.txt': 0 }, { 'b.txt': 0 }, { 'c.txt': 0, 'd.txt': 0 }],
    );
  },
  'state.reads-back-as-written': async (subject) => {
    const key: SessionKey = await begin(subject);
    const values = {
      int: 9007199254740991,
      small: 5e-324,
      zero: -0,
      text: '深\u2028',
      list: [[], {}, null, false],
      键: '值',
    };
    await subject.first.append(key, [sets({ ...values, left: { out: undefined } })]);
    same(await stateOf(subject.second, key), { ...values, zero: 0, left: {} });
    assert.ok(Object.is((await stateOf(subject.first, key)).zero, 0), '-0 is stored as 0, in memory too');
  },
} satisfies Checks<SessionSubject>;
