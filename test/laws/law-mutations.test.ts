import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allMutations } from '../../scripts/law-mutations/all-mutations.ts';
import { jobLaws, memoryLaws, sessionLaws } from '../../src/testing/index.ts';

const folder = join(import.meta.dirname, '../../src');

// That they do turn red is proved by npx tsx scripts/mutate-laws.ts, which takes some minutes.
test('every law is turned red by a mutation, and every mutation names laws', () => {
  const laws = Object.keys({ ...sessionLaws, ...memoryLaws, ...jobLaws });
  expect([...new Set(allMutations.flatMap(({ red }) => red))].sort()).toEqual(laws.sort());
  expect(allMutations.filter(({ red }) => red.length === 0)).toEqual([]);
});

test('what a mutation changes stands exactly once in its file', () => {
  const stale = allMutations.filter(
    ({ file, from }) => readFileSync(join(folder, file), 'utf8').split(from).length !== 2,
  );
  expect(stale.map(({ file, from }) => `${file}: ${from}`)).toEqual([]);
});
