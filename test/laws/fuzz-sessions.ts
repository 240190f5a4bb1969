import fc from 'fast-check';
import { compareSessions, type SessionSubject } from '../../src/testing/index.ts';
import { sessionOperations } from './session-operations.ts';

/** How many lists of calls are tried, from which seed; without one, a fresh one that a failure prints. */
export interface FuzzRun {
  readonly count: number;
  readonly seed?: number;
  /** Replays one shrunk failure, as printed. */
  readonly path?: string;
}

let apps = 0;

/** Compares two subjects call by call, the right one through both its handles. Throws with the shortest list of calls that tells them apart. */
export async function fuzzSessions(
  subjects: { readonly left: SessionSubject; readonly right: SessionSubject },
  run: FuzzRun,
): Promise<void> {
  const { left, right } = subjects;
  const property = fc.asyncProperty(sessionOperations, async (operations) => {
    right.clock.advance(left.clock.now() - right.clock.now());
    await compareSessions(
      {
        left: [left.first],
        right: [right.first, right.second],
        clocks: [left.clock, right.clock],
        appName: `fuzz-${++apps}`,
      },
      operations,
    );
  });
  const { count: numRuns, seed, path } = run;
  await fc.assert(property, {
    numRuns,
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path }),
  });
}
