import type { RunEvent } from '../../../agents/index.ts';

/** An answer that is none: it was stored, with a word for what is wrong with it, and the run ended. */
export class FaultyAnswer extends Error {
  readonly code: string;

  constructor(code: string, message = `The answer is faulty: ${code}.`) {
    super(message);
    this.code = code;
  }
}

/** What is wrong with the newest event of a run, if anything is; `before` is what was wrong until then. */
export function faultAfter(event: RunEvent, before: FaultyAnswer | undefined): FaultyAnswer | undefined {
  if (event.partial) return before;
  return event.errorCode === undefined ? undefined : new FaultyAnswer(event.errorCode, event.errorMessage);
}
