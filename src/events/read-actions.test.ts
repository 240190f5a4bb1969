import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { isBookkeeping, isPassive, noActions } from './event.ts';
import { readActions } from './read-actions.ts';

const read = (value: unknown) => readActions(value, 'actions', { replacedSurrogates: 0, size: 0 });

function refusal(value: unknown): unknown {
  try {
    read(value);
  } catch (error) {
    return error instanceof PalimpsestError ? [error.code, error.details] : error;
  }
  return 'accepted';
}

const prose = { role: 'model', parts: [{ text: '他们谈了天气。' }] };
const compaction = { covers: [[1, 2]], content: prose, trigger: 'window', sourceHash: 'h' };

describe('readActions', () => {
  it.each([
    { stateDelta: { a: null, 'app:b': [1], 'user:c': { d: '中' } } },
    { stateRemoved: ['a', 'user:b'] },
    { artifactDelta: { 'a.txt': 0 } },
    { transferToAgent: 'b', escalate: true, skipSummarization: false, endOfAgent: true },
    { agentState: {} },
    { sessionEnd: true },
    { requestedToolConfirmations: { c: { hint: 'sure?' } }, requestedAuthConfigs: { d: {} } },
    { compaction },
    { compaction: { ...compaction, branch: 'a', isolationScope: 's', supersedes: [3] } },
    { compaction: { ...compaction, summarizer: { model: 'm', usage: { inputTokens: 1 } } } },
    { rewind: { beforeInvocationId: 'i', fromSeq: 3, shared: true } },
    {
      compaction: { ...compaction, content: { role: 'model', parts: [{ text: '想', thought: true }, { text: '说' }] } },
    },
    { pin: { seqs: [1, 3] }, unpin: { seqs: [2] } },
    { trim: { seqs: [1], keepChars: 0 } },
    { overflow: { why: 'blocked' } },
    { overflow: { why: 'blocked', agentName: '天气助手🌦', by: [3, 1] } },
    { overflow: { why: 'ceiling', agentName: 'assistant', tokens: 9_001, limit: 9_000, leftOut: 12 } },
    { overflow: { why: 'tooLong', tokens: 0, limit: 0, leftOut: 0 } },
  ])('keeps %j', (actions) => {
    const copy = read(actions);
    expect(copy).toEqual(actions);
    expect(copy).not.toBe(actions);
    expect(Object.isFrozen(copy)).toBe(true);
  });

  it('drops temp: keys, and is the shared empty object when nothing is left', () => {
    expect(read({ stateDelta: { 'temp:a': 1, b: 2 }, stateRemoved: ['temp:c', 'd'] })).toEqual({
      stateDelta: { b: 2 },
      stateRemoved: ['d'],
    });
    expect(read({ stateDelta: { 'temp:a': new Date() }, stateRemoved: ['temp:b'] })).toBe(noActions);
    expect(read({ stateDelta: {}, escalate: undefined })).toBe(noActions);
    expect(read(undefined)).toBe(noActions);
  });

  it('gives user keys a map without a prototype', () => {
    const { stateDelta } = read(JSON.parse('{"stateDelta": {"__proto__": 1, "a": 2}}'));
    expect(Object.getPrototypeOf(stateDelta)).toBeNull();
    expect(Object.entries(stateDelta ?? {})).toEqual([
      ['__proto__', 1],
      ['a', 2],
    ]);
  });

  it('makes a summary the model’s, and joins nothing that its writer did not join', () => {
    expect(read({ compaction: { ...compaction, content: 'Prose.' } }).compaction?.content.role).toBe('model');
    const byUser = { ...compaction, content: { ...prose, role: 'user' } };
    expect(read({ compaction: byUser }).compaction?.content.role).toBe('model');
    expect(read({ rewind: { beforeInvocationId: 'i' } }).rewind).toEqual({ beforeInvocationId: 'i', fromSeq: 0 });
  });

  it.each<[string, unknown]>([
    ['', []],
    ['.stateDeltas', { stateDeltas: {} }],
    ['.stateDelta', { stateDelta: [] }],
    ['.stateDelta', { stateDelta: { '': 1 } }],
    ['.stateDelta', { stateDelta: { 'app:': 1 } }],
    ['.stateDelta.k', { stateDelta: { k: undefined } }],
    ['.stateRemoved', { stateRemoved: 'k' }],
    ['.stateRemoved[0]', { stateRemoved: [1] }],
    ['.stateRemoved', { stateRemoved: ['user:'] }],
    ['.stateRemoved', { stateDelta: { k: 1 }, stateRemoved: ['k'] }],
    ['.artifactDelta.a', { artifactDelta: { a: 0.5 } }],
    ['.transferToAgent', { transferToAgent: 1 }],
    ['.escalate', { escalate: 1 }],
    ['.sessionEnd', { sessionEnd: false }],
    ['.compaction', { compaction: 1 }],
    ['.compaction.content', { compaction: { ...compaction, content: { parts: [] } } }],
    ['.compaction.content', { compaction: { ...compaction, content: '  ' } }],
    [
      '.compaction.content',
      { compaction: { ...compaction, content: { parts: [{ text: 'x' }, { functionCall: { name: 'f' } }] } } },
    ],
    ['.compaction.covers', { compaction: { ...compaction, covers: [] } }],
    [
      '.compaction.covers',
      {
        compaction: {
          ...compaction,
          covers: [
            [3, 4],
            [1, 2],
          ],
        },
      },
    ],
    [
      '.compaction.covers',
      {
        compaction: {
          ...compaction,
          covers: [
            [1, 2],
            [3, 4],
          ],
        },
      },
    ],
    [
      '.compaction.covers',
      {
        compaction: {
          ...compaction,
          covers: [
            [1, 3],
            [3, 4],
          ],
        },
      },
    ],
    ['.compaction.covers[0]', { compaction: { ...compaction, covers: [[2, 1]] } }],
    ['.compaction.covers[0]', { compaction: { ...compaction, covers: [1] } }],
    ['.compaction.covers[0][0]', { compaction: { ...compaction, covers: [[0, 1]] } }],
    ['.compaction.covers[0][1]', { compaction: { ...compaction, covers: [[1, 1.5]] } }],
    ['.compaction.supersedes', { compaction: { ...compaction, supersedes: [] } }],
    ['.compaction.summarizer', { compaction: { ...compaction, summarizer: 'm' } }],
    [
      '.compaction.summarizer.usage.tokens',
      { compaction: { ...compaction, summarizer: { model: 'm', usage: { tokens: 1 } } } },
    ],
    ['.rewind.beforeInvocationId', { rewind: {} }],
    ['.rewind.shared', { rewind: { beforeInvocationId: 'i', shared: false } }],
    ['.pin', { pin: [1] }],
    ['.pin.seqs', { pin: { seqs: [] } }],
    ['.pin.seqs[1]', { pin: { seqs: [1, -1] } }],
    ['.trim.keepChars', { trim: { seqs: [1] } }],
    ['.overflow', { overflow: 'ceiling' }],
    ['.overflow.why', { overflow: {} }],
    ['.overflow.why', { overflow: { why: 'toString' } }],
    ['.overflow.agentName', { overflow: { why: 'blocked', agentName: 1 } }],
    ['.overflow.by', { overflow: { why: 'blocked', by: [] } }],
    ['.overflow.by[1]', { overflow: { why: 'blocked', by: [1, 0] } }],
    ['.overflow.tokens', { overflow: { why: 'ceiling', tokens: '9001' } }],
    ['.overflow.limit', { overflow: { why: 'ceiling', limit: Number.NaN } }],
    ['.overflow.leftOut', { overflow: { why: 'tooLong', leftOut: 1.5 } }],
  ])('refuses bad actions%s', (field, value) => {
    expect(refusal(value)).toMatchObject(['INVALID_EVENT', { field: `actions${field}` }]);
  });

  it('refuses a summary that is thought only, saying what it takes', () => {
    const content = { parts: [{ text: '想', thought: true }, { text: ' \n' }] };
    expect(refusal({ compaction: { ...compaction, content } })).toEqual([
      'INVALID_EVENT',
      { field: 'actions.compaction.content', reason: expect.stringMatching(/prose.*not all thought/) },
    ]);
  });

  it('says what an overflow has to be', () => {
    const reason = (overflow: unknown) => refusal({ overflow });
    expect(reason([])).toMatchObject(['INVALID_EVENT', { reason: 'must be { why }' }]);
    expect(reason({ why: '太长' })).toMatchObject([
      'INVALID_EVENT',
      { reason: 'must be one of blocked, ceiling, tooLong' },
    ]);
  });

  it('keeps whatever an overflow says that makes sense, frozen to the bottom, and refuses the rest by its name', () => {
    const count = fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5, '1', null));
    const seqs = fc.array(fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1 }) }, fc.constantFrom(0, '1')));
    const some = fc.record(
      {
        why: fc.constantFrom('blocked', 'ceiling', 'tooLong', '满了'),
        agentName: fc.constantFrom('assistant', '助手🙂', 7),
        by: seqs,
        tokens: count,
        limit: count,
        leftOut: count,
      },
      { requiredKeys: ['why'] },
    );
    const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
    const isRight: Readonly<Record<string, (value: unknown) => boolean>> = {
      why: (value) => value !== '满了',
      agentName: (value) => typeof value === 'string',
      by: (value) => Array.isArray(value) && value.length > 0 && value.every((seq) => isCount(seq) && seq > 0),
    };
    fc.assert(
      fc.property(some, (overflow) => {
        const wrong = Object.entries(overflow).filter(([name, value]) => !(isRight[name] ?? isCount)(value));
        if (wrong.length > 0) {
          const fields = wrong.map(([name]) => `actions\\.overflow\\.${name}`).join('|');
          const field = expect.stringMatching(new RegExp(`^(${fields})(\\[\\d+\\])?$`));
          expect(refusal({ overflow })).toMatchObject(['INVALID_EVENT', { field }]);
          return;
        }
        const copy = read({ overflow }).overflow;
        expect(copy).toEqual(overflow);
        expect([Object.isFrozen(copy), Object.isFrozen(copy?.by)]).toEqual([true, true]);
      }),
    );
  });

  it('refuses state that is not JSON, naming the key', () => {
    expect(refusal({ stateDelta: { a: { b: 1n } } })).toMatchObject(['NOT_JSON', { path: 'actions.stateDelta.a.b' }]);
  });
});

describe('bookkeeping', () => {
  const event = (actions: unknown) => ({ author: 'system', actions: read(actions) });

  it.each([
    { compaction },
    { rewind: { beforeInvocationId: 'i', fromSeq: 1 } },
    { pin: { seqs: [1] } },
    { unpin: { seqs: [1] } },
    { trim: { seqs: [1], keepChars: 1 } },
    { overflow: { why: 'ceiling' } },
    { sessionEnd: true },
  ])('is %j, and passive unless it rewinds', (actions) => {
    expect(isBookkeeping(event(actions))).toBe(true);
    expect(isPassive(event(actions))).toBe(!('rewind' in actions));
  });

  it.each([{}, { stateDelta: { a: 1 } }, { escalate: true }])('is not %j', (actions) => {
    expect(isBookkeeping(event(actions))).toBe(false);
    expect(isPassive(event(actions))).toBe(false);
  });
});
