import assert from 'node:assert/strict';
import type { Checks } from '../conformance.ts';
import { refused, same } from '../expectations.ts';
import { alpha, answerAt, eventAt, type MemorySubject, source, step, texts, u1 } from '../memory-subject.ts';

function ref(seq: number, sessionId = 's1') {
  return { kind: 'event', sessionId, incarnation: 'i1', seq, eventId: `e${seq}` } as const;
}

/** Checks of what is learnt from a log, and how it is unlearnt. */
export const ingestionChecks = {
  'memory.learns-what-was-said': async ({ memory }) => {
    const call = { role: 'model', parts: [{ text: 'let me look' }, { functionCall: { name: 'f' } }] } as const;
    const thought = {
      role: 'model',
      parts: [{ text: 'secret plan', thought: true }, { text: 'It is sunny' }],
    } as const;
    const log = [
      eventAt(1, '天气怎么样？'),
      answerAt(2, 'bot', '', { content: call }),
      eventAt(3, 'sunny', { author: 'f', origin: 'tool' }),
      answerAt(4, 'bot', '', { content: thought, branch: 'bot.helper' }),
      answerAt(5, 'bot', 'cut off', { interrupted: true }),
      eventAt(6, 'sealed', { isolationScope: 'x' }),
      eventAt(7, 'summary', { origin: 'system', author: 'system', actions: { sessionEnd: true } }),
      eventAt(8, ' '),
    ];
    same(await memory.ingest(step(0, log, { source: { ...source, projectId: 'alpha' } })), { added: 2, removed: 0 });
    same((await memory.list(u1)).items, [], 'what was said in a project is found from there');
    const { items } = await memory.list(alpha);
    same(
      items.map((entry) => entry.text),
      ['It is sunny', '天气怎么样？'],
    );
    const [answer, question] = items;
    same([answer?.sourceTrust, answer?.author, question?.sourceTrust], ['agent', 'bot', 'userStated']);
    same([answer?.kind, answer?.timestamp], ['turn', log[3]?.timestamp]);
    same(answer?.provenance, [ref(4)]);
    assert.equal(await memory.watermark(source), 8);
  },
  'memory.one-step-once': async ({ memory, second }) => {
    const first = step(0, [eventAt(1, 'tea'), eventAt(2, 'coffee')]);
    const outcomes = await Promise.allSettled([memory.ingest(first), second.ingest(first)]);
    same(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const ahead = memory.ingest(step(1, [eventAt(3, 'milk')], { retract: [[1, 1]] }));
    await refused(ahead, 'WATERMARK_MOVED', { sessionId: 's1', expected: 1, actual: 2 });
    assert.equal((await memory.list(u1)).items.length, 2);
    same(await memory.ingest(step(2, [eventAt(2, 'coffee')], { toSeq: 2 })), { added: 0, removed: 0 });
    assert.equal((await memory.list(u1)).items.length, 2);
  },
  'memory.lives-apart': async ({ memory, second }) => {
    const next = { ...source, incarnation: 'i2' };
    await memory.ingest(step(0, [eventAt(1, 'tea'), eventAt(2, 'tea')]));
    same(await memory.ingest(step(0, [eventAt(1, 'tea')], { source: next })), { added: 1, removed: 0 });
    same([await second.watermark(source), await second.watermark(next)], [2, 1]);
    assert.equal(await memory.delete(u1, { sessionId: 's1', incarnation: 'i1' }), 2);
    same([await second.watermark(source), await second.watermark(next)], [undefined, 1]);
    same(
      (await second.list(u1)).items.map(({ provenance }) => provenance),
      [[{ ...ref(1), incarnation: 'i2' }]],
    );
  },
  'memory.retract-and-restore': async ({ memory, second }) => {
    await memory.ingest(step(0, [eventAt(1, 'tea one'), eventAt(2, 'tea two'), eventAt(3, 'tea three')]));
    await memory.add(u1, [{ id: 'both', text: 'likes tea', provenance: [ref(1), ref(3)] }]);
    await memory.add(u1, [{ id: 'other', text: 'a cup of tea', provenance: [ref(2, 's2')] }]);
    const result = await memory.ingest(step(3, [eventAt(5, 'tea five')], { retract: [[2, 3]] }));
    same(result, { added: 1, removed: 2 });
    const left = ['a cup of tea', 'likes tea', 'tea five', 'tea one'];
    same([...(await texts(second, u1, 'tea'))].sort(), left);
    const both = await second.get(u1, 'both');
    same([both?.provenance, both?.revision], [[ref(1)], 2]);
    const back = step(5, [eventAt(2, 'tea two'), eventAt(3, 'tea three')], { toSeq: 6, retract: [[5, 5]] });
    same(await memory.ingest(back), { added: 2, removed: 1 });
    assert.equal((await texts(second, u1, 'three')).length, 3, 'neighbours of a match are found with it');
    const hiddenAndBack = step(6, [eventAt(3, 'tea three')], { toSeq: 8, retract: [[3, 3]] });
    same(await memory.ingest(hiddenAndBack), { added: 1, removed: 1 });
    assert.equal((await texts(second, u1, 'three')).length, 3);
  },
  'memory.forget-a-session': async ({ memory, second }) => {
    await memory.ingest(step(0, [eventAt(1, 'tea'), eventAt(2, 'coffee')]));
    await memory.add(u1, [{ id: 'both', text: 'drinks', provenance: [ref(1), ref(1, 's2')] }]);
    assert.equal(await memory.delete(u1, { sessionId: 's1', seqs: [[2, 2]] }), 1);
    same(await texts(second, u1, 'coffee'), []);
    assert.equal(await memory.delete(u1, { sessionId: 's1' }), 1);
    same(
      (await second.list(u1)).items.map(({ id, provenance }) => [id, provenance]),
      [['both', [ref(1, 's2')]]],
    );
    assert.equal(await second.watermark(source), 2);
    assert.equal(await memory.delete(u1, { sessionId: 's1', incarnation: 'i1' }), 0);
    assert.equal(await second.watermark(source), undefined);
  },
} satisfies Checks<MemorySubject>;
