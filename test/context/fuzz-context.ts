import fc from 'fast-check';
import { type ContextProperty, someCase } from './context-case.ts';
import { acceptedByProviders } from './properties/accepted-by-providers.ts';
import { assemblyIsPure } from './properties/assembly-is-pure.ts';
import { liveWindowSuffices } from './properties/live-window-suffices.ts';
import { nothingLeaks } from './properties/nothing-leaks.ts';
import { orderIsSeq } from './properties/order-is-seq.ts';
import { placementsAreTrue } from './properties/placements-are-true.ts';
import { prefixIsStable } from './properties/prefix-is-stable.ts';
import { viewFollowsLog } from './properties/view-follows-log.ts';

/** How many logs are tried, from which seed. */
export interface ContextFuzzRun {
  readonly count: number;
  readonly seed: number;
  /** Replays one shrunk failure, as printed. */
  readonly path?: string;
  /** Also those properties that take longest, and that have tests of their own over other logs. */
  readonly isThorough: boolean;
}

const properties: readonly ContextProperty[] = [
  acceptedByProviders,
  placementsAreTrue,
  nothingLeaks,
  orderIsSeq,
  assemblyIsPure,
  prefixIsStable,
];
const slowProperties: readonly ContextProperty[] = [viewFollowsLog, liveWindowSuffices];

/** Puts each of so many random logs through all properties. Rejects with the shortest log that lacks one of them. */
export async function fuzzContext({ count, seed, path, isThorough }: ContextFuzzRun): Promise<void> {
  const checks = isThorough ? [...properties, ...slowProperties] : properties;
  const property = fc.asyncProperty(someCase, async (one) => {
    for (const check of checks) await check(one);
  });
  await fc.assert(property, { numRuns: count, seed, ...(path === undefined ? {} : { path }) });
}
