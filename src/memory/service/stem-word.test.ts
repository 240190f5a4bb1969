import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stemWord } from './stem-word.ts';

// Examples of the published algorithm, one or more for each of its steps.
const published: Readonly<Record<string, string>> = {
  caresses: 'caress',
  ponies: 'poni',
  cats: 'cat',
  feed: 'feed',
  agreed: 'agre',
  plastered: 'plaster',
  motoring: 'motor',
  sing: 'sing',
  conflated: 'conflat',
  troubled: 'troubl',
  hopping: 'hop',
  falling: 'fall',
  filing: 'file',
  happy: 'happi',
  sky: 'sky',
  relational: 'relat',
  conditional: 'condit',
  digitizer: 'digit',
  sensibiliti: 'sensibl',
  triplicate: 'triplic',
  hopefulness: 'hope',
  electrical: 'electr',
  revival: 'reviv',
  adjustment: 'adjust',
  adoption: 'adopt',
  probate: 'probat',
  rate: 'rate',
  controlling: 'control',
};

test.each(Object.entries(published))('%s → %s', (word, stem) => {
  expect(stemWord(word)).toBe(stem);
});

test('forms of one word meet', () => {
  const stems = ['prefers', 'preferred', 'preferring'].map(stemWord);
  expect(new Set(stems)).toEqual(new Set(['prefer']));
});

test('other scripts and short words are left alone, and a stem is never empty', () => {
  for (const word of ['café', '摄氏度', 'is', '2024', 'привет']) expect(stemWord(word)).toBe(word);
  fc.assert(fc.property(fc.stringMatching(/^[a-z]{1,40}$/), (word) => stemWord(word).length > 0));
});
