import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Fence, fencesOf, type Page, projectRoot, readPages, tableRows } from './markdown.ts';

const pages = readPages();

function pageOf(path: string): Page {
  const page = pages.find((one) => one.path === path);
  if (page === undefined) throw new Error(`${path} is missing`);
  return page;
}

/** What the type checker says of code blocks, each taken as a module of an application that uses the package. */
function typeErrors(fences: readonly Fence[]): string[] {
  const modules = new Map(fences.map((fence, index) => [join(projectRoot, `snippet-${index}.ts`), fence]));
  const { config } = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, projectRoot);
  options.paths = {
    palimpsest: [join(projectRoot, 'src/index.ts')],
    'palimpsest/ai-sdk': [join(projectRoot, 'src/edges/integrations/ai-sdk/index.ts')],
    'palimpsest/sqlite': [join(projectRoot, 'src/backends/sqlite/index.ts')],
    'palimpsest/testing': [join(projectRoot, 'src/testing/index.ts')],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.readFile = (path) => modules.get(path)?.code ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const fence = modules.get(path);
    const code = fence && `${fence.code}\nexport {};`;
    return code === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, code, target, true);
  };
  const program = ts.createProgram([...modules.keys()], options, host);
  return [...modules].flatMap(([path, fence]) => {
    const source = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map((one) => {
      const line = fence.line + 1 + (source?.getLineAndCharacterOfPosition(one.start ?? 0).line ?? 0);
      return `${fence.page}:${line} ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`;
    });
  });
}

/** A name in a heading, as GitHub makes an anchor of it. */
function anchorOf(heading: string): string {
  const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

function anchorsOf(page: Page): string[] {
  return [...page.text.matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ''));
}

function brokenLinks(page: Page): string[] {
  const prose = page.text.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? page.path : posix.join(posix.dirname(page.path), file);
    if (!existsSync(join(projectRoot, path))) return [`${page.path}: ${link} leads nowhere`];
    const target = path === page.path ? page : pages.find((one) => one.path === path);
    return anchor && target && !anchorsOf(target).includes(anchor) ? [`${page.path}: ${link} has no such heading`] : [];
  });
}

describe('TypeScript in the documentation', { timeout: 120_000 }, () => {
  const fences = pages.flatMap(fencesOf).filter(({ language }) => language === 'ts');

  it('is there, and compiles against the package', () => {
    expect(fences.length).toBeGreaterThan(0);
    expect(typeErrors(fences)).toEqual([]);
  });

  it('would not compile with a name that the package lacks', () => {
    const code = "import { openPalimpsest } from 'palimpsest';\nawait openPalimpsest({ appNam: 'a' });";
    expect(typeErrors([{ page: 'sample.md', line: 1, language: 'ts', code }])).toEqual([
      expect.stringContaining('sample.md:3'),
    ]);
  });
});

describe('the pages', () => {
  it.each(pages.map((page) => [page.path, page] as const))('%s links to what exists', (_path, page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('would be caught with a broken link', () => {
    const page = { path: 'README.md', text: '[a](docs/none.md) [b](ARCHITECTURE.md#none) [c](#here)\n# Here\n' };
    expect(brokenLinks(page)).toHaveLength(2);
  });
});

describe('the two READMEs', () => {
  const english = pageOf('README.md');
  const chinese = pageOf('README.zh-CN.md');
  const shapeOf = (page: Page) => ({
    headings: [...page.text.matchAll(/^#+ /gm)].map(String),
    fences: fencesOf(page).map(({ language }) => language),
    rows: tableRows(page.text).map((row) => row.length),
  });
  const withoutComments = (code: string) =>
    code
      .split('\n')
      .map((line) => line.replace(/\s*(\/\/|#) .*$/, ''))
      .filter((line) => line !== '')
      .join('\n');

  it('show code in the first screen and end soon', () => {
    for (const page of [english, chinese]) {
      expect(page.text.split('\n').length).toBeLessThanOrEqual(121);
      expect(fencesOf(page)[0]?.line).toBeLessThanOrEqual(12);
    }
  });

  it('are twins: same headings, tables and code; comments may be translated', () => {
    expect(shapeOf(chinese)).toEqual(shapeOf(english));
    expect(fencesOf(chinese).map(({ code }) => withoutComments(code))).toEqual(
      fencesOf(english).map(({ code }) => withoutComments(code)),
    );
  });
});
