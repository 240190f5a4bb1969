import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foreignTime, spokenTime } from './foreign-time.ts';

test('seconds, milliseconds and ISO text mean the same moment', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1e11, max: 4e12 }), (millis) => {
      const instant = new Date(millis).toISOString();
      expect(foreignTime(millis)).toBe(instant);
      expect(foreignTime(Math.floor(millis / 1000))).toBe(new Date(Math.floor(millis / 1000) * 1000).toISOString());
      expect(foreignTime(instant)).toBe(instant);
      expect(foreignTime(instant.replace('Z', ''))).toBe(instant);
    }),
  );
  expect(foreignTime('2024-05-01 12:00:00.123456+02:00')).toBe('2024-05-01T10:00:00.123Z');
});

test('what is no time is none', () => {
  const bad = [
    undefined,
    null,
    '',
    'soon',
    '1714557600',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    {},
    '2024-13-45T00:00:00Z',
  ];
  for (const value of bad) expect(foreignTime(value)).toBeUndefined();
});

test('spoken times', () => {
  expect(spokenTime('1:56 pm on 8 May, 2023')).toBe('2023-05-08T13:56:00.000Z');
  expect(spokenTime('12:00 am on 29 February, 2024')).toBe('2024-02-29T00:00:00.000Z');
  expect(spokenTime('12:30 PM on 1 March 2024')).toBe('2024-03-01T12:30:00.000Z');
  for (const bad of [
    '13:00 pm on 1 May, 2023',
    '1:61 pm on 1 May, 2023',
    '1:00 pm on 31 June, 2023',
    '1:00 pm on 1 Mai, 2023',
    '',
  ]) {
    expect(spokenTime(bad)).toBeUndefined();
  }
});
