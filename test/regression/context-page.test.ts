import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, readPages, tableRows } from '../docs/markdown.ts';

const page = readPages().find(({ path }) => path === 'docs/explanation/context.md')?.text ?? '';
const sectionOf = (heading: string) => page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
const faults = tableRows(sectionOf('Which faults cannot happen'));

const numbered = (letter: string, last: number, missing: readonly number[] = []) =>
  Array.from({ length: last }, (_, index) => index + 1).flatMap((n) => (missing.includes(n) ? [] : `${letter}${n}`));

const rows = [
  ...numbered('C', 19, [4, 5, 8]),
  ...numbered('F', 13),
  ...['J4', 'J6', 'J7', 'J8', 'J9', 'J10'],
  ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((letter) => `2.6${letter}`),
  ...numbered('JS', 13),
];

/** The rows that nothing here can have yet, and why. */
const notThere = ['F4', 'F12', 'F13', 'J10'];

const testsOf = (cell = '') =>
  cell === '—'
    ? []
    : cell.split('<br>').map((one) => {
        const [, path = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(one) ?? [];
        return { path, name };
      });

/** Names of the tests in a file, as far as they stand there as they are. */
function namesIn(path: string): readonly string[] {
  const source = readFileSync(join(projectRoot, path), 'utf8');
  return [...source.matchAll(/\b(?:it|test)\(\s*'([^']+)'/g)].map(([, name = '']) => name);
}

describe('docs/explanation/context.md, faults', () => {
  it('has every row once, in order', () => {
    expect(faults.map(([row = '']) => row.split(' ')[0])).toEqual(rows);
  });

  it.each(faults)('%s: %s', (row = '', fault = '', by = '', cell = '') => {
    expect(fault).not.toBe('');
    const tests = testsOf(cell);
    expect(tests.length === 0).toBe(notThere.includes(row.split(' ')[0] ?? ''));
    expect(by.startsWith('not there yet')).toBe(tests.length === 0);
    for (const { path, name } of tests) {
      expect(existsSync(join(projectRoot, path)), `${path} is there`).toBe(true);
      expect(namesIn(path)).toContain(name);
    }
  });

  it('names every test that bears the id of a row', () => {
    const named = new Set(
      faults.flatMap(([row = '', , , cell]) => testsOf(cell).map(({ name }) => `${row.split(' ')[0]} ${name}`)),
    );
    const files = readdirSync(import.meta.dirname).filter((file) => file.startsWith('adk-'));
    const tests = files.flatMap((file) => namesIn(`test/regression/${file}`));
    const told = tests.flatMap((name) => (name.split(':')[0] ?? '').split(', ').map((row) => `${row} ${name}`));
    expect(told.length).toBeGreaterThan(rows.length);
    expect(told.filter((one) => !named.has(one))).toEqual([]);
  });
});

describe('docs/explanation/context.md, stages', () => {
  it('are the files of the folder, in the order in which assemble() has them', () => {
    const files = tableRows(sectionOf('From events to contents')).map(([, , file = '']) => file.replaceAll('`', ''));
    expect(files).toHaveLength(10);
    const source = readFileSync(join(projectRoot, 'src/context/assembly/assemble.ts'), 'utf8');
    const course = source.slice(source.indexOf('export function assemble('));
    const places = files.map((file) => {
      const stage = file.replace('.ts', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      return course.indexOf(`${stage}(`);
    });
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });
});
