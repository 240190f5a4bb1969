import ts from 'typescript';
import { checkNodes, eachNode, isProduction, isTest, type Rule, type SourceTree, violation } from './source-tree.ts';

/** The most lines of a file and of a function, and what 90 of 100 should stay below. */
export const budgets = {
  file: { most: 400, aim: 300 },
  /** The root's table of contents: one public name a line, and nothing else. */
  root: { most: 600 },
  function: { most: 60, aim: 40 },
} as const;

function linesOfFile(source: ts.SourceFile): number {
  return source.text.replace(/\n$/, '').split('\n').length;
}

function linesOfFunction(node: ts.Node, source: ts.SourceFile): number {
  const line = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  return line(node.getEnd()) - line(node.getStart(source)) + 1;
}

function isFunction(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

/** The 90th percentile of file and function lengths of the library's own code. */
export function ninetiethPercentiles(tree: SourceTree): { file: number; function: number } {
  const files: number[] = [];
  const functions: number[] = [];
  for (const [path, source] of tree) {
    if (!isProduction(path)) continue;
    files.push(linesOfFile(source));
    eachNode(source, (node) => {
      if (isFunction(node)) functions.push(linesOfFunction(node, source));
    });
  }
  return { file: percentile(files), function: percentile(functions) };
}

function percentile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 0;
}

const lines = (count: number, line: string) => `${line}\n`.repeat(count);

/** Rules about length. */
export const sizeRules: readonly Rule[] = [
  {
    id: 'file-size',
    sentence: `A file has at most ${budgets.file.most} lines, the list of public names ${budgets.root.most}.`,
    check: (tree) =>
      [...tree].flatMap(([path, source]) => {
        const count = linesOfFile(source);
        const { most } = path === 'src/index.ts' ? budgets.root : budgets.file;
        return count > most ? [violation(source, 0, `has ${count} lines`)] : [];
      }),
    bad: {
      long: { 'src/events/a.ts': lines(budgets.file.most + 1, '//') },
      test: { 'test/a.test.ts': lines(budgets.file.most + 1, '//') },
      'other index': { 'src/events/index.ts': lines(budgets.file.most + 1, '//') },
      root: { 'src/index.ts': lines(budgets.root.most + 1, '//') },
    },
    good: {
      full: { 'src/events/a.ts': lines(budgets.file.most, '//') },
      root: { 'src/index.ts': lines(budgets.root.most, '//') },
    },
  },
  {
    id: 'function-size',
    sentence: `A function has at most ${budgets.function.most} lines; a test's callbacks may be longer.`,
    check: (tree) =>
      checkNodes(
        tree,
        (path) => !isTest(path),
        (node, source) => {
          const count = isFunction(node) ? linesOfFunction(node, source) : 0;
          return count > budgets.function.most ? `is a function of ${count} lines` : undefined;
        },
      ),
    bad: {
      function: { 'src/events/a.ts': `export function a() {\n${lines(budgets.function.most - 1, '//')}}` },
      arrow: { 'scripts/a.ts': `const a = () => {\n${lines(budgets.function.most - 1, '//')}};` },
      method: { 'src/events/a.ts': `class A { a() {\n${lines(budgets.function.most - 1, '//')}} }` },
    },
    good: {
      full: { 'src/events/a.ts': `export function a() {\n${lines(budgets.function.most - 2, '//')}}` },
      'long class': { 'src/events/a.ts': `class A {\n${lines(99, '//')}}` },
    },
  },
];
