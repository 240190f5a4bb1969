import { isPalimpsestError, type PalimpsestError } from '../errors/index.ts';

/** True if an event was not stored for what it holds: without that it can be. */
export function isRefused(error: unknown): error is PalimpsestError {
  return (
    isPalimpsestError(error, 'INVALID_EVENT') ||
    isPalimpsestError(error, 'NOT_JSON') ||
    isPalimpsestError(error, 'EVENT_TOO_LARGE')
  );
}
