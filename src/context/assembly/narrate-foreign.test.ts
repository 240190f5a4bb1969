import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import type { PartInput } from '../../events/index.ts';
import { assemble } from './assemble.ts';
import { buildRequest } from './build-request.ts';
import { validateRequest } from './validators/validate-request.ts';

function texts(log: readonly LoggedInput[], agentName = 'assistant'): unknown[] {
  return assemble(buildLog(log), { agentName, history: 'full', provider: 'gemini' }).contents.map(({ role, parts }) => [
    role,
    ...parts.map(({ text, inlineData }) => text ?? inlineData?.mimeType),
  ]);
}

const turn = (seq: number, author: string, ...parts: PartInput[]): LoggedInput => ({
  seq,
  author,
  invocationId: 'i',
  content: { parts },
});

describe('narrateForeign', () => {
  it('retells words, calls and results of another agent, and keeps media', () => {
    const log = [
      turn(1, 'user', { text: 'q' }),
      turn(2, '研究员', { text: '我来查' }, { functionCall: { id: 'c', name: 'search', args: { q: '天气', n: 1 } } }),
      turn(3, '研究员', { functionResponse: { id: 'c', name: 'search', response: { b: 1, a: '晴' } } }),
      turn(4, '研究员', { inlineData: { mimeType: 'image/png', data: 'aGk=' } }),
      turn(5, '研究员', { functionResponse: { name: 'elsewhere', response: 'plain' } }),
    ];
    expect(texts(log)).toEqual([
      ['user', 'q'],
      ['user', '[研究员] said: 我来查', '[研究员] called search({"n":1,"q":"天气"})'],
      ['user', '[研究员] search returned {"a":"晴","b":1}'],
      ['user', 'image/png'],
      ['user', '[研究员] elsewhere returned plain'],
    ]);
  });

  it('tells a result that the user brings as the one of the agent that asked for it', () => {
    const log = [
      turn(1, 'user', { text: 'q' }),
      turn(2, 'other', { functionCall: { id: 'c', name: 'approve' } }),
      turn(3, 'user', { functionResponse: { id: 'c', name: 'approve', response: 'yes' } }),
    ];
    expect(texts(log)).toEqual([
      ['user', 'q'],
      ['user', '[other] called approve({})'],
      ['user', '[other] approve returned yes'],
    ]);
  });

  it('leaves on its side what the model says and calls beside the result of another agent', () => {
    const foreign = turn(2, 'critic', { functionCall: { id: 'c', name: 'search' } });
    const result = { functionResponse: { id: 'c', name: 'search', response: '晴' } };
    const own = { functionCall: { id: 'd', name: 'book' } };
    const done = turn(4, 'assistant', { functionResponse: { id: 'd', name: 'book', response: {} } });
    const log = [turn(1, 'user', { text: 'q' }), foreign, turn(3, 'assistant', own, result, { text: '好' }), done];
    expect(texts(log).slice(1)).toEqual([
      ['user', '[critic] called search({})'],
      ['user', '[critic] search returned 晴'],
      ['model', undefined, '好'],
      ['user', undefined],
    ]);
    for (const provider of ['gemini', 'anthropic', 'openai'] as const) {
      const assembly = assemble(buildLog(log), { agentName: 'assistant', history: 'full', provider });
      const request = buildRequest({ instruction: [], tools: [], assembly, transient: [] }, provider);
      expect(validateRequest(request, provider)).toEqual([]);
    }
  });

  it('says that only a result is told where the call beside it is left out', () => {
    const foreign = turn(2, 'critic', { functionCall: { id: 'c', name: 'search' } });
    const result = { functionResponse: { id: 'c', name: 'search', response: '晴' } };
    const log = [
      turn(1, 'user', { text: 'q' }),
      foreign,
      turn(3, 'assistant', result, { functionCall: { id: 'd', name: 'book' } }),
    ];
    expect(texts(log).slice(2)).toEqual([['user', '[critic] search returned 晴']]);
    const assembly = assemble(buildLog(log), { agentName: 'assistant', history: 'full', provider: 'gemini' });
    expect(assembly.placement(3)).toEqual({ outcome: 'narrated' });
  });

  it('drops foreign thoughts, and a turn that has nothing else', () => {
    const log = [
      turn(1, 'user', { text: 'q' }),
      turn(2, 'other', { text: 'hm', thought: true, thoughtSignature: 'c2ln' }),
    ];
    expect(texts(log)).toEqual([['user', 'q']]);
    const assembly = assemble(buildLog(log), { agentName: 'assistant', history: 'full', provider: 'gemini' });
    expect(assembly.placement(2)).toEqual({ outcome: 'hidden', why: 'empty' });
  });

  it('joins the pieces of a transcript, each speaker on its side', () => {
    const piece = (seq: number, author: string, text: string, finished?: boolean): LoggedInput => ({
      seq,
      author,
      [author === 'user' ? 'inputTranscription' : 'outputTranscription']: { text, ...(finished ? { finished } : {}) },
    });
    const log = [
      piece(1, 'user', '你'),
      piece(2, 'user', '好', true),
      piece(3, 'user', 'and?'),
      piece(4, 'assistant', 'he'),
      piece(5, 'assistant', 'llo'),
      piece(6, 'assistant', ''),
    ];
    expect(texts(log)).toEqual([
      ['user', '你好'],
      ['user', 'and?'],
      ['model', 'hello'],
    ]);
    expect(texts(log, 'watcher')).toEqual([
      ['user', '你好'],
      ['user', 'and?'],
      ['user', '[assistant] said: hello'],
    ]);
    const { placement } = assemble(buildLog(log), { agentName: 'assistant', history: 'full', provider: 'gemini' });
    expect([2, 5, 6].map(placement)).toEqual([
      { outcome: 'merged', into: 1 },
      { outcome: 'merged', into: 4 },
      { outcome: 'hidden', why: 'empty' },
    ]);
  });
});
