import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importsOf, parseTree } from '../architecture/source-tree.ts';
import { fencesOf, readPages } from '../docs/markdown.ts';
import { cannedReply, startWireServer, type WireServer } from '../wire-server/index.ts';
import {
  atProjectVersion,
  type InstalledPackage,
  installPackage,
  projectRoot,
  readManifest,
} from './installed-package.ts';
import { runModule } from './run-module.ts';

/** Nothing beside it, as in an application that uses the log and memory alone. */
let installed: InstalledPackage;
/** Beside the AI SDK and its providers. */
let besideAiSdk: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
  besideAiSdk = installPackage(
    atProjectVersion(
      'ai',
      '@ai-sdk/google',
      '@ai-sdk/anthropic',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/provider',
      'zod',
    ),
  );
});
afterAll(() => {
  installed?.remove();
  besideAiSdk?.remove();
});

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
      const application = subpath === './ai-sdk' ? besideAiSdk : installed;
      const names: string[] = JSON.parse(
        application.run(`console.log(JSON.stringify(Object.keys(await import('${name}')).sort()))`),
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

/** Compiles main.mts of an application, strictly. */
function compile(application: InstalledPackage, further: readonly string[]) {
  const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', ...further];
  const types = ['--types', 'node', '--typeRoots', join(projectRoot, 'node_modules/@types')];
  const tsc = join(projectRoot, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, ...flags, ...types, 'main.mts'], {
    cwd: application.folder,
    encoding: 'utf8',
  });
}

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
    const result = compile(installed, ['--lib', 'es2023,esnext.disposable']);
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

describe('palimpsest/ai-sdk', () => {
  it('is typed for a strict application that has the AI SDK', () => {
    const code = `
      import { wrapLanguageModel } from 'ai';
      import { createGoogleGenerativeAI } from '@ai-sdk/google';
      import { openPalimpsest, tool } from 'palimpsest';
      import { memoryTools, palimpsestMiddleware } from 'palimpsest/ai-sdk';
      import { z } from 'zod';
      const palimpsest = await openPalimpsest();
      const gemini = createGoogleGenerativeAI({ apiKey: 'k' })('gemini-2.5-flash');
      const place = { userId: 'u1', sessionId: 's1' };
      export const model = wrapLanguageModel({ model: gemini, middleware: palimpsestMiddleware(palimpsest, place) });
      export const tools = memoryTools(palimpsest, { userId: 'u1' });
      const add = tool({
        name: 'add',
        description: 'Adds.',
        parameters: z.object({ a: z.number(), b: z.number() }),
        run: ({ a, b }) => a + b,
      });
      export const agent = palimpsest.agent({ name: 'a', model: gemini, tools: [add] });`;
    writeFileSync(join(besideAiSdk.folder, 'main.mts'), code);
    // The AI SDK's own declarations need more libraries and packages than an application must have.
    const result = compile(besideAiSdk, ['--skipLibCheck', '--lib', 'es2023,esnext.disposable,dom']);
    expect(result.stdout).toBe('');
    expect(result.status).toBe(0);
  });

  it('tells what to install where the AI SDK is missing', () => {
    expect(() => installed.run("await import('palimpsest/ai-sdk')")).toThrow(/Cannot find package 'ai'/);
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
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
    server.answerBy(cannedReply);
  });
  afterAll(() => server.close());

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

  it.each(['README.md', 'docs/tutorial/first-steps.md'])(
    'has modules that run and print what %s says',
    async (page) => {
      const folder = mkdtempSync(join(besideAiSdk.folder, 'modules-'));
      const target = ts.ScriptTarget.ES2022;
      for (const { code } of of(page, 'ts')) {
        const file = join(folder, 'main.mjs');
        const options = { compilerOptions: { target, module: ts.ModuleKind.ESNext } };
        writeFileSync(file, ts.transpileModule(code, options).outputText);
        const { status, stdout, stderr } = await runModule(file, server);
        expect(stderr.replace(/.*(ExperimentalWarning|node --trace-warnings).*\n/g, '')).toBe('');
        expect(status).toBe(0);
        for (const [, printed = ''] of code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm))
          expect(stdout).toContain(printed);
      }
    },
  );
});
