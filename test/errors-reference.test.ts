import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable } from '../src/errors/index.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
const source = readFileSync(join(root, 'src/errors/error-table.ts'), 'utf8');
const codes = Object.keys(errorTable) as ErrorCode[];

/** The text under each heading of the page. */
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section): [string, string] => {
      const end = section.indexOf('\n');
      return [section.slice(0, end).trim(), section.slice(end)];
    }),
);

/** Detail names as the interface declares them, since types are gone at run time: `a, b?`. */
const declared = new Map(
  [...source.replace(/\/\*\*.*?\*\//gs, '').matchAll(/^ {2}([A-Z_]+): \{([^}]+)\};$/gm)].map(
    ([, code = '', fields = '']): [string, string[]] => [
      code,
      fields.split(';').flatMap((field) => field.trim().match(/^\w+\??(?=:)/)?.[0] ?? []),
    ],
  ),
);

describe('docs/reference/errors.md', () => {
  it('has a section for every code of the table, in its order, and no other', () => {
    expect([...sections.keys()]).toEqual(codes);
    expect([...declared.keys()]).toEqual(codes);
  });

  it.each(codes)('says of %s what the table says', (code) => {
    const section = sections.get(code) ?? '';
    const { status, retryable } = errorTable[code];
    const [, facts = ''] = section.match(/^(HTTP [\s\S]*?)\n\n/m) ?? [];
    expect(facts).toMatch(new RegExp(`^HTTP ${status}\\. ${retryable ? 'Retryable' : 'Not retryable'}\\. Details: `));
    const names = [...facts.matchAll(/`(\w+)`( \(optional\))?/g)].map(
      ([, name, optional]) => `${name}${optional ? '?' : ''}`,
    );
    expect(names).toEqual(declared.get(code));
  });

  it.each(codes)('says of %s what it means and what to do', (code) => {
    const section = sections.get(code) ?? '';
    const [, meaning, remedy] = section.trim().split(/\n\n/);
    expect(meaning?.length).toBeGreaterThan(20);
    expect(remedy).toMatch(/^\*\*What to do:\*\* \S[\s\S]{10,}\.$/);
  });
});
