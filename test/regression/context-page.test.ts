import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../docs/markdown.ts';
import {
  compactionPage,
  contextPage,
  expectTests,
  type FaultPage,
  faultsOf,
  tableUnder,
  testsOf,
  toldRows,
} from './fault-page.ts';

const pages: readonly FaultPage[] = [contextPage, compactionPage];
const idOf = ([row = '']: readonly string[]): string => row.split(' ')[0] ?? '';

describe.each(pages.map((page) => [page.path, page] as const))('%s, faults', (_, page) => {
  const faults = faultsOf(page);

  it('has every row once, in order', () => {
    expect(faults.map(idOf)).toEqual(page.rows);
  });

  it.each(faults)('%s: %s', (row = '', fault = '', by = '', cell = '') => {
    expect(fault).not.toBe('');
    expect(testsOf(cell).length === 0).toBe(page.notThere.includes(idOf([row])));
    expect(by.startsWith('not there yet')).toBe(testsOf(cell).length === 0);
    expectTests(cell);
  });
});

it('the pages name every test that bears the id of a row', () => {
  const rows = pages.flatMap(faultsOf);
  const named = new Set(rows.flatMap((row) => testsOf(row.at(-1)).map(({ name }) => `${idOf(row)} ${name}`)));
  const told = toldRows();
  expect(told.length).toBeGreaterThan(contextPage.rows.length);
  expect(told.filter((one) => !named.has(one))).toEqual([]);
});

describe('docs/explanation/compaction.md, bad input', () => {
  const inputs = tableUnder(compactionPage, 'What bad input comes to');

  it('is there', () => {
    expect(inputs.length).toBeGreaterThan(8);
  });

  it.each(inputs)('%s: %s', (input = '', what = '', cell = '') => {
    expect([input, what]).not.toContain('');
    expect(testsOf(cell).length).toBeGreaterThan(0);
    expectTests(cell);
  });
});

describe('docs/explanation/context.md, stages', () => {
  it('are the files of the folder, in the order in which assemble() has them', () => {
    const files = tableUnder(contextPage, 'From events to contents').map(([, , file = '']) => file.replaceAll('`', ''));
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
