import { posix } from 'node:path';
import ts from 'typescript';
import {
  checkNodes,
  eachNode,
  importsOf,
  isProduction,
  type Rule,
  type SourceTree,
  type Violation,
  violation,
} from './source-tree.ts';

const everywhere = () => true;

function isAssertionTo(node: ts.Node, kind: ts.SyntaxKind): boolean {
  const inner = ts.isParenthesizedExpression(node) ? node.expression : node;
  return (ts.isAsExpression(inner) || ts.isTypeAssertionExpression(inner)) && inner.type.kind === kind;
}

function doubleAssertion(node: ts.Node): string | undefined {
  if (!(ts.isAsExpression(node) || ts.isTypeAssertionExpression(node))) return undefined;
  return isAssertionTo(node.expression, ts.SyntaxKind.UnknownKeyword)
    ? 'asserts as unknown as another type'
    : undefined;
}

function usesConsole(node: ts.Node): string | undefined {
  const used =
    ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'console';
  return used ? 'writes to the console' : undefined;
}

function plainError(node: ts.Node): string | undefined {
  if (!(ts.isNewExpression(node) || ts.isCallExpression(node)) || !ts.isIdentifier(node.expression)) return undefined;
  const name = node.expression.text;
  return /^(|Type|Range|Syntax|Reference|Aggregate)Error$/.test(name) ? `makes a plain ${name}` : undefined;
}

function emptyCatch(node: ts.Node): string | undefined {
  if (ts.isCatchClause(node)) return node.block.statements.length === 0 ? 'has an empty catch' : undefined;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  if (node.expression.name.text !== 'catch') return undefined;
  const [handler] = node.arguments;
  const empty =
    handler !== undefined &&
    (ts.isArrowFunction(handler) || ts.isFunctionExpression(handler)) &&
    ts.isBlock(handler.body) &&
    handler.body.statements.length === 0;
  return empty ? 'swallows a rejection' : undefined;
}

/** Comments of a file, each once. */
function commentsOf(source: ts.SourceFile): readonly ts.CommentRange[] {
  const found = new Map<number, ts.CommentRange>();
  const text = source.text;
  const collect = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    const leading = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(text, node.getEnd()) ?? [];
    for (const range of [...leading, ...trailing]) found.set(range.pos, range);
    for (const child of node.getChildren(source)) collect(child);
  };
  collect(source);
  return [...found.values()];
}

function whySuppressionIsRefused(comment: string): string | undefined {
  if (/@ts-(ignore|nocheck)\b/.test(comment)) return 'switches the type checker off';
  const expected = /@ts-expect-error\b(.*)/.exec(comment);
  if (expected !== null && (expected[1] ?? '').trim().length < 8) return 'expects a type error without saying why';
  const ignored = /biome-ignore(?:-\w+)?\b[^:]*(:?)(.*)/.exec(comment);
  if (ignored !== null && (ignored[2] ?? '').replace('*/', '').trim().length < 8)
    return 'ignores the linter without saying why';
  return /eslint-disable/.test(comment) ? 'speaks to a linter that is not used' : undefined;
}

function suppressions(tree: SourceTree): Violation[] {
  return [...tree.values()].flatMap((source) =>
    commentsOf(source).flatMap((range) => {
      const why = whySuppressionIsRefused(source.text.slice(range.pos, range.end));
      return why === undefined ? [] : [violation(source, range.pos, why)];
    }),
  );
}

function fileNames(tree: SourceTree): Violation[] {
  return [...tree].flatMap(([path, source]) => {
    const name = posix.basename(path).replace(/(\.[a-z0-9]+)+$/, '');
    const folders = posix.dirname(path).split('/');
    const vague = [...folders, name].find((part) => /^(utils?|helpers?|common|misc|types)$/.test(part));
    if (vague !== undefined) return [violation(source, 0, `is called ${vague}, which says nothing`)];
    return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? [] : [violation(source, 0, 'is not named in kebab-case')];
  });
}

function isExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword) ?? false)
  );
}

/** A doc comment that says something: one sentence at least, before any tag. */
function isDocumented(node: ts.Node): boolean {
  return ts
    .getJSDocCommentsAndTags(node)
    .some((doc) => ts.isJSDoc(doc) && (ts.getTextOfJSDocComment(doc.comment) ?? '').trim().length > 8);
}

/** The name that a statement exports, for the report and to tell overloads apart. */
function nameOf(statement: ts.Statement): string {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((one) => one.name.getText()).join(', ');
  return ts.isDeclarationStatement(statement) ? (statement.name?.getText() ?? 'default') : 'a value';
}

function undocumented(tree: SourceTree): Violation[] {
  return [...tree].flatMap(([path, source]) => {
    if (!isProduction(path) || posix.basename(path) === 'index.ts') return [];
    const seen = new Set<string>();
    return source.statements.flatMap((statement) => {
      if (!isExported(statement)) return [];
      const name = nameOf(statement);
      const overload = seen.has(name);
      seen.add(name);
      return overload || isDocumented(statement)
        ? []
        : [violation(source, statement, `exports ${name} without a doc comment`)];
    });
  });
}

function isStar(statement: ts.Statement): boolean {
  return (
    ts.isExportDeclaration(statement) &&
    (statement.exportClause === undefined || ts.isNamespaceExport(statement.exportClause))
  );
}

function indexFiles(tree: SourceTree): Violation[] {
  return [...tree].flatMap(([path, source]) => {
    if (!isProduction(path)) return [];
    const isIndex = posix.basename(path) === 'index.ts';
    return source.statements.flatMap((statement) => {
      if (isStar(statement)) return [violation(source, statement, 'exports * instead of names')];
      const isExport = ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined;
      return isIndex && !isExport ? [violation(source, statement, 'has more in it than exports from other files')] : [];
    });
  });
}

function defaultExports(tree: SourceTree): Violation[] {
  const found: Violation[] = [];
  for (const [path, source] of tree) {
    if (!isProduction(path)) continue;
    eachNode(source, (node) => {
      const byKeyword =
        ts.isExportAssignment(node) || (node.kind === ts.SyntaxKind.DefaultKeyword && isExported(node.parent));
      if (byKeyword) found.push(violation(source, node, 'has a default export'));
    });
  }
  return found;
}

const abbreviations = new Set([
  'msg',
  'opts',
  'ctx',
  'idx',
  'cfg',
  'cb',
  'fn',
  'evt',
  'tmp',
  'req',
  'res',
  'impl',
  'mgr',
  'prev',
  'curr',
]);

/** A name that the code gives, not one that it uses. */
function abbreviated(node: ts.Node): string | undefined {
  if (!ts.isIdentifier(node) || !('name' in node.parent) || node.parent.name !== node) return undefined;
  if (ts.isPropertyAccessExpression(node.parent) || ts.isMetaProperty(node.parent)) return undefined;
  const words = node.text.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
  const short = words.find((word) => abbreviations.has(word));
  return short === undefined ? undefined : `${node.text} is not spelt out`;
}

function slowTests(tree: SourceTree): Violation[] {
  return [...tree].flatMap(([path, source]) => {
    if (!/^src\/.*(?<!\.int)\.test\.ts$/.test(path)) return [];
    return importsOf(source).flatMap((one) => {
      const io = /^node:(?!assert|util|crypto)/.test(one.specifier) || one.specifier.includes('/backends/');
      return io && !one.typeOnly
        ? [violation(source, one.node, `imports ${one.specifier}: name the file .int.test.ts`)]
        : [];
    });
  });
}

/** Rules about single lines and names. */
export const styleRules: readonly Rule[] = [
  {
    id: 'no-any',
    sentence: 'Nothing is typed any.',
    check: (tree) =>
      checkNodes(tree, everywhere, (node) => (node.kind === ts.SyntaxKind.AnyKeyword ? 'is typed any' : undefined)),
    bad: {
      parameter: { 'src/events/a.ts': 'export const a = (b: any) => b;' },
      assertion: { 'src/events/a.test.ts': 'const a = {} as any;' },
      argument: { 'scripts/a.ts': 'const a = new Map<string, any>();' },
    },
    good: { 'the word': { 'src/events/a.ts': "/** any */ export const any = 'any';" } },
  },
  {
    id: 'no-double-assertion',
    sentence: 'No value is asserted as unknown as something else.',
    check: (tree) => checkNodes(tree, everywhere, doubleAssertion),
    bad: {
      plain: { 'src/events/a.ts': 'export const a = 1 as unknown as string;' },
      parenthesised: { 'src/events/a.ts': 'export const a = (1 as unknown) as string;' },
      'old form': { 'src/events/a.ts': 'export const a = <string>(<unknown>1);' },
    },
    good: { single: { 'src/events/a.ts': 'export const a = JSON.parse("1") as unknown;' } },
  },
  {
    id: 'no-non-null',
    sentence: 'Nothing is declared present with an exclamation mark.',
    check: (tree) =>
      checkNodes(tree, everywhere, (node) =>
        ts.isNonNullExpression(node) ? 'asserts that a value is present' : undefined,
      ),
    bad: { element: { 'src/events/a.ts': 'export const a = [1][0]!;' }, call: { 'test/a.test.ts': 'f()!.x;' } },
    good: { negation: { 'src/events/a.ts': 'export const a = !(1 !== 2);' } },
  },
  {
    id: 'suppressions',
    sentence: 'The type checker is never switched off, and the linter only with a reason.',
    check: suppressions,
    bad: {
      ignore: { 'src/events/a.ts': '// @ts-ignore: broken\nexport const a = 1;' },
      nocheck: { 'src/events/a.ts': '// @ts-nocheck\nexport const a = 1;' },
      'expected, no reason': { 'src/events/a.ts': '// @ts-expect-error\nexport const a = 1;' },
      'biome, no reason': { 'src/events/a.ts': '// biome-ignore lint/style/x:\nexport const a = 1;' },
      'biome, no colon': { 'src/events/a.ts': '// biome-ignore lint/style/x\nexport const a = 1;' },
      'at the end of a line': { 'src/events/a.ts': 'export const a = f( // @ts-ignore\n 1);' },
    },
    good: {
      reasons: { 'src/events/a.ts': '// biome-ignore lint/style/x: the pattern needs it\nexport const a = 1;' },
      text: { 'src/events/a.ts': "export const a = '// @ts-ignore';" },
    },
  },
  {
    id: 'no-console',
    sentence: 'Only the command line, benchmarks, scripts and examples write to the console.',
    check: (tree) =>
      checkNodes(tree, (path) => /^(src|test)\//.test(path) && !path.startsWith('src/edges/cli/'), usesConsole),
    bad: { log: { 'src/engine/a.ts': "console.log('x');" }, passed: { 'src/engine/a.ts': 'f(console.warn);' } },
    good: { 'command line': { 'src/edges/cli/a.ts': "console.log('x');" } },
  },
  {
    id: 'typed-errors',
    sentence: 'The library fails with PalimpsestError, never with a plain Error.',
    check: (tree) => checkNodes(tree, isProduction, plainError),
    bad: {
      thrown: { 'src/engine/a.ts': "throw new Error('x');" },
      'of another kind': { 'src/engine/a.ts': "throw new TypeError('x');" },
      rejected: { 'src/engine/a.ts': "Promise.reject(Error('x'));" },
    },
    good: { typed: { 'src/engine/a.ts': "throw new PalimpsestError('CLOSED', { what: 'x' });" } },
  },
  {
    id: 'no-empty-catch',
    sentence: 'No failure is swallowed by an empty catch.',
    check: (tree) => checkNodes(tree, everywhere, emptyCatch),
    bad: {
      block: { 'src/engine/a.ts': 'try { f(); } catch {}' },
      'comment only': { 'src/engine/a.ts': 'try { f(); } catch { /* fine */ }' },
      promise: { 'src/engine/a.ts': 'f().catch(() => {});' },
    },
    good: { value: { 'src/engine/a.ts': 'function a() { try { return f(); } catch { return undefined; } }' } },
  },
  {
    id: 'file-names',
    sentence:
      'Files are named in kebab-case after what they hold; none is called utils, helpers, common, misc or types.',
    check: fileNames,
    bad: {
      utils: { 'src/events/utils.ts': '' },
      'helper test': { 'src/events/helpers.test.ts': '' },
      'vague folder': { 'src/events/common/a.ts': '' },
      camel: { 'src/events/readEvent.ts': '' },
    },
    good: { kebab: { 'src/events/read-event.int.test.ts': '' } },
  },
  {
    id: 'doc-comments',
    sentence: 'Every exported symbol has a doc comment.',
    check: undocumented,
    bad: {
      function: { 'src/events/a.ts': 'export function a() {}' },
      type: { 'src/events/a.ts': 'export type A = 1;' },
      'plain comment': { 'src/events/a.ts': '// about a value\nexport const a = 1;' },
      'only a tag': { 'src/events/a.ts': '/** @internal */\nexport const a = 1;' },
    },
    good: {
      documented: { 'src/events/a.ts': '/** The first letter. */\nexport const a = 1;\nconst b = 2;' },
      overloads: {
        'src/events/a.ts': '/** Reads one. */\nexport function a(): 1;\nexport function a(b?: 2): 1 { return 1; }',
      },
    },
  },
  {
    id: 'explicit-index',
    sentence: 'An index.ts is a table of contents: exports by name, and nothing else; no file exports *.',
    check: indexFiles,
    bad: {
      star: { 'src/events/index.ts': "export * from './event.ts';" },
      'star elsewhere': { 'src/events/a.ts': "export * from './event.ts';" },
      'star as': { 'src/events/index.ts': "export * as event from './event.ts';" },
      code: { 'src/events/index.ts': 'export const a = 1;' },
    },
    good: { names: { 'src/events/index.ts': "/** Words. */\nexport { a, type B } from './event.ts';" } },
  },
  {
    id: 'no-default-export',
    sentence: 'Everything is exported by name.',
    check: defaultExports,
    bad: {
      value: { 'src/events/a.ts': 'export default 1;' },
      function: { 'src/events/a.ts': 'export default function a() {}' },
    },
    good: { case: { 'src/events/a.ts': 'export function a(b: 1) { switch (b) { default: return 1; } }' } },
  },
  {
    id: 'spelt-out',
    sentence: 'Names are spelt out.',
    check: (tree) => checkNodes(tree, everywhere, abbreviated),
    bad: {
      parameter: { 'src/events/a.ts': 'function a(opts: string) {}' },
      'part of a name': { 'src/events/a.ts': 'const lastMsg = 1;' },
      property: { 'src/events/a.ts': 'interface A { readonly ctx: string }' },
      constant: { 'src/events/a.ts': 'const MAX_IDX = 1;' },
    },
    good: {
      'names of others': { 'src/events/a.ts': 'const a = server.req.tmp; const parameters = f({ index: 1 });' },
      'part of a word': { 'src/events/a.ts': 'const resolved = 1; const request = 2; const previous = 3;' },
    },
  },
  {
    id: 'fast-tests',
    sentence: 'A test that touches files, processes or a backend is named x.int.test.ts.',
    check: slowTests,
    bad: {
      files: { 'src/events/a.test.ts': "import { readFileSync } from 'node:fs';" },
      backend: { 'src/engine/a.test.ts': "import { x } from '../backends/sqlite/index.ts';" },
    },
    good: {
      'integration test': { 'src/events/a.int.test.ts': "import { readFileSync } from 'node:fs';" },
      assertions: { 'src/events/a.test.ts': "import assert from 'node:assert/strict';" },
    },
  },
];
