import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../test/logs/log-builder.ts';
import { answers, asks } from './question.ts';

const told = (input: Omit<LoggedInput, 'seq'>) => {
  const [event] = buildLog([{ ...input, seq: 1 }]);
  return event === undefined ? [] : [asks(event), answers(event)];
};

describe('questions and answers', () => {
  it('are words or media of the user, and final words of an agent', () => {
    expect(told({ author: 'user', content: '你好' })).toEqual([true, false]);
    expect(told({ author: 'user', inputTranscription: { text: 'hi' } })).toEqual([true, false]);
    expect(told({ author: 'bot', content: '好' })).toEqual([false, true]);
    expect(told({ author: 'bot', outputTranscription: { text: 'hi' } })).toEqual([false, true]);
  });

  it('are not silence, calls, responses or what was interrupted', () => {
    for (const input of [
      { author: 'user', inputTranscription: { text: ' ' } },
      { author: 'user', content: ' \n　' },
      { author: 'user', content: { parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] } },
      { author: 'user', content: { parts: [{ functionResponse: { name: 'f' } }, { text: 'here' }] } },
      { author: 'bot', content: { parts: [{ text: 'look' }, { functionCall: { name: 'f' } }] } },
      { author: 'bot', content: 'I was', interrupted: true },
      { author: 'bot', outputTranscription: { text: 'I was' }, interrupted: true },
      { author: 'system', content: 'note' },
    ])
      expect(told(input)).toEqual([false, false]);
  });
});
