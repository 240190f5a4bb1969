import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitWidth, padWidth, textWidth } from './text-width.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const mixed = fc
  .array(fc.constantFrom('a', ' ', '好', '，', 'é', 'e\u0301', '👩‍👩‍👧', '🇨🇳', 'ｱ', 'カ', '한', '…', 'word'), {
    maxLength: 40,
  })
  .map((pieces) => pieces.join(''));

test('Chinese, Japanese, Korean and emoji take two columns, marks none', () => {
  const widths = {
    abc: 3,
    你好: 4,
    '，。': 4,
    'e\u0301': 1,
    '👩‍👩‍👧': 2,
    '🇨🇳': 2,
    カナ: 4,
    한글: 4,
    ｱｲ: 2,
    '—…“”': 4,
    '': 0,
  };
  for (const [text, width] of Object.entries(widths)) expect([text, textWidth(text)]).toEqual([text, width]);
});

test('a cut text fits, and what fits is not cut', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, mixed), fc.integer({ min: 1, max: 40 }), (text, columns) => {
      const cut = fitWidth(text, columns);
      expect(textWidth(cut)).toBeLessThanOrEqual(columns);
      if (textWidth(text) <= columns) expect(cut).toBe(text);
      else expect(cut.endsWith('…')).toBe(true);
    }),
  );
});

test('padding fills up to the width', () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const width = textWidth(text) + 3;
      expect(textWidth(padWidth(text, width))).toBe(width);
      expect(padWidth(text, width, 'left').endsWith(text)).toBe(true);
    }),
  );
});
