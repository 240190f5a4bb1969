import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { systemClock } from '../internal/index.ts';
import { isContextTooLong, readTooLong } from './context-too-long.ts';
import { type ErrorFacts, fieldOf, readErrorFacts } from './error-facts.ts';
import { failureReason } from './failure-reason.ts';
import { retryAfterOf } from './retry-after.ts';

/** AI SDK errors about how a model is used: the same call would fail the same way. */
const misuse =
  /^AI_(LoadAPIKey|LoadSetting|InvalidArgument|InvalidPrompt|UnsupportedFunctionality|NoSuchModel|TooManyEmbeddingValuesForCall)Error$/;

/** The failure of a call that the caller has stopped. */
export function abortedCall(): PalimpsestError<'ABORTED'> {
  return new PalimpsestError('ABORTED', { what: 'The model call' });
}

/**
 * Turns whatever a model threw into MODEL_FAILED, the error kept as its cause. A MODEL_FAILED gets the number of
 * attempts, where one is given; other errors of this library pass as they are. An abort is ABORTED only where the signal
 * of the call says that its caller wanted it; one of the model's own is a failure like a lost connection.
 */
export function modelFailure(
  error: unknown,
  model: string,
  attempts?: number,
  signal?: AbortSignal | undefined,
): PalimpsestError {
  if (isPalimpsestError(error, 'MODEL_FAILED')) return withAttempts(error, attempts ?? error.details.attempts);
  if (isPalimpsestError(error) && (error.code !== 'ABORTED' || signal?.aborted !== false)) return error;
  const facts = readErrorFacts(error);
  if (signal?.aborted && facts.links.some(isAbort)) return abortedCall();
  const retryAfterMs = retryAfterOf(facts, systemClock.now());
  return new PalimpsestError(
    'MODEL_FAILED',
    {
      model,
      reason: failureReason(facts),
      // Below 400 the answer was broken, not the status.
      ...(facts.status === undefined || facts.status < 400 ? {} : { status: facts.status }),
      attempts: attempts ?? 1,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...readTooLong(facts),
    },
    { cause: error },
  );
}

/** True if the same call may succeed when it is made again. Of this library's errors, only MODEL_FAILED ever may. */
export function mayRepeat(error: unknown): boolean {
  if (isContextTooLong(error)) return false;
  if (!isPalimpsestError(error)) return mayRepeatCause(readErrorFacts(error));
  if (!isPalimpsestError(error, 'MODEL_FAILED')) return false;
  const { status } = error.details;
  const facts = readErrorFacts(error.cause);
  return mayRepeatCause(status === undefined ? facts : { ...facts, status });
}

function mayRepeatCause(facts: ErrorFacts): boolean {
  const { status, isRetryable, networkCode, links } = facts;
  if (isRetryable === true || networkCode !== undefined) return true;
  // Packages judge 4xx by the provider's words. Their "no" to a 5xx is a default for errors that came in a stream, and
  // below 400, where the answer was broken, it only means that the status was no error.
  if (status !== undefined && (status < 400 || status >= 500)) return true;
  if (status !== undefined) return isRetryable ?? (status === 408 || status === 409 || status === 429);
  return isRetryable ?? !links.some(isMistake);
}

/** A call that was made wrongly, or a fault in the code. */
function isMistake(link: unknown): boolean {
  const name = fieldOf(link, 'name');
  if (typeof name === 'string' && misuse.test(name)) return true;
  return link instanceof TypeError || link instanceof RangeError || link instanceof ReferenceError;
}

function isAbort(link: unknown): boolean {
  const name = fieldOf(link, 'name');
  return name === 'AbortError' || name === 'ResponseAborted' || isPalimpsestError(link, 'ABORTED');
}

function withAttempts(error: PalimpsestError<'MODEL_FAILED'>, attempts: number): PalimpsestError<'MODEL_FAILED'> {
  if (error.details.attempts === attempts) return error;
  const details = { ...error.details, attempts };
  return new PalimpsestError('MODEL_FAILED', details, 'cause' in error ? { cause: error.cause } : {});
}
