import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type FolderRule, importTable } from './import-table.ts';
import {
  type Import,
  importsOf,
  isProduction,
  type Rule,
  type SourceTree,
  type Violation,
  violation,
} from './source-tree.ts';

const rows = new Map(importTable.map((row) => [row.folder, row]));

/** The row that a file of src/ belongs to: the deepest folder of the table that holds it. */
export function rowOf(path: string): FolderRule | undefined {
  const inside = path.replace(/^src\//, '');
  if (inside === 'index.ts') return rows.get('index.ts');
  for (let folder = posix.dirname(inside); folder !== '.'; folder = posix.dirname(folder)) {
    const row = rows.get(folder);
    if (row !== undefined) return row;
  }
  return undefined;
}

/** The file that a relative specifier names, else `undefined`. */
function target(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}

/** `a/b` of `a/b/c.js`, and the scope kept of a scoped name. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function indexOf(row: FolderRule): string {
  return row.folder === 'index.ts' ? 'src/index.ts' : `src/${row.folder}/index.ts`;
}

/** Runs a check over every import of the chosen files. */
function checkImports(
  tree: SourceTree,
  chosen: (path: string) => boolean,
  find: (path: string, one: Import) => string | undefined,
): Violation[] {
  const found: Violation[] = [];
  for (const [path, source] of tree) {
    if (!chosen(path)) continue;
    for (const one of importsOf(source)) {
      const what = find(path, one);
      if (what !== undefined) found.push(violation(source, one.node, what));
    }
  }
  return found;
}

function whyFolderIsRefused(path: string, one: Import): string | undefined {
  const from = rowOf(path);
  const to = target(path, one.specifier);
  if (from === undefined || to === undefined || !to.startsWith('src/')) return undefined;
  const other = rowOf(to);
  if (other === undefined || other === from || from.mayImport.includes('*') || from.mayImport.includes(other.folder)) {
    return undefined;
  }
  if (one.late && from.mayLoad?.includes(other.folder)) return undefined;
  if (one.typeOnly && from.mayNameTypesOf?.includes(other.folder)) return undefined;
  return `${from.folder} may not ${one.late ? 'load' : 'import'} ${other.folder}`;
}

function whyPackageIsRefused(path: string, one: Import): string | undefined {
  const row = rowOf(path);
  if (row === undefined || one.specifier.startsWith('.')) return undefined;
  if (one.specifier === '<computed>') return 'loads a module whose name is computed';
  if (isBuiltin(one.specifier)) {
    if (!one.specifier.startsWith('node:')) return `${one.specifier} is written without node:`;
    const allowed = row.builtins ?? [];
    return allowed.includes('*') || allowed.includes(one.specifier)
      ? undefined
      : `${row.folder} may not import ${one.specifier}`;
  }
  const name = packageOf(one.specifier);
  if (row.packages?.includes(name)) return undefined;
  if (row.latePackages?.includes(name)) {
    return one.late || one.typeOnly ? undefined : `${row.folder} may load ${name} only late, by import()`;
  }
  return `${row.folder} may not use the package ${name}`;
}

function deepImport(path: string, one: Import): string | undefined {
  const to = target(path, one.specifier);
  if (to === undefined || !to.startsWith('src/')) return undefined;
  if (!to.endsWith('.ts')) return `${one.specifier} lacks its .ts ending`;
  const from = path.startsWith('src/') ? rowOf(path) : undefined;
  const other = rowOf(to);
  if (other === undefined) return undefined;
  if (from === other) {
    return to === indexOf(other) && isProduction(path) ? "imports its own folder's index.ts" : undefined;
  }
  return to === indexOf(other) ? undefined : `reaches into ${other.folder}; import ${indexOf(other)}`;
}

/** Groups of two or more nodes that reach each other (Tarjan's algorithm), and nodes that reach themselves directly. */
function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): number => {
    const own = order.size;
    order.set(node, own);
    low.set(node, own);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      const reached = order.has(next) ? (stack.includes(next) ? order.get(next) : undefined) : visit(next);
      low.set(node, Math.min(low.get(node) ?? own, reached ?? own));
    }
    if (low.get(node) === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1 || edges.get(node)?.has(node)) groups.push(group.sort());
    }
    return low.get(node) ?? own;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups;
}

function cyclesBetween(
  tree: SourceTree,
  nodeOf: (path: string) => string | undefined,
  counts: (one: Import) => boolean,
): Violation[] {
  const edges = new Map<string, Set<string>>();
  for (const [path, source] of tree) {
    const from = isProduction(path) ? nodeOf(path) : undefined;
    if (from === undefined) continue;
    const reached = edges.get(from) ?? new Set();
    edges.set(from, reached);
    for (const one of importsOf(source)) {
      const to = counts(one) ? target(path, one.specifier) : undefined;
      const node = to === undefined ? undefined : nodeOf(to);
      if (node !== undefined && (node !== from || to === path)) reached.add(node);
    }
  }
  return cyclesOf(edges).map((group) => ({ file: group[0] ?? '', line: 1, what: `cycle: ${group.join(' → ')}` }));
}

/** Rules about who may reach whom. */
export const layeringRules: readonly Rule[] = [
  {
    id: 'known-folder',
    sentence: 'Every folder of src/ has a row in the import table, and no row that is marked "later" has files.',
    check: (tree) =>
      [...tree].flatMap(([path, source]) => {
        if (!path.startsWith('src/')) return [];
        const row = rowOf(path);
        if (row === undefined) return [violation(source, 0, 'stands in a folder without a row in the import table')];
        return row.later ? [violation(source, 0, `${row.folder} exists: take "later" off its row`)] : [];
      }),
    bad: { 'new folder': { 'src/extras/thing.ts': '' }, 'later row': { 'src/edges/mcp/index.ts': '' } },
    good: { 'subfolder of a known one': { 'src/memory/service/keyword/stem.ts': '' } },
  },
  {
    id: 'import-table',
    sentence: 'A folder imports only the folders of its row.',
    check: (tree) => checkImports(tree, isProduction, whyFolderIsRefused),
    bad: {
      'log to sessions': { 'src/events/a.ts': "import { x } from '../sessions/index.ts';" },
      'even types': { 'src/events/a.ts': "import type { X } from '../sessions/index.ts';" },
      'type import expression': { 'src/events/a.ts': "export type X = import('../sessions/index.ts').X;" },
      're-export': { 'src/events/a.ts': "export { x } from '../sessions/index.ts';" },
      'engine imports a backend early': { 'src/engine/a.ts': "import { x } from '../backends/sqlite/index.ts';" },
      'memory knows sessions': { 'src/memory/service/a.ts': "import type { X } from '../../sessions/index.ts';" },
      'root shows internals': { 'src/index.ts': "export { sha256 } from './internal/index.ts';" },
    },
    good: {
      'engine loads a backend late': {
        'src/engine/a.ts': "export const x = () => import('../backends/sqlite/index.ts');",
      },
      'engine imports sessions': { 'src/engine/a.ts': "import { x } from '../sessions/index.ts';" },
    },
  },
  {
    id: 'front-door',
    sentence: 'Another folder is reached through its index.ts, with the ending; a folder never imports its own.',
    check: (tree) => checkImports(tree, () => true, deepImport),
    bad: {
      deep: { 'src/engine/a.ts': "import { x } from '../sessions/session-store.ts';" },
      'deep from a test': { 'src/engine/a.test.ts': "import { x } from '../sessions/session-store.ts';" },
      'deep from test/': { 'test/a.test.ts': "import { x } from '../src/sessions/session-store.ts';" },
      'own index': { 'src/events/a.ts': "import { x } from './index.ts';" },
      'no ending': { 'src/events/a.ts': "import { x } from './b';" },
    },
    good: { neighbour: { 'src/events/a.ts': "import { x } from './b.ts';" } },
  },
  {
    id: 'packages',
    sentence: 'A folder uses only the packages and Node.js modules of its row; the core uses no package.',
    check: (tree) => checkImports(tree, isProduction, whyPackageIsRefused),
    bad: {
      'zod in the core': { 'src/sessions/a.ts': "import { z } from 'zod';" },
      'subpath of a package': { 'src/sessions/a.ts': "import { z } from 'zod/v4';" },
      'files in the core': { 'src/events/a.ts': "import { readFileSync } from 'node:fs';" },
      'driver loaded early': { 'src/backends/sqlite/a.ts': "import { DatabaseSync } from '@photostructure/sqlite';" },
      'unprefixed builtin': { 'src/edges/cli/a.ts': "import { readFileSync } from 'fs';" },
      'computed name': { 'src/engine/a.ts': 'export const load = (name: string) => import(name);' },
      'required package': {
        'src/engine/a.ts': "import { createRequire } from 'node:module'; createRequire(import.meta.url)('redis');",
      },
    },
    good: {
      'late driver': { 'src/backends/sqlite/a.ts': "export const x = () => import('@photostructure/sqlite');" },
      'late require': {
        'src/backends/sqlite/a.ts':
          "import { createRequire } from 'node:module'; const load = createRequire(import.meta.url); load('better-sqlite3');",
      },
    },
  },
  {
    id: 'no-file-cycle',
    sentence: 'No two files reach each other by value imports.',
    check: (tree) =>
      cyclesBetween(
        tree,
        (path) => path,
        (one) => !one.typeOnly && !one.late,
      ),
    bad: {
      two: { 'src/events/a.ts': "import { b } from './b.ts';", 'src/events/b.ts': "import { a } from './a.ts';" },
      'through a third': {
        'src/events/a.ts': "import { b } from './b.ts';",
        'src/events/b.ts': "export { c } from './c.ts';",
        'src/events/c.ts': "import './a.ts';",
      },
      itself: { 'src/events/a.ts': "import { b } from './a.ts';" },
    },
    good: {
      'types may': {
        'src/events/a.ts': "import { b } from './b.ts';",
        'src/events/b.ts': "import type { A } from './a.ts';",
      },
      diamond: {
        'src/events/a.ts': "import { b } from './b.ts'; import { c } from './c.ts';",
        'src/events/b.ts': "import { c } from './c.ts';",
        'src/events/c.ts': '',
      },
    },
  },
  {
    id: 'no-folder-cycle',
    sentence: 'No two folders reach each other, not even by types.',
    check: (tree) =>
      cyclesBetween(
        tree,
        (path) => rowOf(path)?.folder,
        (one) => !one.late,
      ),
    bad: {
      types: {
        'src/sessions/a.ts': "import type { X } from '../jobs/index.ts';",
        'src/jobs/index.ts': "export type { X } from './x.ts';",
        'src/jobs/x.ts': "import type { A } from '../sessions/index.ts';",
      },
    },
  },
];
