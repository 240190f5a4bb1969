import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect } from 'vitest';
import { projectRoot, readPages, tableRows } from '../docs/markdown.ts';

/** A page with a table of faults, each with the tests that would fail. */
export interface FaultPage {
  readonly path: string;
  /** The ids of its faults, in order. */
  readonly rows: readonly string[];
  /** Those of them that nothing here can have yet. */
  readonly notThere: readonly string[];
}

const numbered = (letter: string, last: number, missing: readonly number[] = []) =>
  Array.from({ length: last }, (_, index) => index + 1).flatMap((n) => (missing.includes(n) ? [] : `${letter}${n}`));

/** Faults of how requests are made. */
export const contextPage: FaultPage = {
  path: 'docs/explanation/context.md',
  rows: [
    ...numbered('C', 19, [4, 5, 8]),
    ...numbered('F', 13),
    ...['J4', 'J6', 'J7', 'J8', 'J9', 'J10'],
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((letter) => `2.6${letter}`),
    ...numbered('JS', 13),
  ],
  notThere: ['F4', 'F12', 'F13'],
};

/** Faults of compaction and of prompt caches. */
export const compactionPage: FaultPage = {
  path: 'docs/explanation/compaction.md',
  rows: [...numbered('D', 30, [8, 27, 29]), ...numbered('E', 11, [7]), ...['2.1', '2.2', '2.3', '2.4', '2.5', '2.7']],
  notThere: [],
};

/** A test, by the file that it stands in. */
export interface NamedTest {
  readonly path: string;
  readonly name: string;
}

/** The rows of the tables under a heading of a page. */
export function tableUnder({ path }: FaultPage, heading: string): string[][] {
  const { text = '' } = readPages().find((page) => page.path === path) ?? {};
  return tableRows(text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '');
}

/** The rows of a page's table of faults. */
export function faultsOf(page: FaultPage): string[][] {
  return tableUnder(page, 'Which faults cannot happen');
}

/** The tests that a cell names. */
export function testsOf(cell = ''): readonly NamedTest[] {
  if (cell === '—') return [];
  return cell.split('<br>').map((one) => {
    const [, path = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(one) ?? [];
    return { path, name };
  });
}

/** Names of the tests in a file as they stand there, those of each() with their places for values. */
export function namesIn(path: string): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const [name] = ts.isCallExpression(node) && isTest(node.expression) ? node.arguments : [];
    if (name !== undefined && ts.isStringLiteralLike(name)) names.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(join(projectRoot, path), 'utf8'), ts.ScriptTarget.Latest));
  return names;
}

function isTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === 'it' || called.text === 'test';
  return (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called)) && isTest(called.expression);
}

/** Expects of the tests that a cell names that they are there. */
export function expectTests(cell: string): void {
  for (const { path, name } of testsOf(cell)) {
    expect(existsSync(join(projectRoot, path)), `${path} is there`).toBe(true);
    expect(namesIn(path)).toContain(name);
  }
}

/** Rows that tests bear the id of, each with the name of the test, whether or not a page names that. */
export function toldRows(): readonly string[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.startsWith('adk-'));
  return files
    .flatMap((file) => namesIn(`test/regression/${file}`))
    .flatMap((name) => {
      const ids = (name.split(': ')[0] ?? '').split(', ');
      return ids.every((id) => /^([A-Z]+\d+|\d\.\d[a-z]?)$/.test(id)) ? ids.map((id) => `${id} ${name}`) : [];
    });
}
