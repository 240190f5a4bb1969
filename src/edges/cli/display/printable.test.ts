import fc from 'fast-check';
import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { oneLine, printable, printableJson, printableWithColours } from './printable.ts';

const steering = /[\p{Control}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const steers = (character: string) => steering.test(character) && character !== '\n';
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const ownColours = /\u001b\[\d\d?m/u;
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .array(
      fc.constantFrom('\u001b[31m', '\u001b[2J', '\u009b', '\u202e', '\u2067', '\u200f', '\u061c', '好', 'a', '\r'),
    )
    .map((pieces) => pieces.join('')),
);

test('nothing in a text can steer the terminal', () => {
  fc.assert(
    fc.property(anything, (text) => {
      expect([...printable(text)].filter(steers)).toEqual([]);
      expect(oneLine(text)).not.toContain('\n');
    }),
  );
  expect(printable('\u001b[31mred')).toBe('␛[31mred');
  expect(printable('a\u202eb\u2066c\u200ed\u061ce')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde');
});

test('colours of the command pass, nothing else does', () => {
  const paint = picocolors.createColors(true);
  for (const colour of [paint.bold, paint.dim, paint.underline, paint.red, paint.green, paint.cyan, paint.magenta]) {
    expect(printableWithColours(colour('好 x'))).toBe(colour('好 x'));
  }
  fc.assert(
    fc.property(anything, (text) => {
      const painted = printableWithColours(paint.cyan(text));
      for (const piece of painted.split(ownColours)) expect([...piece].filter(steers)).toEqual([]);
    }),
  );
});

test('JSON that is made printable means the same', () => {
  fc.assert(
    fc.property(fc.json(), anything, (json, text) => {
      for (const value of [JSON.parse(json), text, { [text]: [text] }]) {
        const shown = printableJson(JSON.stringify(value, undefined, 2));
        expect(JSON.parse(shown)).toEqual(value);
        expect([...shown].filter(steers)).toEqual([]);
      }
    }),
  );
});
