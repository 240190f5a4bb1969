import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import type { JobCause } from './job-store.ts';

const longestMessage = 2_000;

/** What a failure says of itself, for the dead letter that comes of it. Never throws, whatever was thrown. */
export function causeOf(error: unknown, attempts: number, at: number): JobCause {
  return {
    message: shorten(messageOf(error)),
    ...(isPalimpsestError(error) ? { code: error.code } : {}),
    attempts,
    at,
  };
}

/** The failure of a run that died before it could say anything. */
export function lostRun(owner: string): PalimpsestError {
  return new PalimpsestError('ABORTED', { what: `The run by ${JSON.stringify(owner)}` });
}

function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message || error.name) : String(error);
  } catch {
    return 'The failure cannot be read.';
  }
}

/** Never cuts a surrogate pair in half. */
function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 2 * longestMessage + 2));
  const beginning = characters.slice(0, longestMessage).join('').toWellFormed();
  return characters.length > longestMessage ? `${beginning}…` : beginning;
}
