import { expect, test } from 'vitest';
import { appendMutations } from '../../scripts/law-mutations/append-mutations.ts';
import { eventMutations } from '../../scripts/law-mutations/event-mutations.ts';
import { stateMutations } from '../../scripts/law-mutations/state-mutations.ts';
import { storeMutations } from '../../scripts/law-mutations/store-mutations.ts';
import { sessionLaws } from '../../src/testing/index.ts';

const mutations = [...eventMutations, ...appendMutations, ...stateMutations, ...storeMutations];

// That they do turn red is proved by npx tsx scripts/mutate-laws.ts, which takes some minutes.
test('every law is turned red by a mutation, and every mutation names laws', () => {
  expect([...new Set(mutations.flatMap(({ red }) => red))].sort()).toEqual(Object.keys(sessionLaws).sort());
  expect(mutations.filter(({ red }) => red.length === 0)).toEqual([]);
});
