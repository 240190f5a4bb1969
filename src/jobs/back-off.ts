import { isPalimpsestError } from '../errors/index.ts';

/** What a pause depends on. */
export interface BackOff {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  readonly random: () => number;
}

/** So many doublings are more than any limit, and few enough for a number. */
const mostDoublings = 100;

/** The longest that a failure can ask for: a day. */
const longestAskedMs = 86_400_000;

/**
 * How long to wait after a failure, in whole milliseconds: a random share of a longest pause that doubles with every
 * attempt ("full jitter", M. Brooker, Exponential Backoff and Jitter, 2015), and what the failure asks for if that is
 * more.
 */
export function pauseAfter(error: unknown, attempt: number, backOff: BackOff): number {
  const { firstDelayMs, longestDelayMs, random } = backOff;
  const longest = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempt - 1, mostDoublings));
  return Math.ceil(Math.max(random() * longest, askedPause(error)));
}

/** `retryAfterMs`, from the details of a failed model call or from whatever else was thrown; 0 without. */
function askedPause(error: unknown): number {
  const carrier = isPalimpsestError(error) ? error.details : error;
  if (typeof carrier !== 'object' || carrier === null || !('retryAfterMs' in carrier)) return 0;
  const asked = carrier.retryAfterMs;
  return typeof asked === 'number' && asked > 0 ? Math.min(asked, longestAskedMs) : 0;
}
