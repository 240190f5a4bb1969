import { type ErrorCode, type ErrorDetails, type ErrorTraits, errorTable } from './error-table.ts';

const brand: unique symbol = Symbol.for('palimpsest.error');

/**
 * The one error class. Read `code`, then `details`; the message is for people and names the remedy.
 *
 * @example
 * throw new PalimpsestError('APPEND_CONFLICT', { sessionId, expected: 3, actual: 5 });
 */
export class PalimpsestError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'PalimpsestError';
  readonly code: C;
  readonly details: Readonly<ErrorDetails[C]>;
  /** Whether the same call may succeed when simply made again. */
  readonly retryable: boolean;
  /** The HTTP status that the server answers with. */
  readonly status: number;
  readonly [brand] = true;

  constructor(code: C, details: ErrorDetails[C], options?: { cause?: unknown }) {
    const traits: ErrorTraits<C> = errorTable[code];
    super(traits.message(details), options);
    this.code = code;
    this.details = details;
    this.retryable = traits.retryable;
    this.status = traits.status;
  }
}

/** True for an error of this library, from whichever copy of it; with a code, narrows to that code's details. */
export function isPalimpsestError<C extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: C,
): error is PalimpsestError<C> {
  if (typeof error !== 'object' || error === null || !(brand in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}
