import fc from 'fast-check';
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base';
import tokenizer from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { BytePairCounter } from './byte-pair-counter.ts';

const counter = new BytePairCounter(ranks);
const reference = (text: string) => tokenizer.countTokens(text, { disallowedSpecial: new Set<string>() });

const pieces = [
  ...['The ', 'quick', " doesn't", "WE'LL", 'naïve', 'résumé', 'ǅ', 'ß', 'x'],
  ...['会议', '天气怎么样', '，', '。', '《', '𠮷', 'ご飯', '한국어', 'ภาษาไทย', 'е́', 'हिन्दी'],
  ...['🙂', '👩‍👩‍👧', '🇳🇴', '\u0301', '\ud83d', '\ude42', '\0'],
  ...[' ', '  ', '\t', '\n', '\r\n', '\u3000', ' \n '],
  ...['0', '2026', '12345678', '3.14', '٣', '½', '{"a":[1]}', '://', '//\n', '---', '<|endoftext|>', '<|im_start|>'],
];

describe('BytePairCounter', () => {
  it('counts what the tokenizer counts', () => {
    const text = fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((some) => some.join('')),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(text, (value) => {
        expect(counter.count(value)).toBe(reference(value));
      }),
      { numRuns: 3000 },
    );
  });

  it('takes what looks like a special token for text', () => {
    expect(counter.count('<|endoftext|>')).toBe(7);
    expect(counter.count('')).toBe(0);
  });

  it('counts long texts in slices that part no word', () => {
    const words = fc.array(fc.constantFrom(...pieces.slice(0, 12), ' ', '\n'), { minLength: 2000, maxLength: 6000 });
    fc.assert(
      fc.property(words, (some) => {
        const value = some.map((word) => ` ${word}`).join('');
        expect(counter.count(value)).toBe(reference(value));
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['letters', 'x'],
    ['capitals', 'A'],
    ['characters', '中'],
    ['emoji', '🙂'],
    ['blanks', ' '],
    ['lines', '\n'],
    ['marks', '\u0301'],
    ['digits', '7'],
    ['dashes', '-'],
  ])('counts a run of %s nearly right, in slices', (_, unit) => {
    const value = unit.repeat(5000);
    const counted = counter.count(value);
    const truth = reference(value);
    expect(Math.abs(counted - truth)).toBeLessThanOrEqual(Math.max(2, truth * 0.03));
  });

  it('counts an event of 8 MiB in samples', () => {
    const sentence = 'Every event is at most so many bytes of JSON. 每个事件都有上限。\n';
    const value = sentence.repeat(120_000);
    const truth = reference(sentence) * 120_000;
    expect(value.length).toBeGreaterThan(6_000_000);
    expect(Math.abs(counter.count(value) - truth) / truth).toBeLessThanOrEqual(0.01);
    const run = 8 * 1024 * 1024;
    expect(counter.count('x'.repeat(run))).toBe(run / 8);
    expect(counter.count('+/aB'.repeat(run / 4))).toBeGreaterThan(run / 4);
  });

  it('knows the whole vocabulary, in which two ranks are free', () => {
    expect(counter.size).toBe(199_998);
  });
});
