import type { Checks, Laws } from './conformance.ts';
import { appendChecks } from './session-checks/append-checks.ts';
import { artifactChecks } from './session-checks/artifact-checks.ts';
import { compactionChecks } from './session-checks/compaction-checks.ts';
import { eventChecks } from './session-checks/event-checks.ts';
import { forkChecks } from './session-checks/fork-checks.ts';
import { hookChecks } from './session-checks/hook-checks.ts';
import { idChecks } from './session-checks/id-checks.ts';
import { leaseChecks } from './session-checks/lease-checks.ts';
import { lifeChecks } from './session-checks/life-checks.ts';
import { liveChecks } from './session-checks/live-checks.ts';
import { raceChecks } from './session-checks/race-checks.ts';
import { readChecks } from './session-checks/read-checks.ts';
import { requestTextChecks } from './session-checks/request-text-checks.ts';
import { rewindChecks } from './session-checks/rewind-checks.ts';
import { stateChecks } from './session-checks/state-checks.ts';
import { usageChecks } from './session-checks/usage-checks.ts';
import { bookkeepingLaws } from './session-laws/bookkeeping-laws.ts';
import { lifeLaws } from './session-laws/life-laws.ts';
import { liveLaws } from './session-laws/live-laws.ts';
import { logLaws } from './session-laws/log-laws.ts';
import { requestTextLaws } from './session-laws/request-text-laws.ts';
import { usageLaws } from './session-laws/usage-laws.ts';
import type { SessionSubject } from './session-subject.ts';

/**
 * What every session service must do, whichever store it stands on. Sources: § is a section of the contract, a letter
 * with a number a row of the fault catalogue in docs/reference/laws.md.
 */
export const sessionLaws: Laws = {
  ...logLaws,
  ...bookkeepingLaws,
  ...liveLaws,
  ...requestTextLaws,
  ...usageLaws,
  ...lifeLaws,
};

/** The proofs of the session laws. */
export const sessionChecks: Checks<SessionSubject> = {
  ...appendChecks,
  ...eventChecks,
  ...idChecks,
  ...compactionChecks,
  ...rewindChecks,
  ...stateChecks,
  ...artifactChecks,
  ...requestTextChecks,
  ...usageChecks,
  ...readChecks,
  ...liveChecks,
  ...lifeChecks,
  ...forkChecks,
  ...hookChecks,
  ...leaseChecks,
  ...raceChecks,
};
