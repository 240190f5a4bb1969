import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { type ContextProperty, someCase } from './context-case.ts';
import { acceptedByProviders } from './properties/accepted-by-providers.ts';
import { assemblyIsPure } from './properties/assembly-is-pure.ts';
import { contentsAreExpected } from './properties/contents-are-expected.ts';
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
}

const properties: readonly ContextProperty[] = [
  acceptedByProviders,
  placementsAreTrue,
  contentsAreExpected,
  nothingLeaks,
  orderIsSeq,
  assemblyIsPure,
  prefixIsStable,
  viewFollowsLog,
  liveWindowSuffices,
];

/**
 * Puts each of so many random logs through all properties. Rejects with the shortest log that lacks one of them. Signals
 * are heard between two properties.
 */
export async function fuzzContext({ count, seed, path }: ContextFuzzRun): Promise<void> {
  const property = fc.asyncProperty(someCase, async (one) => {
    for (const check of properties) {
      await check(one);
      await setImmediate();
    }
  });
  await fc.assert(property, { numRuns: count, seed, ...(path === undefined ? {} : { path }) });
}
