import { describe, expect, it } from 'vitest';
import { type Content, functionCalls, functionResponses, hasTextOrMedia, modelText, text, textOf } from './content.ts';

const mixed: Content = {
  role: 'model',
  parts: [
    { text: 'thinking', thought: true },
    { text: '你好' },
    { functionCall: { id: 'a', name: 'f' } },
    { text: '' },
    { text: 'world' },
    { functionResponse: { id: 'b', name: 'g' } },
  ],
};

describe('contents', () => {
  it('are made of a text for either side', () => {
    expect(text('hi')).toEqual({ role: 'user', parts: [{ text: 'hi' }] });
    expect(modelText('hi')).toEqual({ role: 'model', parts: [{ text: 'hi' }] });
  });

  it('give as one text what the model says in neighbouring parts', () => {
    const parts = [{ text: 'The cat is Whis' }, { text: 'kers. 猫叫' }, { text: '' }, { text: '橘子。' }];
    expect(textOf({ role: 'model', parts })).toBe('The cat is Whiskers. 猫叫橘子。');
    expect(textOf({ role: 'user', parts: [{ text: 'first' }, { text: 'second' }] })).toBe('first\nsecond');
  });

  it('give their text without thoughts, parted where something else stands between', () => {
    expect(textOf(mixed)).toBe('你好\nworld');
    expect(textOf(text('hi'))).toBe('hi');
    expect(textOf({ role: 'model', parts: [{ text: 'hm', thought: true }] })).toBe('');
    expect(textOf({ role: 'model', parts: [] })).toBe('');
    expect(textOf(undefined)).toBe('');
  });

  it('give their calls and responses in order', () => {
    expect(functionCalls(mixed)).toEqual([{ id: 'a', name: 'f' }]);
    expect(functionResponses(mixed)).toEqual([{ id: 'b', name: 'g' }]);
    expect(functionCalls(undefined)).toEqual([]);
    expect(functionResponses(undefined)).toEqual([]);
  });

  it.each<[Content | undefined, boolean]>([
    [text('x'), true],
    [text(''), false],
    [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] }, true],
    [{ role: 'user', parts: [{ fileData: { fileUri: 'artifact:a' } }] }, true],
    [{ role: 'model', parts: [{ text: 'hm', thought: true }] }, false],
    [{ role: 'user', parts: [{ functionResponse: { name: 'f' } }] }, false],
    [undefined, false],
  ])('tell whether they hold text or media: %j is %s', (content, expected) => {
    expect(hasTextOrMedia(content)).toBe(expected);
  });
});
