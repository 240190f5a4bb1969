import { describe, expect, test } from 'vitest';
import { memoryLaws, sessionLaws } from '../../src/testing/index.ts';
import { faultCatalogue } from './fault-catalogue.ts';

function rows(letter: string, last: number, missing: readonly number[] = []): string[] {
  return Array.from({ length: last }, (_, index) => index + 1)
    .filter((n) => !missing.includes(n))
    .map((n) => `${letter}${n}`);
}

const expected = [
  ...rows('P', 13),
  ...rows('A', 26, [14]),
  ...rows('B', 18, [9]),
  ...rows('F', 13),
  ...rows('G', 16, [6, 13]),
  ...rows('H', 12, [6]),
  ...rows('M', 5),
];

function cited(source: string): readonly string[] {
  return source.match(/\b[PABFGHM]\d+\b/g) ?? [];
}

const covered = new Set(Object.values({ ...sessionLaws, ...memoryLaws }).flatMap(({ source }) => cited(source)));

describe('every reported fault is kept out by something', () => {
  test('the catalogue holds every row', () => {
    expect(Object.keys(faultCatalogue).sort()).toEqual([...expected].sort());
  });

  test.each(expected)('%s has a law, or a place elsewhere', (row) => {
    const elsewhere = faultCatalogue[row]?.elsewhere;
    expect(covered.has(row), elsewhere ? `${row} is both covered and elsewhere` : `${row} has neither`).toBe(
      elsewhere === undefined,
    );
  });

  test('laws cite only rows that exist, and a section of the contract', () => {
    const row = '[PABFGHM]\\d+';
    const ofSessions = new RegExp(`^§[12](; ${row}(, ${row})*)?$`);
    const ofMemory = new RegExp(`^§[256], [a-z ]+(; ${row}(, ${row})*)?$`);
    for (const [id, { source }] of Object.entries({ ...sessionLaws, ...memoryLaws })) {
      expect(source, id).toMatch(id in sessionLaws ? ofSessions : ofMemory);
      expect(
        cited(source).filter((row) => !(row in faultCatalogue)),
        id,
      ).toEqual([]);
    }
  });
});
