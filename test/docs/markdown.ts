import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The project's root folder. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** A page of documentation. */
export interface Page {
  /** Relative to the project's root. */
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Fence {
  readonly page: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** Every page that readers are shown. */
export function readPages(): Page[] {
  const below = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' });
  const paths = [
    ...readdirSync(projectRoot).filter((name) => name.endsWith('.md')),
    ...below.filter((name) => name.endsWith('.md')).map((name) => posix.join('docs', name.replaceAll('\\', '/'))),
  ];
  return paths.sort().map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') }));
}

/** The fenced blocks of a page, in order. */
export function fencesOf(page: Page): Fence[] {
  const pattern = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm;
  return [...page.text.matchAll(pattern)].map((match) => ({
    page: page.path,
    line: page.text.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    code: match[2] ?? '',
  }));
}

/** The rows of a page's tables, cells trimmed, without headings and rules. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n');
  return lines
    .filter(
      (line, index) =>
        line.startsWith('|') && !/^\|[-:| ]+\|$/.test(line) && !/^\|[-:| ]+\|$/.test(lines[index + 1] ?? ''),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
