import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textWidth } from '../display/index.ts';
import { textExcerpts } from './text-excerpt.ts';

const size = { width: 40, lines: 3 };
const start =
  '我周五去大理，大概住三天。请用摄氏度报告天气，另外告诉我古城附近有没有安静的客栈，不要太贵，谢谢，祝周末愉快！';

test('what both texts have is left out up to shortly before the place where they part', () => {
  const [before, after] = textExcerpts(`${start}坐高铁`, `${start}坐飞机`, size);
  expect(before.join('')).toMatch(/^…\S{16,48}坐高铁$/u);
  expect(after.join('')).toMatch(/^…\S{16,48}坐飞机$/u);
  expect(textExcerpts('short 一', 'short 二', size)).toEqual([['short 一'], ['short 二']]);
});

test('the difference stands in what is shown, in so many lines of so many columns', () => {
  const unit = fc.constantFrom('a', ' ', '好', '，', '👩‍👩‍👧', '\u0301', '😀', '\n', '7');
  const text = fc.string({ unit, maxLength: 200 });
  const tail = fc.string({ unit: fc.constantFrom('x', '好', '😀'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(text, tail, tail, (shared, first, second) => {
      const [before, after] = textExcerpts(`${shared}|${first}`, `${shared}|${second}`, { width: 60, lines: 3 });
      for (const lines of [before, after]) {
        expect(lines.length).toBeLessThanOrEqual(3);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(60);
        expect(lines.join('')).toContain('|');
        expect(lines.join('').isWellFormed()).toBe(true);
      }
      if (first !== second) expect(before).not.toEqual(after);
    }),
  );
});

test('all of both where all is wanted', () => {
  const [before] = textExcerpts(start.repeat(3), start.repeat(2), { width: 40, lines: 0 });
  expect(before.join('')).toBe(start.repeat(3));
});
