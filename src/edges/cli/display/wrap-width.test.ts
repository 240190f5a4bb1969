import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textWidth } from './text-width.ts';
import { wrapHanging, wrapWidth } from './wrap-width.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const mixed = fc
  .array(
    fc.constantFrom(
      'a',
      ' ',
      '好',
      '，',
      '。',
      '（',
      '”',
      'é',
      'e\u0301',
      '👩‍👩‍👧',
      '🇨🇳',
      'カ',
      '한',
      '…',
      'word',
      ', ',
    ),
    {
      maxLength: 40,
    },
  )
  .map((pieces) => pieces.join(''));

test('wrapped lines fit and lose nothing but white space', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, mixed), fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const lines = wrapWidth(text, columns);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    }),
  );
});

test('no line begins with closing punctuation or ends with opening one where it can be helped', () => {
  const sentences = fc
    .array(fc.constantFrom('我', '们', '去', '大理', 'Dali', ' ', '，', '。', '（三天）', '“好。”', '《诗》、', '！'), {
      minLength: 1,
      maxLength: 40,
    })
    // Two marks in a row may be longer than the line; then there is no better place.
    .map((pieces) =>
      pieces.filter((piece, index) => !/^[，。！]/u.test(piece) || !/[\p{P}\s]$/u.test(pieces[index - 1] ?? ' ')),
    );
  fc.assert(
    fc.property(sentences, fc.integer({ min: 12, max: 30 }), (pieces, columns) => {
      const lines = wrapWidth(pieces.join('').trim(), columns);
      for (const line of lines.slice(1)) expect(line).not.toMatch(/^[，。！）》”、]/u);
      for (const line of lines.slice(0, -1)) expect(line).not.toMatch(/[（《“]$/u);
    }),
  );
});

test('words break at spaces, Chinese between characters, both in one line', () => {
  expect(wrapWidth('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrapWidth('以后请用摄氏度报告天气', 8)).toEqual(['以后请用', '摄氏度报', '告天气']);
  expect(wrapWidth('我周五去大理，住三天。', 12)).toEqual(['我周五去大', '理，住三天。']);
  expect(wrapWidth('请用 Celsius 报告天气，谢谢', 14)).toEqual(['请用 Celsius', '报告天气，谢谢']);
  expect(wrapWidth('温度用Celsius表示', 12)).toEqual(['温度用', 'Celsius表示']);
  expect(wrapWidth('so it doesn’t break', 10)).toEqual(['so it', 'doesn’t', 'break']);
  expect(wrapWidth('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
});

test('what does not fit goes on further in', () => {
  expect(wrapHanging('  one two three\nfour', 11)).toEqual(['  one two', '    three', 'four']);
  expect(wrapHanging('\n  short', 20)).toEqual(['', '  short']);
});
