import type { Checks, Laws } from './conformance.ts';
import { claimChecks } from './job-checks/claim-checks.ts';
import { failureChecks } from './job-checks/failure-checks.ts';
import { lineChecks } from './job-checks/line-checks.ts';
import { runnerChecks } from './job-checks/runner-checks.ts';
import type { JobSubject } from './job-subject.ts';

/** What every job runner must do, whichever store it stands on. Sources: § is a section of the contract. */
export const jobLaws: Laws = {
  'jobs.run-once': {
    says: 'A job that is enqueued runs once, with what it was given, and is gone then.',
    source: '§2, one job port',
  },
  'jobs.frozen': {
    says: 'Nobody can change a job through what he gave or got.',
    source: '§1, events are deep-frozen',
  },
  'jobs.bad-input': {
    says: 'Bad input is refused with the field that is wrong, and nothing of it is stored.',
    source: '§2, one job port',
  },
  'jobs.claimed-once': {
    says: 'Of claims at the same time, each free job goes to exactly one.',
    source: '§2, leases with fencing tokens',
  },
  'jobs.lease-expires': {
    says: 'A job whose runner died is free when its lease is over, not before, and the attempt counts.',
    source: '§2, leases with fencing tokens',
  },
  'jobs.fenced': {
    says: 'Tokens grow with every claim; who has lost a job can neither renew, complete nor fail it.',
    source: '§2, leases with fencing tokens',
  },
  'jobs.renewed': {
    says: 'A job is held as long as its handler works; a handler whose job was lost is told, and ends nothing.',
    source: '§2, leases with fencing tokens',
  },
  'jobs.clock-ahead': {
    says: 'When the clock jumps ahead, a runner goes on with what it runs: nothing begins twice, no attempt is counted.',
    source: '§2, leases with fencing tokens; principle 2',
  },
  'jobs.clock-back': {
    says: 'When the clock is set back, what waits for no pause and no lease runs at once all the same.',
    source: '§2, one job port; principle 2',
  },
  'jobs.fair': {
    says: 'A job whose pause or lease is over comes before new ones of other lines, and these in the order they came.',
    source: '§2, one job port',
  },
  'jobs.in-order': {
    says: 'Jobs of a line run one at a time in the order they were enqueued; no other line waits for them.',
    source: '§2, one job port',
  },
  'jobs.failed-blocks': {
    says: 'A failed job keeps its line waiting until its pause is over; a dead one does not.',
    source: '§2, one job port',
  },
  'jobs.deduplicated': {
    says: 'Enqueued again while an equal one waits, a job is there once; while that one runs, it is enqueued anew.',
    source: '§2, one job port',
  },
  'jobs.back-off': {
    says: 'Pauses double from the first to the longest, with full jitter; what a failure asks for is waited.',
    source: '§2, one job port',
  },
  'jobs.dead-letters': {
    says: 'After its last attempt a job is a dead letter with message, code, attempts and time of the cause.',
    source: '§2, one job port; principle 8',
  },
  'jobs.lost-to-the-last': {
    says: 'A job that ends every process that runs it is a dead letter too, says who ran it last, and is not run again.',
    source: '§2, one job port; principle 8',
  },
  'jobs.requeued': {
    says: 'A dead letter that is requeued is at the end of its line once, with all its attempts before it.',
    source: '§2, one job port',
  },
  'jobs.pages': {
    says: 'Dead letters come newest first, page by page, each once, and only those that are asked for.',
    source: '§2, one job port; principle 6',
  },
  'jobs.restart': {
    says: 'A runner that is opened later goes on with what others have left, attempts included.',
    source: '§2, one job port',
  },
  'jobs.erased': {
    says: 'Erasing a scope takes its jobs, running ones too, and its dead letters, and nothing else.',
    source: 'principles 1 and 6',
  },
  'jobs.budget': { says: 'No more jobs run at once than the budget allows.', source: '§2, one job port' },
  'jobs.settled': {
    says: 'Settled is when nothing can run now; on demand, when nothing is left that waits. No handler waits for itself.',
    source: '§2, settled() waits',
  },
  'jobs.given-back': {
    says: 'Closing tells the handlers, waits for them a while, and gives back what is not done, as if never claimed.',
    source: '§2, leases with fencing tokens',
  },
  'jobs.closed': { says: 'A closed runner says so, whatever it is asked.', source: '§2, one job port' },
};

/** The proofs of the job laws. */
export const jobChecks: Checks<JobSubject> = {
  ...claimChecks,
  ...lineChecks,
  ...failureChecks,
  ...runnerChecks,
};
