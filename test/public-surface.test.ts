import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const projectRoot = join(import.meta.dirname, '..');
const entries = {
  '.': 'src/index.ts',
  './ai-sdk': 'src/edges/integrations/ai-sdk/index.ts',
  './testing': 'src/testing/index.ts',
  './sqlite': 'src/backends/sqlite/index.ts',
};

/** Names that an entry exports, sorted, types marked. The architecture test sees to it that they are all written out. */
function exportsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(join(projectRoot, path), 'utf8'), ts.ScriptTarget.ESNext);
  const names = source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined) return [];
    if (!ts.isNamedExports(statement.exportClause)) return [];
    const allTypes = statement.isTypeOnly;
    return statement.exportClause.elements.map((one) => `${allTypes || one.isTypeOnly ? 'type ' : ''}${one.name.text}`);
  });
  return names.sort((a, b) => (a.replace('type ', '') < b.replace('type ', '') ? -1 : 1));
}

describe('the public surface', () => {
  it('exports what test/public-surface.txt says; a deliberate change is written by npm run public-surface', async () => {
    const sections = Object.entries(entries).map(([subpath, path]) => `## ${subpath}\n${exportsOf(path).join('\n')}\n`);
    await expect(sections.join('\n')).toMatchFileSnapshot('public-surface.txt');
  });

  it('has these entries in package.json and no others', () => {
    const manifest: { exports: object; bin: object } = JSON.parse(
      readFileSync(join(projectRoot, 'package.json'), 'utf8'),
    );
    const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
    expect(manifest.exports).toEqual({
      '.': entry('index'),
      './ai-sdk': entry('ai-sdk'),
      './testing': entry('testing'),
      './sqlite': entry('sqlite'),
      './package.json': './package.json',
    });
    expect(manifest.bin).toEqual({ palimpsest: './dist/cli.js' });
  });

  it('depends on exact versions only', () => {
    const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
      readFileSync(join(projectRoot, 'package.json'), 'utf8'),
    );
    const ranges = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
      Object.entries(manifest[kind] ?? {}),
    );
    expect(ranges.length).toBeGreaterThan(0);
    expect(ranges.filter(([, range]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });
});
