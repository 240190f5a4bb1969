import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import type { View } from '../../events/index.ts';
import { assemble } from './assemble.ts';

const tokens = { n: 10, by: 'test' };

/** Four invocations of a question, a call, its response and an answer, ten tokens each. */
const log: LoggedInput[] = [1, 2, 3, 4].flatMap((number): LoggedInput[] => {
  const seq = number * 4 - 3;
  const base = { author: 'assistant', invocationId: `i${number}`, tokens };
  const id = `c${number}`;
  return [
    { ...base, seq, author: 'user', content: `question ${number}` },
    { ...base, seq: seq + 1, content: { parts: [{ functionCall: { id, name: 'f' } }] } },
    { ...base, seq: seq + 2, content: { parts: [{ functionResponse: { id, name: 'f', response: {} } }] } },
    { ...base, seq: seq + 3, content: `answer ${number}` },
  ];
});

const summary = (seq: number, to: number): LoggedInput => ({
  seq,
  author: 'system',
  actions: {
    compaction: {
      covers: [[1, to]],
      content: { role: 'model', parts: [{ text: 'before' }] },
      trigger: 't',
      sourceHash: '',
    },
  },
});

function standing(history: View['history'], events = log): number[] {
  return assemble(buildLog(events), { agentName: 'assistant', provider: 'openai', history }).sources.flat();
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('limitWindow', () => {
  it('keeps whole invocations, newest first', () => {
    expect(standing({ window: { invocations: 2 } })).toEqual(range(9, 16));
    expect(standing({ window: { invocations: 9 } })).toEqual(range(1, 16));
    expect(standing('invocation')).toEqual(range(13, 16));
    expect(standing({ window: {} })).toEqual(range(1, 16));
  });

  it('keeps a tail of the limit and up to a quarter more, and parts no call from its response', () => {
    expect(standing({ window: { tokens: 50 } })).toEqual(range(12, 16));
    expect(standing({ window: { tokens: 60 } })).toEqual(range(10, 16));
    expect(standing({ window: { tokens: 70 } })).toEqual(range(10, 16));
    // Cut before 7, the response would stand without its call.
    expect(standing({ window: { tokens: 105 } })).toEqual(range(8, 16));
  });

  it('honours both limits at once', () => {
    expect(standing({ window: { invocations: 2, tokens: 40 } })).toEqual(range(13, 16));
    expect(standing({ window: { invocations: 1, tokens: 999 } })).toEqual(range(13, 16));
  });

  it('never keeps less than the newest block, nor drops the live question', () => {
    expect(standing({ window: { tokens: 0 } })).toEqual([16]);
    expect(standing({ window: { tokens: 0 } }, log.slice(0, 15))).toEqual([13, 14, 15]);
  });

  it('brings back the call of a late response', () => {
    const late: LoggedInput = {
      seq: 17,
      author: 'user',
      invocationId: 'i4',
      content: { parts: [{ functionResponse: { id: 'c1', name: 'f', response: { late: true } } }] },
    };
    expect(standing('invocation', [...log, late])).toEqual([2, 17, ...range(13, 16)]);
  });

  it('keeps a summary, which is older than the raw invocations below it, until one of those is cut off', () => {
    const compacted = [...log, summary(17, 8)];
    expect(standing({ window: { invocations: 3 } }, compacted)).toEqual([17, ...range(9, 16)]);
    expect(standing({ window: { invocations: 2 } }, compacted)).toEqual([17, ...range(9, 16)]);
    expect(standing({ window: { invocations: 1 } }, compacted)).toEqual(range(13, 16));
    const assembly = assemble(buildLog(compacted), {
      agentName: 'assistant',
      provider: 'gemini',
      history: 'invocation',
    });
    for (const seq of [1, 17]) expect(assembly.placement(seq)).toEqual({ outcome: 'hidden', why: 'window' });
  });

  it('estimates what was not counted', () => {
    const uncounted = log.map(({ tokens: _, ...event }) => ({ ...event, content: '天气'.repeat(50) }));
    expect(standing({ window: { tokens: 250 } }, uncounted)).toEqual([15, 16]);
  });
});
