import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StreamedText } from './streamed-text.ts';
import { textWidth } from './text-width.ts';
import { wrapWidth } from './wrap-width.ts';

/** What is written after each piece. */
function writtenBy(columns: number, pieces: readonly string[]): string[] {
  let written = '';
  const text = new StreamedText(
    () => columns,
    (more) => {
      written += more;
    },
  );
  const stages = pieces.map((piece) => {
    text.push(piece);
    return written;
  });
  text.end();
  return [...stages, written];
}

const trimmed = (text: string) => text.replace(/ +$/gm, '');

test('a line that has begun keeps its width, the next one has the width of then', () => {
  let columns = 30;
  let written = '';
  const text = new StreamedText(
    () => columns,
    (more) => {
      written += more;
    },
  );
  const words = '大理这几天白天十八摄氏度左右。 The temperature is reported in Celsius. ';
  const push = () => {
    for (const character of words) text.push(character);
  };
  push();
  const begun = written.lastIndexOf('\n') + 1;
  columns = 12;
  push();
  columns = 50;
  push();
  text.end();
  const [, ...narrower] = written.slice(begun).split('\n');
  const widths = narrower.map(textWidth);
  expect(widths.slice(0, 4).every((width) => width <= 12)).toBe(true);
  expect(Math.max(...widths)).toBeGreaterThan(30);
  expect(written.replace(/\s/g, '')).toBe(words.repeat(3).replace(/\s/g, ''));
});

test('however a text is cut, it is broken as the whole of it is', () => {
  const word = fc.constantFrom(
    'a',
    'temperature',
    'Celsius,',
    '（大理',
    '天气。',
    '很好',
    '👩‍👩‍👧',
    '\n',
    ' ',
    '  ',
    'x'.repeat(30),
    '“',
    '”',
  );
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 40 }),
      fc.integer({ min: 4, max: 40 }),
      fc.infiniteStream(fc.nat(6)),
      (words, columns, cuts) => {
        const whole = words.join('');
        const pieces: string[] = [];
        for (let at = 0; at < whole.length; ) {
          const next = at + 1 + (cuts.next().value ?? 0);
          pieces.push(whole.slice(at, next));
          at = next;
        }
        const written = writtenBy(columns, pieces).at(-1) ?? '';
        expect(trimmed(written)).toBe(trimmed(wrapWidth(whole, columns).join('\n')));
        for (const line of trimmed(written).split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      },
    ),
  );
});

test('words are written when they are whole', () => {
  expect(writtenBy(80, ['Please re', 'port in Cel', 'sius'])).toEqual([
    'Please ',
    'Please report in ',
    'Please report in ',
    'Please report in Celsius',
  ]);
  expect(writtenBy(80, ['好的，', '周五', '。'])).toEqual(['好', '好的，', '好的，周', '好的，周五。']);
});

test('a long word is broken where the line ends', () => {
  expect(writtenBy(4, ['abcdefgh', 'ij']).at(-1)).toBe('abcd\nefgh\nij');
});
