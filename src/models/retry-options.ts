import type { PalimpsestError } from '../errors/index.ts';
import type { LanguageModel } from './language-model.ts';

/** How a failing model is called again. Only a call of which nothing has been passed on yet is repeated. */
export interface RetryOptions {
  /** How often a call is repeated after its first failure. Default 2. */
  readonly retries?: number;
  /** The first pause, in milliseconds; each next one is twice as long, with jitter. Default 500. */
  readonly firstDelayMs?: number;
  /** The longest pause. A `Retry-After` that asks for more ends the attempts. Default 30,000. */
  readonly longestDelayMs?: number;
  /** The longest a call may take with all its repetitions. Default 300,000. */
  readonly deadlineMs?: number;
  /** The longest silence within a stream. Default 120,000. */
  readonly idleMs?: number;
  /** Asked once when all attempts have failed. */
  readonly fallback?: LanguageModel;
  /** Told before each repetition. What it throws is ignored. */
  readonly onRetry?: (repetition: Repetition) => void;
}

/** A call that is about to be made again. */
export interface Repetition {
  /** Which attempt has failed: 1 for the first. */
  readonly attempt: number;
  /** The pause before the next one. */
  readonly delayMs: number;
  readonly error: PalimpsestError<'MODEL_FAILED'>;
}
