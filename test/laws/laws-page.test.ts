import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lawsPage } from './laws-page.ts';

test('docs/reference/laws.md lists the laws as they are; npx tsx scripts/write-laws.ts rewrites it', () => {
  const page = readFileSync(new URL('../../docs/reference/laws.md', import.meta.url), 'utf8');
  expect(page).toBe(lawsPage());
});
