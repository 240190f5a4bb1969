import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze } from './analyzer.ts';
import { passagesOf } from './passages.ts';

const fact = (text: string) => passagesOf({ text, kind: 'fact', author: 'user' });

test('a short text is one passage, and so is one without any term', () => {
  expect(fact('Prefers Celsius').map(({ length }) => length)).toEqual([2]);
  expect(fact('!!!').map(({ length }) => length)).toEqual([0]);
});

test('a turn is indexed with the name of its speaker, in every passage; the user has no name', () => {
  const said = passagesOf({ text: 'word '.repeat(200), kind: 'turn', author: 'Caroline' });
  expect(said.length).toBeGreaterThan(1);
  for (const { terms } of said) expect(terms.get('carolin')).toBe(1);
  expect(passagesOf({ text: 'hello', kind: 'turn', author: 'user' })[0]?.terms.has('user')).toBe(false);
});

test('long texts are cut into passages of at most 75 words or 150 characters that together have every term', () => {
  const word = fc.oneof(fc.stringMatching(/^[b-df-hj-np-tv-z]{4,7}$/), fc.stringMatching(/^[天气预报温度单位]{1,9}$/));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 400 }), (words) => {
      const text = words.join(' ');
      const passages = fact(text);
      const all = new Set(passages.flatMap(({ terms }) => [...terms.keys()]));
      expect(all).toEqual(new Set(analyze(text).map(({ term }) => term)));
      for (const { length } of passages) expect(length).toBeLessThanOrEqual(300);
    }),
  );
});
