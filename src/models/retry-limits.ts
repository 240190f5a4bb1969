import { PalimpsestError } from '../errors/index.ts';
import type { LanguageModel } from './language-model.ts';
import type { RetryOptions } from './retry-options.ts';

/** RetryOptions, checked, with every default filled in. */
export type RetryLimits = Required<Omit<RetryOptions, 'fallback' | 'onRetry'>> &
  Pick<RetryOptions, 'fallback' | 'onRetry'>;

/** The longest that a timer of JavaScript can wait; it fires at once if asked for more. */
const longestTimer = 2 ** 31 - 1;

/** Checks the options of withRetries() for a model. Throws INVALID_ARGUMENT, which names the field. */
export function retryLimits(model: LanguageModel, options: RetryOptions): RetryLimits {
  const { retries = 2, firstDelayMs = 500, longestDelayMs = 30_000, deadlineMs = 300_000, idleMs = 120_000 } = options;
  if (!Number.isInteger(retries) || retries < 0) refuse('retries', 'must be a whole number from 0');
  checkTime('firstDelayMs', firstDelayMs, 0);
  checkTime('longestDelayMs', longestDelayMs, 0);
  checkTime('deadlineMs', deadlineMs, 1);
  checkTime('idleMs', idleMs, 1);
  const { fallback, onRetry } = options;
  if (onRetry !== undefined && typeof onRetry !== 'function') refuse('onRetry', 'must be a function');
  const limits = { retries, firstDelayMs, longestDelayMs, deadlineMs, idleMs, ...(onRetry && { onRetry }) };
  if (fallback === undefined) return limits;
  checkFallback(model, fallback);
  return { ...limits, fallback };
}

function checkTime(field: string, value: number, least: number): void {
  if (typeof value !== 'number' || !(value >= least && value <= longestTimer))
    refuse(field, `must be a number of milliseconds from ${least} to ${longestTimer}`);
}

function checkFallback(model: LanguageModel, fallback: LanguageModel): void {
  if (typeof fallback?.call !== 'function')
    refuse('fallback', 'must be a LanguageModel; languageModel() makes one of an AI SDK model');
  if (fallback.provider !== model.provider)
    refuse(
      'fallback',
      `keeps the rules of ${fallback.provider}, but requests are built by those of ${model.provider}; give a fallback whose provider is ${model.provider}`,
    );
}

function refuse(field: string, reason: string): never {
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: `retry.${field}`, reason });
}
