import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** Parsed files by path, with `/`, relative to the project's root. */
export type SourceTree = ReadonlyMap<string, ts.SourceFile>;

/** One break of a rule, ready to be printed. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** A rule, what it says, and samples that it must refuse: each maps paths to source text. */
export interface Rule {
  readonly id: string;
  readonly sentence: string;
  check(tree: SourceTree): readonly Violation[];
  readonly bad: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Samples that stand close to the bad ones and are right. */
  readonly good?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** How one file reaches a module. */
export interface Import {
  readonly specifier: string;
  readonly node: ts.Node;
  /** Gone after compilation. */
  readonly typeOnly: boolean;
  /** `import()`, or a `require` made with createRequire. */
  readonly late: boolean;
  /** Names taken from it; empty for a late or bare import. */
  readonly names: readonly string[];
}

const roots = ['src', 'test', 'scripts', 'bench', 'examples'];

/** Parses every TypeScript file of the project, fixtures and installed packages left out. */
export function readSourceTree(projectRoot: string): SourceTree {
  const files: Record<string, string> = {};
  for (const root of roots.filter((name) => existsSync(join(projectRoot, name)))) {
    for (const entry of readdirSync(join(projectRoot, root), { recursive: true, withFileTypes: true })) {
      const path = posix.join(entry.parentPath.slice(projectRoot.length + 1), entry.name);
      if (!entry.isFile() || !/\.[cm]?tsx?$/.test(entry.name) || /(^|\/)(node_modules|fixtures)\//.test(path)) continue;
      files[path] = readFileSync(join(projectRoot, path), 'utf8');
    }
  }
  return parseTree(files);
}

/** Parses source texts given by path. */
export function parseTree(files: Readonly<Record<string, string>>): SourceTree {
  const parsed = Object.entries(files).map(([path, text]): [string, ts.SourceFile] => [
    path,
    ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true),
  ]);
  return new Map(parsed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** True for the library's own code: below src/, and no test. */
export function isProduction(path: string): boolean {
  return path.startsWith('src/') && !isTest(path);
}

/** True for a test file. */
export function isTest(path: string): boolean {
  return path.startsWith('test/') || /\.(int\.)?test\.ts$/.test(path);
}

/** A violation at a node. */
export function violation(source: ts.SourceFile, at: ts.Node | number, what: string): Violation {
  const position = typeof at === 'number' ? at : at.getStart(source);
  return { file: source.fileName, line: source.getLineAndCharacterOfPosition(position).line + 1, what };
}

/** Calls back for every node of a file, parents first. */
export function eachNode(root: ts.Node, visit: (node: ts.Node) => void): void {
  visit(root);
  root.forEachChild((child) => eachNode(child, visit));
}

/** Runs a check of single nodes over the chosen files. */
export function checkNodes(
  tree: SourceTree,
  chosen: (path: string) => boolean,
  find: (node: ts.Node, source: ts.SourceFile) => string | undefined,
): Violation[] {
  const found: Violation[] = [];
  for (const [path, source] of tree) {
    if (!chosen(path)) continue;
    eachNode(source, (node) => {
      const what = find(node, source);
      if (what !== undefined) found.push(violation(source, node, what));
    });
  }
  return found;
}

/** Every way in which a file names another module. */
export function importsOf(source: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const loaders = requireNames(source);
  eachNode(source, (node) => {
    const one = staticImport(node) ?? lateImport(node, loaders);
    if (one !== undefined) found.push(one);
  });
  return found;
}

function staticImport(node: ts.Node): Import | undefined {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, node, typeOnly: true, late: false, names: [] };
  }
  if (!(ts.isImportDeclaration(node) || ts.isExportDeclaration(node))) return undefined;
  const specifier = node.moduleSpecifier;
  if (specifier === undefined || !ts.isStringLiteral(specifier)) return undefined;
  const { names, typeOnly } = ts.isImportDeclaration(node) ? importedNames(node) : reExportedNames(node);
  return { specifier: specifier.text, node, typeOnly, late: false, names };
}

function importedNames(node: ts.ImportDeclaration): { names: string[]; typeOnly: boolean } {
  const clause = node.importClause;
  if (clause === undefined) return { names: [], typeOnly: false };
  const names = clause.name === undefined ? [] : ['default'];
  const bindings = clause.namedBindings;
  if (bindings === undefined || ts.isNamespaceImport(bindings)) {
    return { names: bindings === undefined ? names : [...names, '*'], typeOnly: clause.isTypeOnly };
  }
  const values = bindings.elements.filter((element) => !element.isTypeOnly);
  const all = bindings.elements.map((element) => (element.propertyName ?? element.name).text);
  return {
    names: [...names, ...all],
    typeOnly: clause.isTypeOnly || (names.length === 0 && values.length === 0 && all.length > 0),
  };
}

function reExportedNames(node: ts.ExportDeclaration): { names: string[]; typeOnly: boolean } {
  const clause = node.exportClause;
  if (clause === undefined || !ts.isNamedExports(clause)) return { names: ['*'], typeOnly: node.isTypeOnly };
  const values = clause.elements.filter((element) => !element.isTypeOnly);
  const all = clause.elements.map((element) => (element.propertyName ?? element.name).text);
  return { names: all, typeOnly: node.isTypeOnly || (values.length === 0 && all.length > 0) };
}

function lateImport(node: ts.Node, loaders: ReadonlySet<string>): Import | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [argument] = node.arguments;
  if (argument === undefined) return undefined;
  const called = node.expression;
  const loads =
    called.kind === ts.SyntaxKind.ImportKeyword ||
    isCreateRequire(called) ||
    (ts.isIdentifier(called) && loaders.has(called.text));
  if (!loads) return undefined;
  const specifier = ts.isStringLiteralLike(argument) ? argument.text : '<computed>';
  return { specifier, node, typeOnly: false, late: true, names: [] };
}

function isCreateRequire(node: ts.Node): boolean {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'createRequire';
}

/** `require`, and the constants that hold what createRequire made. */
function requireNames(source: ts.SourceFile): ReadonlySet<string> {
  const names = new Set(['require']);
  eachNode(source, (node) => {
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined || !ts.isIdentifier(node.name)) return;
    if (isCreateRequire(node.initializer)) names.add(node.name.text);
  });
  return names;
}
