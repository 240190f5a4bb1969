import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import type { EventActionsInput, SeqRange } from '../../events/index.ts';
import { assemble } from './assemble.ts';

const view = { agentName: 'assistant', history: 'full', provider: 'gemini' } as const;

function act(seq: number, actions: EventActionsInput): LoggedInput {
  return { seq, author: 'system', invocationId: `b${seq}`, actions };
}

function summary(seq: number, ...covers: SeqRange[]): LoggedInput {
  const content = { role: 'model' as const, parts: [{ text: '摘要' }] };
  return act(seq, { compaction: { covers, content, trigger: 'test', sourceHash: '' } });
}

const call = (seq: number, id: string): LoggedInput => ({
  seq,
  author: 'assistant',
  invocationId: 'i1',
  content: { parts: [{ functionCall: { id, name: 'f' } }] },
});

const answer = (seq: number, id: string, response: unknown, author = 'assistant'): LoggedInput => ({
  seq,
  author,
  invocationId: 'i1',
  content: { parts: [{ functionResponse: { id, name: 'f', response } }] },
});

const says = (seq: number, author: string, content: string, invocationId = 'i1'): LoggedInput => ({
  seq,
  author,
  content,
  invocationId,
});

describe('masking', () => {
  it('keeps the question that waits for its answer, though a summary names it', () => {
    const log = [
      says(1, 'user', 'a'),
      says(2, 'assistant', 'b'),
      says(3, 'user', '明天呢？', 'i2'),
      call(4, 'c'),
      answer(5, 'c', {}),
      summary(6, [1, 5]),
    ];
    const assembly = assemble(buildLog(log), view);
    expect(assembly.sources).toEqual([[3], [6]]);
    expect(assembly.placement(3)).toEqual({ outcome: 'verbatim' });
    const closed = assemble(
      buildLog([...log.slice(0, 4), answer(5, 'c', {}), says(6, 'assistant', 'sunny'), summary(7, [1, 6])]),
      view,
    );
    expect(closed.placement(3)).toEqual({ outcome: 'masked', by: 7 });
  });

  it('keeps the response of a pinned call', () => {
    const log = [
      says(1, 'user', 'a'),
      call(2, 'c'),
      answer(3, 'c', { kept: true }),
      says(4, 'assistant', 'b'),
      act(5, { pin: { seqs: [2] } }),
      summary(6, [1, 4]),
    ];
    const assembly = assemble(buildLog(log), view);
    expect(assembly.placement(3)).toEqual({ outcome: 'verbatim' });
    expect(assembly.sources).toEqual([[], [2], [3], [6]]);
  });

  it('brings back a covered call when its real answer comes after the summary', () => {
    const log = [
      says(1, 'user', 'a'),
      call(2, 'c'),
      answer(3, 'c', { status: 'pending' }),
      says(4, 'assistant', 'started'),
      summary(5, [1, 4]),
      answer(6, 'c', { status: 'done' }, 'user'),
    ];
    const assembly = assemble(buildLog(log), view);
    expect(assembly.sources).toEqual([[], [2], [6], [5]]);
    expect(assembly.placement(3)).toEqual({ outcome: 'masked', by: 5 });
    expect(assembly.counts).toMatchObject({ events: 6, unmasked: 2, recovered: 3 });
  });

  it('tells of covered events that were not read', () => {
    const assembly = assemble(buildLog([summary(5, [1, 4]), says(6, 'user', 'e', 'i3')]), view);
    expect(assembly.placement(2)).toEqual({ outcome: 'masked', by: 5 });
    expect(assembly.placement(99)).toEqual({ outcome: 'hidden', why: 'empty' });
  });

  it('shows raw what a summary of another branch claims to cover', () => {
    const content = { role: 'model' as const, parts: [{ text: 's' }] };
    const foreign = act(2, {
      compaction: { covers: [[1, 1]], branch: 'other', content, trigger: 'test', sourceHash: '' },
    });
    const assembly = assemble(buildLog([says(1, 'user', 'a'), foreign]), { ...view, branch: 'mine' });
    expect(assembly.placement(1)).toEqual({ outcome: 'verbatim' });
    expect(assembly.placement(2)).toEqual({ outcome: 'hidden', why: 'branch' });
  });

  it('shows trimmed results cut by code points, and pinned ones whole', () => {
    const log = [
      says(1, 'user', 'a'),
      call(2, 'c'),
      answer(3, 'c', '🙂🙂天气很好'),
      act(4, { trim: { seqs: [3], keepChars: 3 } }),
    ];
    const assembly = assemble(buildLog(log), view);
    expect(assembly.placement(3)).toEqual({ outcome: 'trimmed' });
    expect(assembly.contents[2]?.parts[0]?.functionResponse?.response).toEqual({
      result: '🙂🙂天[cut: 3 characters; expand_history 3]',
    });
    const pinned = assemble(buildLog([...log, act(5, { pin: { seqs: [3] } })]), view);
    expect(pinned.placement(3)).toEqual({ outcome: 'verbatim' });
    const short = assemble(buildLog([...log.slice(0, 3), act(4, { trim: { seqs: [3], keepChars: 6 } })]), view);
    expect(short.placement(3)).toEqual({ outcome: 'verbatim' });
  });

  it('sees below its branch only what has ended', () => {
    const inner = { ...says(2, 'critic', 'fine'), branch: 'mine.critic' };
    const ended = { ...act(3, { endOfAgent: true }), author: 'critic', branch: 'mine.critic' };
    const of = (...log: LoggedInput[]) => assemble(buildLog(log), { ...view, branch: 'mine' }).placement(2);
    expect(of(says(1, 'user', 'a'), inner)).toEqual({ outcome: 'hidden', why: 'branch' });
    expect(of(says(1, 'user', 'a'), inner, ended)).toEqual({ outcome: 'narrated' });
  });
});
