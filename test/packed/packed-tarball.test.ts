import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importsOf, parseTree } from '../architecture/source-tree.ts';
import { fencesOf, readPages } from '../docs/markdown.ts';
import { type InstalledPackage, installPackage, projectRoot, readManifest } from './installed-package.ts';

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
});
afterAll(() => installed?.remove());

/** Everything that a module of the package loads before its first line runs: files of the package, and other modules. */
function staticGraph(entry: string): { files: Set<string>; others: Set<string> } {
  const graph = { files: new Set<string>(), others: new Set<string>() };
  const visit = (file: string): void => {
    if (graph.files.has(file)) return;
    graph.files.add(file);
    const source = parseTree({ [file]: readFileSync(file, 'utf8') }).get(file);
    for (const one of source === undefined ? [] : importsOf(source)) {
      if (one.late) continue;
      if (one.specifier.startsWith('.')) visit(join(dirname(file), one.specifier));
      else graph.others.add(one.specifier);
    }
  };
  visit(join(installed.root, entry));
  return graph;
}

describe('the tarball', () => {
  it('holds the built package and its papers only', () => {
    const papers = ['LICENSE', 'README.md', 'README.zh-CN.md', 'package.json'];
    expect(installed.files).toEqual(expect.arrayContaining(papers));
    const others = installed.files.filter((path) => !papers.includes(path));
    expect(others.filter((path) => !/^dist\/[\w.-]+\.(js|d\.ts)$/.test(path))).toEqual([]);
  });

  it.each(Object.keys(readManifest().exports).filter((subpath) => !subpath.endsWith('.json')))(
    'serves %s',
    (subpath) => {
      const name = subpath.replace('.', 'palimpsest');
      const names: string[] = JSON.parse(
        installed.run(`console.log(JSON.stringify(Object.keys(await import('${name}')).sort()))`),
      );
      const pinned = readFileSync(join(projectRoot, 'test/public-surface.txt'), 'utf8').split(/^## /m);
      const section =
        pinned
          .find((part) => part.startsWith(`${subpath}\n`))
          ?.split('\n')
          .slice(1) ?? [];
      expect(names).toEqual(section.filter((line) => line !== '' && !line.startsWith('type ')).sort());
    },
  );
});

describe("import 'palimpsest'", () => {
  it('reaches no package and no backend', () => {
    const { files, others } = staticGraph('dist/index.js');
    expect([...others].filter((specifier) => !isBuiltin(specifier))).toEqual([]);
    expect([...others]).not.toContain('node:sqlite');
    const text = [...files].map((file) => readFileSync(file, 'utf8')).join('\n');
    expect(text).toContain('openPalimpsest');
    expect(text).not.toContain('CREATE TABLE');
  });

  it('shares its code with the backend instead of carrying it twice', () => {
    const declaring = installed.files.filter(
      (path) =>
        path.endsWith('.js') &&
        readFileSync(join(installed.root, path), 'utf8').includes('Symbol.for("palimpsest.error")'),
    );
    expect(declaring).toHaveLength(1);
  });

  it('is typed for a strict application', () => {
    const subpaths = ['palimpsest', 'palimpsest/sqlite', 'palimpsest/testing'];
    const lines = subpaths.map((name, index) => `import * as m${index} from '${name}';`);
    const code = "const p = await m0.openPalimpsest({ appName: 'a' });\nconst name: string = p.appName;";
    writeFileSync(join(installed.folder, 'main.mts'), `${lines.join('\n')}\n${code}\nexport { m1, m2, name };\n`);
    const flags = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--lib',
      'es2023,esnext.disposable',
    ];
    const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules/@types')];
    const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
    const result = spawnSync(process.execPath, [tsc, ...flags, ...types, 'main.mts'], {
      cwd: installed.folder,
      encoding: 'utf8',
    });
    expect(result.stdout).toBe('');
    expect(result.status).toBe(0);
  });
});

describe('the installed library', () => {
  it('keeps a log and memories in a file', () => {
    const source = `
      import { openPalimpsest } from 'palimpsest';
      const first = await openPalimpsest({ file: 'smoke.db', appName: 'smoke' });
      const session = await first.user('u1').session('s1');
      await session.append([{ author: 'user', content: '以后请用摄氏度' }]);
      await first.user('u1').remember('Prefers Celsius');
      await first.settled();
      await first.close();
      const again = await openPalimpsest({ file: 'smoke.db', appName: 'smoke' });
      const { items } = await (await again.user('u1').session('s1')).read();
      const { memories } = await again.user('u1').recall('Celsius');
      await again.close();
      console.log(JSON.stringify([items.length, memories.length > 0]));`;
    expect(installed.run(source).trim()).toBe('[1,true]');
  });
});

describe('the installed command', () => {
  const command = (...args: string[]) =>
    spawnSync(join(installed.folder, 'node_modules/.bin/palimpsest'), args, {
      cwd: installed.folder,
      encoding: 'utf8',
    });

  it('is executable and knows its version', () => {
    expect(readFileSync(join(installed.root, 'dist/cli.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(command('--version')).toMatchObject({ status: 0, stdout: `${readManifest().version}\n` });
  });

  it('explains itself, and refuses what it does not know', () => {
    expect(command('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage:') });
    expect(command('no-such-command').status).not.toBe(0);
  });

  it('needs nothing that the package does not declare', () => {
    const { others } = staticGraph('dist/cli.js');
    const missing = [...others].filter(
      (name) =>
        !isBuiltin(name) &&
        !existsSync(
          join(
            installed.folder,
            'node_modules',
            name
              .split('/')
              .slice(0, name.startsWith('@') ? 2 : 1)
              .join('/'),
          ),
        ),
    );
    expect(missing).toEqual([]);
  });
});

describe('the documentation', () => {
  const fences = readPages().flatMap(fencesOf);
  const of = (page: string, language: string) => fences.filter((one) => one.page === page && one.language === language);

  it('has commands that work, in their order', () => {
    const folder = mkdtempSync(join(installed.folder, 'commands-'));
    const path = `${join(installed.folder, 'node_modules/.bin')}:${process.env.PATH}`;
    const script = of('docs/how-to/command-line.md', 'sh')
      .map(({ code }) => code)
      .join('\n');
    expect(script).toContain('palimpsest import');
    const result = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: path },
    });
    expect(result, result.stderr).toMatchObject({ status: 0 });
  });

  it.each(['README.md', 'docs/tutorial/first-steps.md'])('has modules that run and print what %s says', (page) => {
    const folder = mkdtempSync(join(installed.folder, 'modules-'));
    const target = ts.ScriptTarget.ES2022;
    for (const { code } of of(page, 'ts')) {
      const file = join(folder, 'main.mjs');
      const options = { compilerOptions: { target, module: ts.ModuleKind.ESNext } };
      writeFileSync(file, ts.transpileModule(code, options).outputText);
      const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
      expect(stderr.replace(/.*(ExperimentalWarning|node --trace-warnings).*\n/g, '')).toBe('');
      expect(status).toBe(0);
      for (const [, printed = ''] of code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm))
        expect(stdout).toContain(printed);
    }
  });
});
