import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import type { PartInput, Provider } from '../../events/index.ts';
import { assemble } from './assemble.ts';

const call = (name: string, id?: string): PartInput => ({
  functionCall: { name, ...(id === undefined ? {} : { id }) },
});
const answer = (name: string, value: unknown, id?: string): PartInput => ({
  functionResponse: { name, response: { value }, ...(id === undefined ? {} : { id }) },
});

function logOf(...turns: readonly (readonly [author: string, ...parts: PartInput[]])[]): LoggedInput[] {
  return turns.map(([author, ...parts], index) => ({ seq: index + 1, author, invocationId: 'i1', content: { parts } }));
}

function assembled(inputs: readonly LoggedInput[], provider: Provider = 'gemini') {
  return assemble(buildLog(inputs), { agentName: 'assistant', history: 'full', provider });
}

function values(inputs: readonly LoggedInput[], provider: Provider = 'gemini'): unknown[] {
  const parts = assembled(inputs, provider).contents.flatMap((content) => content.parts);
  return parts.flatMap(({ functionCall, functionResponse }) =>
    functionCall ? `${functionCall.name}?` : (functionResponse?.response ?? []),
  );
}

describe('pairResponses', () => {
  it('puts the responses of parallel calls in one content, in the order of the calls', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', call('f', 'a'), call('g', 'b')],
      ['assistant', answer('g', 2, 'b')],
      ['assistant', answer('f', 1, 'a')],
    );
    expect(values(log)).toEqual(['f?', 'g?', { value: 1 }, { value: 2 }]);
    expect(assembled(log).sources).toEqual([[1], [2], [4, 3]]);
  });

  it('leaves out only the unanswered one of two calls', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', call('f', 'a'), call('g', 'b')],
      ['user', answer('g', 2, 'b')],
    );
    expect(values(log)).toEqual(['g?', { value: 2 }]);
    expect(assembled(log).placement(2)).toEqual({ outcome: 'verbatim' });
  });

  it('says that an event stands whose result does, though its own call is left out', () => {
    const log = logOf(
      ['user', { text: '问' }],
      ['assistant', call('f', 'a')],
      ['assistant', answer('f', 1, 'a'), call('g', 'b')],
    );
    expect(values(log)).toEqual(['f?', { value: 1 }]);
    expect(assembled(log).placement(3)).toEqual({ outcome: 'verbatim' });
    const again = [...log, ...logOf(['user', answer('f', 2, 'a')]).map((input) => ({ ...input, seq: 4 }))];
    expect(assembled(again).placement(3)).toEqual({ outcome: 'hidden', why: 'orphanCall' });
  });

  it('pairs by position where ids are missing', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', call('f'), call('f')],
      ['assistant', answer('f', 1), answer('f', 2)],
      ['assistant', answer('f', 'one too many')],
    );
    expect(values(log)).toEqual(['f?', 'f?', { value: 1 }, { value: 2 }]);
    expect(assembled(log).placement(4)).toEqual({ outcome: 'hidden', why: 'orphanResponse' });
  });

  it('gives calls the ids that a provider needs, the same every time', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', call('f'), call('f', 'not fit!')],
      ['assistant', answer('f', 1), answer('f', 2, 'not fit!')],
    );
    const ids = assembled(log, 'anthropic').contents.flatMap(({ parts }) =>
      parts.map((part) => (part.functionCall ?? part.functionResponse)?.id),
    );
    expect(ids).toEqual([undefined, 'call_2_0', 'call_2_1', 'call_2_0', 'call_2_1']);
  });

  it('gives each use of a repeated id its own response', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', call('f', 'a')],
      ['assistant', answer('f', 1, 'a')],
      ['assistant', call('f', 'a')],
      ['assistant', answer('f', 2, 'a')],
    );
    for (const provider of ['gemini', 'anthropic', 'openai'] as const)
      expect(values(log, provider)).toEqual(['f?', { value: 1 }, 'f?', { value: 2 }]);
  });

  it('shows a long-running call that nothing has answered as pending', () => {
    const [question, calls] = logOf(['user', { text: 'q' }], ['assistant', call('render', 'r1'), call('f', 'a')]);
    const log = [question, calls && { ...calls, longRunningToolIds: ['r1'] }].flatMap((event) => event ?? []);
    expect(values(log)).toEqual(['render?', { status: 'pending' }]);
  });

  it('never answers a call with what came before it', () => {
    const log = logOf(['user', { text: 'q' }], ['assistant', answer('f', 1, 'a')], ['assistant', call('f', 'a')]);
    expect(assembled(log).placement(2)).toEqual({ outcome: 'hidden', why: 'orphanResponse' });
    expect(assembled(log).placement(3)).toEqual({ outcome: 'hidden', why: 'orphanCall' });
  });

  it('joins a call to the words of the model before it, also for Gemini', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', { text: 'let me look' }],
      ['assistant', call('f', 'a')],
      ['assistant', answer('f', 1, 'a')],
    );
    expect(assembled(log).sources).toEqual([[1], [2, 3], [4]]);
    expect(assembled(log).placement(3)).toEqual({ outcome: 'merged', into: 2 });
  });

  it('keeps the text that comes with a late response where it was said', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', call('f', 'a')],
      ['user', { text: 'still there?' }],
      ['user', { text: 'here' }, answer('f', 1, 'a')],
    );
    expect(assembled(log, 'anthropic').sources).toEqual([[1], [2], [4, 3, 4]]);
    expect(assembled(log, 'anthropic').placement(4)).toEqual({ outcome: 'verbatim' });
  });

  it('hides what only asks for a credential or a confirmation', () => {
    const log = logOf(
      ['user', { text: 'q' }],
      ['assistant', call('adk_request_confirmation', 'x')],
      ['user', answer('adk_request_confirmation', true, 'x')],
      ['assistant', { text: 'done' }],
    );
    expect(assembled(log).sources).toEqual([[1], [4]]);
    for (const seq of [2, 3]) expect(assembled(log).placement(seq)).toEqual({ outcome: 'hidden', why: 'auth' });
  });

  it('keeps thought signatures, and thoughts only where the provider takes them', () => {
    const signed = { text: 'hm', thought: true, thoughtSignature: 'c2ln' };
    const log = logOf(['user', { text: 'q' }], ['assistant', signed, { text: 'mm', thought: true }, { text: 'a' }]);
    const texts = (provider: Provider) => assembled(log, provider).contents[1]?.parts.map(({ text }) => text);
    expect(texts('gemini')).toEqual(['hm', 'mm', 'a']);
    expect(texts('anthropic')).toEqual(['hm', 'a']);
    expect(assembled(log, 'openai').contents[1]?.parts[0]).toEqual(signed);
  });

  it('shares contents that need no change', () => {
    const log = buildLog(logOf(['user', { text: 'q' }], ['assistant', { text: 'a' }]));
    const { contents } = assemble(log, { agentName: 'assistant', history: 'full', provider: 'anthropic' });
    expect(contents[0]).toBe(log[0]?.content);
    expect(contents[1]).toBe(log[1]?.content);
  });
});
