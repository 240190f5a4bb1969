import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze, maxQueryTerms, queryTerms } from './analyzer.ts';

const terms = (text: string) => analyze(text).map(({ term }) => term);
const found = (query: string) => queryTerms(query).flatMap(({ term, role }) => (role === 'find' ? term : []));

test('English is lowered, split and stemmed; contractions count as their first word', () => {
  expect(terms('The user’s PLANS, re-checked: C++!')).toEqual(['the', 'user', 'plan', 're', 'check', 'c']);
  expect(terms("can't don't we'll")).toEqual(['can', 'do', 'we']);
});

test('Chinese becomes characters and pairs', () => {
  expect(terms('摄氏度')).toEqual(['摄', '摄氏', '氏', '氏度', '度']);
  expect(terms('用iPhone拍照')).toEqual(['用', 'iphon', '拍', '拍照', '照']);
  expect(terms('天气，好')).not.toContain('气好');
});

test('characters outside the basic plane stay whole', () => {
  expect(terms('𠮷野家')).toEqual(['𠮷', '𠮷野', '野', '野家', '家']);
});

test('width and case do not matter, accents do, however they are written', () => {
  expect(terms('ＡＢＣ１２')).toEqual(terms('abc12'));
  expect(terms('CAFÉ')).toEqual(terms('cafe\u0301'));
  expect(terms('café')).not.toEqual(terms('cafe'));
});

test('stop words are left out of a query unless there is nothing else', () => {
  expect(found('where is the weather')).toEqual(['weather']);
  expect(found('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
  expect(found('the 天气')).toEqual(['天气']);
});

test('in a query pairs find and characters weigh, but for a character that stands alone', () => {
  expect(queryTerms('天气 图').map(({ term, role }) => [term, role])).toEqual([
    ['天气', 'find'],
    ['图', 'find'],
    ['天', 'weigh'],
    ['气', 'weigh'],
  ]);
});

test('nothing in a query has a special meaning', () => {
  expect(found('"unterminated')).toEqual(['untermin']);
  expect(found('plan* AND NEAR(sunny, 3) text:plan')).toEqual(['plan', 'near', 'sunni', '3', 'text']);
  expect(found('!!! ??? ...')).toEqual([]);
  expect(queryTerms('词汇'.repeat(5_000)).length).toBeLessThanOrEqual(2 * maxQueryTerms);
});

test('any text gives well-formed terms at places that never go back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      let last = 0;
      for (const { term, at, kind } of analyze(text.toWellFormed())) {
        expect(term).not.toBe('');
        expect(term.isWellFormed()).toBe(true);
        if (kind !== 'pair') {
          expect(at).toBeGreaterThanOrEqual(last);
          last = at;
        }
      }
    }),
  );
});
