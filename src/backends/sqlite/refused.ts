import type { CommitOutcome } from '../../sessions/index.ts';

/** Undoes a transaction whose picture of the file is out of date; never leaves the store. */
export class Refused extends Error {
  readonly outcome: Exclude<CommitOutcome, 'committed'>;
  constructor(outcome: Exclude<CommitOutcome, 'committed'>) {
    super(outcome);
    this.outcome = outcome;
  }
}
