import ts from 'typescript';
import { rowOf } from './layering-rules.ts';
import {
  checkNodes,
  importsOf,
  isProduction,
  type Rule,
  type SourceTree,
  type Violation,
  violation,
} from './source-tree.ts';

const impureGlobals = new Set([
  'Promise',
  'process',
  'console',
  'fetch',
  'performance',
  'crypto',
  'globalThis',
  'require',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
]);

/** Leaves of internal/ that tell the time or roll dice. */
const impureLeaves = new Set(['systemClock', 'uuidV4', 'uuidV7']);

/** Methods whose result depends on the machine's language. */
const localeMethods = /^(localeCompare|toLocale\w*)$/;

function isPureFile(path: string): boolean {
  return isProduction(path) && rowOf(path)?.pure === true;
}

/** True where an identifier is read as a value: no type, no property's or declaration's own name. */
function isValueUse(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent) || ts.isExpressionWithTypeArguments(parent)) return false;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  const names = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return !names && !('propertyName' in parent && parent.propertyName === node);
}

function whyAsync(node: ts.Node): string | undefined {
  if (node.kind === ts.SyntaxKind.AsyncKeyword) return 'is async';
  if (ts.isAwaitExpression(node)) return 'awaits';
  return ts.isForOfStatement(node) && node.awaitModifier !== undefined ? 'awaits in a loop' : undefined;
}

function whyClock(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const text = node.getText(source);
    return text === 'Date.now' || text === 'Math.random' ? `reads ${text}` : undefined;
  }
  const isDate = (one: ts.Expression) => ts.isIdentifier(one) && one.text === 'Date';
  if (ts.isCallExpression(node) && isDate(node.expression)) return 'reads the clock by Date()';
  const bare = ts.isNewExpression(node) && isDate(node.expression) && (node.arguments?.length ?? 0) === 0;
  return bare ? 'reads the clock by new Date()' : undefined;
}

function whyState(node: ts.Node): string | undefined {
  if (!ts.isVariableStatement(node) || !ts.isSourceFile(node.parent)) return undefined;
  return node.declarationList.flags & ts.NodeFlags.Const ? undefined : 'keeps state between calls';
}

function whyImpure(node: ts.Node, source: ts.SourceFile): string | undefined {
  if (ts.isIdentifier(node) && impureGlobals.has(node.text) && isValueUse(node)) return `uses ${node.text}`;
  if (ts.isPropertyAccessExpression(node) && localeMethods.test(node.name.text)) return `uses ${node.name.text}`;
  return whyAsync(node) ?? whyClock(node, source) ?? whyState(node);
}

function impureImports(tree: SourceTree): Violation[] {
  return [...tree].flatMap(([path, source]) => {
    if (!isPureFile(path)) return [];
    return importsOf(source).flatMap((one) => {
      if (one.typeOnly) return [];
      if (one.late) return [violation(source, one.node, 'loads a module late')];
      if (one.specifier.startsWith('node:')) return [violation(source, one.node, `imports ${one.specifier}`)];
      return one.names
        .filter((name) => impureLeaves.has(name) || (name === '*' && one.specifier.includes('internal')))
        .map((name) => violation(source, one.node, `imports ${name}`));
    });
  });
}

/** The rule about folders whose functions depend on their arguments alone. */
export const purityRule: Rule = {
  id: 'pure',
  sentence: 'A pure folder has no promise, clock, randomness, I/O, locale or state of its own.',
  check: (tree) => [...checkNodes(tree, isPureFile, whyImpure), ...impureImports(tree)],
  bad: {
    'async function': { 'src/events/a.ts': 'export async function a() {}' },
    'async arrow': { 'src/context/assembly/a.ts': 'export const a = async () => 1;' },
    promise: { 'src/events/a.ts': 'export const a = Promise.resolve(1);' },
    clock: { 'src/events/a.ts': 'export const a = () => Date.now();' },
    'clock by name': { 'src/events/a.ts': 'export const a = { now: Date.now };' },
    'bare date': { 'src/events/a.ts': 'export const a = () => new Date().toISOString();' },
    'date call': { 'src/events/a.ts': 'export const a = () => Date();' },
    dice: { 'src/events/a.ts': 'export const a = () => Math.random();' },
    environment: { 'src/events/a.ts': 'export const a = process.env.HOME;' },
    'global under another name': { 'src/events/a.ts': 'const load = fetch; export const a = load;' },
    timer: { 'src/events/a.ts': 'export const a = () => setTimeout(() => 1, 2);' },
    state: { 'src/events/a.ts': 'let count = 0; export const a = () => ++count;' },
    locale: { 'src/events/a.ts': "export const a = 'x'.localeCompare('y');" },
    builtin: { 'src/events/a.ts': "import { readFileSync } from 'node:fs';" },
    'clock from internal': { 'src/events/a.ts': "import { systemClock as clock } from '../internal/index.ts';" },
    'late module': { 'src/events/a.ts': "export const a = () => import('./b.ts');" },
  },
  good: {
    'promise as a type': { 'src/events/a.ts': 'export interface Port { get(): Promise<number>; fetch: number }' },
    'date of a value': { 'src/events/a.ts': 'export const a = (millis: number) => new Date(millis).toISOString();' },
    'clock as a type': { 'src/events/a.ts': "export type { Clock } from '../internal/index.ts';" },
    elsewhere: { 'src/sessions/a.ts': 'export async function a() { return Date.now(); }' },
  },
};
