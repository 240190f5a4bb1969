import assert from 'node:assert/strict';
import type { MemoryService } from '../../index.ts';
import type { Checks } from '../conformance.ts';
import { assertDeepFrozen, everyPage, refused, same } from '../expectations.ts';
import { alpha, eventAt, type MemorySubject, source, step, texts, u1 } from '../memory-subject.ts';

/** Checks of entries: what is added, how it is kept, when it goes. */
export const entryChecks = {
  'memory.added-is-found': async ({ memory, second }) => {
    const added = {
      text: 'The weather is sunny today',
      labels: ['w'],
      customMetadata: { __proto__x: { a: [1, null] } },
      data: 3,
    };
    const [stored] = await memory.add(u1, [added, { text: 'jumps over the lazy dog' }]);
    same({ ...added, ...stored }, stored, 'a field was changed');
    same(await texts(second, u1, 'weather, sunny tomorrow?'), [added.text]);
    same(await texts(second, u1, 'DOGS!'), ['jumps over the lazy dog']);
    same(await texts(second, u1, 'unrelated'), []);
    same(await second.get(u1, stored?.id ?? ''), stored);
    assert.equal(await second.get(u1, 'another'), undefined);
  },
  'memory.frozen': async ({ memory, second }) => {
    const given = { text: 'tea', labels: ['a'], data: { list: [1] }, customMetadata: { theme: { dark: true } } };
    const [stored] = await memory.add(u1, [given]);
    given.labels.push('b');
    given.data.list.push(2);
    given.customMetadata.theme.dark = false;
    const got = [
      stored,
      await second.get(u1, stored?.id ?? ''),
      ...(await second.list(u1)).items,
      ...(await second.search({ scope: u1, query: 'tea' })).memories,
    ];
    assert.equal(got.length, 4);
    for (const entry of got) {
      assertDeepFrozen(entry, 'entry');
      same([entry?.labels, entry?.data, entry?.customMetadata], [['a'], { list: [1] }, { theme: { dark: true } }]);
    }
  },
  'memory.idempotent-add': async ({ memory, second }) => {
    const likesTea = { id: 'm1', text: 'likes tea', labels: ['drink'] };
    const [first] = await memory.add(u1, [likesTea]);
    const [again] = await second.add(u1, [likesTea]);
    same(again, first);
    await refused(memory.add(u1, [{ text: 'new' }, { id: 'm1', text: 'likes coffee' }]), 'MEMORY_ID_REUSED');
    await refused(memory.add(u1, [{ ...likesTea, labels: [] }]), 'MEMORY_ID_REUSED', { id: 'm1' });
    await refused(memory.add(alpha, [likesTea]), 'MEMORY_ID_REUSED');
    const twice = [
      { id: 'm2', text: 'a' },
      { id: 'm2', text: 'b' },
    ];
    await refused(memory.add(u1, twice), 'MEMORY_ID_REUSED', { id: 'm2' });
    assert.equal((await memory.list(u1)).items.length, 1);
  },
  'memory.bad-input': async ({ memory }) => {
    const bad: readonly [call: () => Promise<unknown>, argument: string][] = [
      [() => memory.add(u1, [{ text: 'good' }, { text: '  ' }]), 'memories[1].text'],
      [() => memory.add(u1, [{ text: 'x'.repeat(65_537) }]), 'memories[0].text'],
      [() => memory.add(u1, [{ text: 'x', confidence: 2 }]), 'memories[0].confidence'],
      [() => memory.add(u1, [{ text: 'x', importance: Number.NaN }]), 'memories[0].importance'],
      [() => memory.add(u1, [{ text: 'x', provenance: [] }]), 'memories[0].provenance'],
      [() => memory.add(u1, [Object.assign({ text: 'x' }, { colour: 'red' })]), 'memories[0].colour'],
      [() => memory.search({ scope: u1, query: 'x', limit: -1 }), 'limit'],
      [() => memory.search({ scope: u1, query: 'x', limit: Number.NaN }), 'limit'],
      [() => memory.search({ scope: u1, query: 'x', tokenBudget: 0.5 }), 'tokenBudget'],
      [() => memory.search({ scope: u1, query: 'x', minScore: 1.1 }), 'minScore'],
      [() => memory.search({ scope: u1, query: 'x', projectOnly: true }), 'projectOnly'],
      [() => memory.list(u1, { cursor: 'nonsense' }), 'cursor'],
      [() => memory.list(u1, { limit: 0 }), 'limit'],
      [() => memory.ingest(step(3, [], { toSeq: 2 })), 'toSeq'],
      [() => memory.ingest(step(0, [eventAt(2, 'x')], { toSeq: 1 })), 'events[0].seq'],
      [() => memory.ingest(step(0, [], { retract: [[0, 1]] })), 'retract[0]'],
    ];
    for (const [call, argument] of bad) await refused(call(), 'INVALID_ARGUMENT', { argument });
    await refused(memory.add({ ...u1, userId: '' }, [{ text: 'x' }]), 'INVALID_ID');
    await refused(memory.add(u1, [{ text: 'x', data: new Set() }]), 'NOT_JSON', { path: 'memories[0].data' });
    await refused(memory.search({ scope: { appName: 'app', shared: true }, query: 'x' }), 'NOT_SUPPORTED');
    same((await memory.list(u1)).items, []);
    assert.equal(await memory.watermark(source), undefined);
  },
  'memory.list-newest-first': async ({ memory, second }) => {
    for (const [index, day] of [2, 3, 1, 3, 2].entries()) {
      await memory.add(index % 2 ? alpha : u1, [{ text: `${index}`, timestamp: `2026-01-0${day}T00:00:00Z` }]);
    }
    const listed = await everyPage((cursor) =>
      second.list(alpha, { limit: 2, ...(cursor !== undefined && { cursor }) }),
    );
    same(
      listed.map((entry) => entry.text),
      ['3', '1', '4', '0', '2'],
    );
  },
  'memory.expired': async ({ memory, second }) => {
    const inThePast = '2001-01-01T00:00:00Z';
    await memory.add(u1, [
      { id: 'over', text: 'tea', expiresAt: inThePast },
      { id: 'lasts', text: 'tea', expiresAt: '9999-01-01T00:00:00Z' },
    ]);
    assert.equal(await second.get(u1, 'over'), undefined);
    assert.equal((await second.get(u1, 'lasts'))?.id, 'lasts');
    const found = (await second.search({ scope: u1, query: 'tea' })).memories;
    for (const entries of [found, (await second.list(u1)).items]) {
      same(
        entries.map(({ id }) => id),
        ['lasts'],
      );
    }
  },
  'memory.concurrent': async ({ memory, second }) => {
    const writers = Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? memory : second).add(u1, [{ text: `tea number ${index}` }]),
    );
    await Promise.all(writers);
    assert.equal((await texts(second, u1, 'tea')).length, 40);
    assert.equal((await memory.list(u1)).items.length, 40);
  },
  'memory.closed': async ({ memory }) => {
    await memory.healthCheck();
    await memory.close();
    await memory.close();
    const calls: readonly ((service: MemoryService) => Promise<unknown>)[] = [
      (service) => service.add(u1, [{ text: 'tea' }]),
      (service) => service.search({ scope: u1, query: 'tea' }),
      (service) => service.get(u1, 'm'),
      (service) => service.list(u1),
      (service) => service.delete(u1, { all: true }),
      (service) => service.watermark(source),
      (service) => service.ingest(step(0, [])),
      (service) => service.healthCheck(),
    ];
    for (const call of calls) await refused(call(memory), 'CLOSED');
  },
} satisfies Checks<MemorySubject>;
