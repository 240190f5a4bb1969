import assert from 'node:assert/strict';
import type { Checks } from '../conformance.ts';
import { same } from '../expectations.ts';
import { alpha, beta, eventAt, type MemorySubject, source, step, texts, u1 } from '../memory-subject.ts';

/** Checks of whose memory is whose. */
export const scopeChecks = {
  'memory.scopes-apart': async ({ memory, second }) => {
    const one = { appName: 'a', userId: 'b/c' };
    const two = { appName: 'a/b', userId: 'c' };
    const three = { appName: 'a', userId: 'c' };
    for (const scope of [one, two, three]) {
      await memory.add(scope, [{ id: 'm', text: `tea of ${scope.appName} ${scope.userId}` }]);
    }
    same(await texts(second, one, 'tea'), ['tea of a b/c']);
    same(await texts(second, two, 'tea'), ['tea of a/b c']);
    same(await texts(second, three, 'tea'), ['tea of a c']);
    assert.equal((await second.get(two, 'm'))?.text, 'tea of a/b c');
    assert.equal((await second.list(three)).items.length, 1);
    assert.equal(await memory.delete({ appName: 'a', userId: 'b' }, { all: true }), 0);
    assert.equal(await memory.delete(one, { id: 'm' }), 1);
    same([await texts(second, one, 'tea'), (await texts(second, two, 'tea')).length], [[], 1]);
  },
  'memory.projects': async ({ memory }) => {
    await memory.add(u1, [{ id: 'global', text: 'shared knowledge' }]);
    await memory.add(alpha, [{ id: 'in-alpha', text: 'knowledge for alpha' }]);
    await memory.add(beta, [{ text: 'knowledge for beta' }]);
    same(await texts(memory, u1, 'knowledge'), ['shared knowledge']);
    same([...(await texts(memory, alpha, 'knowledge'))].sort(), ['knowledge for alpha', 'shared knowledge']);
    const only = await memory.search({ scope: alpha, query: 'knowledge', projectOnly: true });
    same(
      only.memories.map(({ projectId }) => projectId),
      ['alpha'],
    );
    assert.equal((await memory.get(alpha, 'global'))?.id, 'global');
    assert.equal((await memory.get(alpha, 'in-alpha'))?.id, 'in-alpha');
    for (const scope of [u1, beta]) assert.equal(await memory.get(scope, 'in-alpha'), undefined);
    assert.equal(await memory.delete(beta, { id: 'in-alpha' }), 0);
    assert.equal((await memory.list(u1)).items.length, 1);
    assert.equal((await memory.list(alpha)).items.length, 2);
    assert.equal(await memory.delete(alpha, { all: true }), 1, 'what is global is not of the project');
    assert.equal(await memory.delete(u1, { all: true }), 2);
  },
  'memory.session-scope': async ({ memory }) => {
    const inSession = { ...u1, sessionId: 's1' };
    await memory.add(inSession, [{ id: 'draft', text: 'draft title: Tea' }]);
    await memory.ingest(step(0, [eventAt(1, 'I drink tea')]));
    same(await texts(memory, u1, 'tea'), ['I drink tea']);
    same(await texts(memory, { ...u1, sessionId: 's2' }, 'tea'), ['I drink tea']);
    assert.equal((await texts(memory, inSession, 'tea')).length, 2);
    assert.equal((await memory.get(inSession, 'draft'))?.sessionId, 's1');
    assert.equal(await memory.get(u1, 'draft'), undefined);
    assert.equal(await memory.delete({ ...u1, sessionId: 's2' }, { id: 'draft' }), 0);
    assert.equal((await memory.search({ scope: u1, query: 'tea' })).memories[0]?.sessionId, 's1');
    assert.equal(await memory.delete(u1, { sessionId: 's1' }), 2);
  },
  'memory.others-change-no-score': async ({ memory }) => {
    await memory.add(u1, [{ text: 'green tea' }, { text: 'black coffee with milk' }]);
    const find = async () => (await memory.search({ scope: u1, query: 'tea coffee' })).memories;
    const before = await find();
    const cake = Array.from({ length: 30 }, () => ({ text: 'tea tea tea and cake' }));
    await memory.add({ ...u1, userId: 'ben' }, cake);
    await memory.add(alpha, [{ text: 'tea for alpha' }]);
    same(await find(), before, 'others were counted');
    const [gone] = await memory.add(u1, [{ text: 'tea and coffee, coffee and tea' }]);
    assert.notDeepEqual(await find(), before);
    assert.equal(await memory.delete(u1, { id: gone?.id ?? '' }), 1);
    same(await find(), before, 'a removed entry is counted');
  },
  'memory.forget-everything': async ({ memory, second }) => {
    await memory.ingest(step(0, [eventAt(1, 'tea one'), eventAt(2, 'tea two')]));
    await memory.add(alpha, [{ text: 'tea for alpha' }]);
    await memory.add({ ...u1, sessionId: 's1' }, [{ id: 'm', text: 'tea draft' }]);
    await memory.add({ ...u1, userId: 'ben' }, [{ text: 'tea of another' }]);
    assert.equal(await memory.delete(u1, { all: true }), 4);
    for (const scope of [u1, alpha, { ...u1, sessionId: 's1' }]) {
      same([await texts(second, scope, 'tea'), (await second.list(scope)).items], [[], []]);
    }
    assert.equal(await second.watermark(source), 2);
    await memory.ingest(step(2, [eventAt(3, 'tea three')]));
    same(await texts(second, u1, 'tea'), ['tea three']);
    assert.equal(await memory.delete(u1, { all: true }), 1);
    assert.equal(await memory.delete(u1, { all: true }), 0);
    same(await texts(second, { ...u1, userId: 'ben' }, 'tea'), ['tea of another']);
    await memory.add(u1, [{ id: 'm', text: 'tea again' }]);
    same(await texts(second, u1, 'tea'), ['tea again'], 'the id is free');
  },
} satisfies Checks<MemorySubject>;
