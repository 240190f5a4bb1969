import { describe, expect, it } from 'vitest';
import type { Event } from '../events/index.ts';
import { wholeJournal } from './whole-journal.ts';

const hash = '0'.repeat(64);
const view = { agentName: '助手', provider: 'openai', history: { window: { tokens: 9 } }, branch: 'a.b' };
const block = { hash, kind: 'tools', stable: true };
const journal = {
  throughSeq: 4,
  view,
  model: 'm',
  configHash: hash,
  blocks: [block, { hash, kind: 'memory', stable: false, source: [{ kind: 'direct' }] }],
  requestHash: hash,
  rules: 1,
  prefixFingerprint: hash,
  breaks: [],
};
const read = (request: unknown, seq = 5) => wholeJournal({ seq, request: request as NonNullable<Event['request']> });

describe('the journal of an event', () => {
  it('is given back if all is there that a request is rebuilt from', () => {
    expect(read(journal)).toBe(journal);
    expect(read({ ...journal, throughSeq: 0, extensions: { more: '更多' } })).toBeDefined();
    for (const history of ['full', 'invocation', { window: {} }])
      expect(read({ ...journal, view: { ...view, history } })).toBeDefined();
  });

  it.each<[string, unknown]>([
    ['is missing', undefined],
    ['is a text', 'journal'],
    ['is a list', [journal]],
    ['has no version of its rules', { ...journal, rules: undefined }],
    ['saw half an event', { ...journal, throughSeq: 0.5 }],
    ['saw less than nothing', { ...journal, throughSeq: -1 }],
    ['saw its own answer', { ...journal, throughSeq: 5 }],
    ['names no model', { ...journal, model: null }],
    ['has no hash', { ...journal, requestHash: undefined }],
    ['has no list of breaks', { ...journal, breaks: 'none' }],
    ['has no view', { ...journal, view: [] }],
    ['has a view of nobody', { ...journal, view: { ...view, agentName: undefined } }],
    ['has a view for an unknown provider', { ...journal, view: { ...view, provider: 'mistral' } }],
    ['has a view of a branch that is no text', { ...journal, view: { ...view, branch: 5 } }],
    ['has a view of a scope that is no text', { ...journal, view: { ...view, isolationScope: {} } }],
    ['has a view of some history', { ...journal, view: { ...view, history: 'some' } }],
    ['has a window that is no size', { ...journal, view: { ...view, history: { window: { invocations: '3' } } } }],
    ['has no list of blocks', { ...journal, blocks: { 0: block } }],
    ['has a block of nothing', { ...journal, blocks: [null] }],
    ['has a block with another hash', { ...journal, blocks: [{ ...block, hash: 'A'.repeat(64) }] }],
    ['has a block of an unknown kind', { ...journal, blocks: [{ ...block, kind: 'secret' }] }],
    ['has a block that may be stable', { ...journal, blocks: [{ ...block, stable: 'yes' }] }],
    ['has a block from a source that is none', { ...journal, blocks: [{ ...block, source: [{ kind: 3 }] }] }],
  ])('is left alone if it %s', (_name, request) => {
    expect(read(request)).toBeUndefined();
  });
});
