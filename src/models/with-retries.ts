import { setTimeout as pause } from 'node:timers/promises';
import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { systemClock } from '../internal/index.ts';
import type { LanguageModel, ModelCall, ModelPiece } from './language-model.ts';
import { abortedCall, mayRepeat, modelFailure } from './model-failure.ts';
import { Patience } from './patience.ts';
import { type RetryLimits, retryLimits } from './retry-limits.ts';
import type { Repetition, RetryOptions } from './retry-options.ts';

/** What withRetries() takes from the outside; tests give their own. */
export interface RetryParts {
  /** From 0 to 1. */
  readonly random?: () => number;
  /** Rejects when the signal aborts. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Milliseconds. */
  readonly now?: () => number;
}

/**
 * Puts patience around a model: a call that fails before anything of its answer has been passed on is made again, after
 * a pause that doubles (half of it random) or that the service asks for; what has been passed on is never repeated.
 *
 * A model that stays silent for `idleMs`, or an answer that is not whole within `deadlineMs` of waiting, ends as
 * MODEL_FAILED. The fallback is asked once, within the same deadline, when the attempts have failed, at once if the model
 * was silent; `modelVersion` of its finish tells that it answered. Throws INVALID_ARGUMENT for options that cannot be.
 */
export function withRetries(model: LanguageModel, options: RetryOptions = {}, parts: RetryParts = {}): LanguageModel {
  const limits = retryLimits(model, options);
  const tools = { random: Math.random, sleep: pauseFor, now: () => systemClock.now(), ...parts };
  const { name, vendor, provider } = model;
  return Object.freeze({
    name,
    vendor,
    provider,
    call: (call: ModelCall) => new PatientCall(model, call, limits, tools).pieces(),
  });
}

/** One call with all its attempts. */
class PatientCall {
  readonly #model: LanguageModel;
  readonly #call: ModelCall;
  readonly #limits: RetryLimits;
  readonly #parts: Required<RetryParts>;
  readonly #patience: Patience;

  constructor(model: LanguageModel, call: ModelCall, limits: RetryLimits, parts: Required<RetryParts>) {
    this.#model = model;
    this.#call = call;
    this.#limits = limits;
    this.#parts = parts;
    this.#patience = new Patience({ ...limits, now: parts.now });
  }

  async *pieces(): AsyncGenerator<ModelPiece, void, undefined> {
    for (let attempts = 1; ; attempts++) {
      const failure = yield* this.#attempt(this.#model, attempts);
      if (failure === undefined) return;
      const delayMs = this.#delayAfter(failure, attempts);
      if (delayMs === undefined) return yield* this.#fallBack(failure);
      this.#tell({ attempt: attempts, delayMs, error: failure });
      await this.#sleep(delayMs);
    }
  }

  /** Passes on an answer; or returns why there is none, if nothing of one has been passed on. */
  async *#attempt(
    model: LanguageModel,
    attempts: number,
  ): AsyncGenerator<ModelPiece, PalimpsestError<'MODEL_FAILED'> | undefined, undefined> {
    let isPassedOn = false;
    try {
      for await (const piece of this.#patience.watch(model, this.#call)) {
        if (!isPassedOn && isBroken(piece)) throw brokenOff(model.name);
        isPassedOn = true;
        yield model === this.#model ? piece : signed(piece, model);
      }
      return undefined;
    } catch (error) {
      const failure = modelFailure(error, model.name, attempts, this.#call.signal);
      if (isPassedOn || !isPalimpsestError(failure, 'MODEL_FAILED')) throw failure;
      return failure;
    }
  }

  /** The pause before the next attempt; undefined if there is to be none. */
  #delayAfter(failure: PalimpsestError<'MODEL_FAILED'>, attempts: number): number | undefined {
    const { retries, firstDelayMs, longestDelayMs, fallback } = this.#limits;
    if (attempts > retries || !mayRepeat(failure)) return undefined;
    // Silence has cost most of the deadline by the second time; another model can still use what is left.
    if (this.#patience.hasHung && fallback !== undefined) return undefined;
    const { retryAfterMs = 0 } = failure.details;
    if (retryAfterMs > longestDelayMs) return undefined;
    const doubled = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempts - 1));
    const delayMs = Math.max(retryAfterMs, doubled / 2 + (this.#parts.random() * doubled) / 2);
    return delayMs < this.#patience.leftMs ? delayMs : undefined;
  }

  #tell(repetition: Repetition): void {
    try {
      this.#limits.onRetry?.(repetition);
    } catch {
      // Whoever only listens cannot end the call.
      return;
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#call;
    try {
      await this.#patience.spend(() => this.#parts.sleep(ms, signal));
    } catch (error) {
      throw signal?.aborted ? abortedCall() : error;
    }
  }

  async *#fallBack(failure: PalimpsestError<'MODEL_FAILED'>): AsyncGenerator<ModelPiece, void, undefined> {
    const { fallback } = this.#limits;
    if (fallback === undefined || this.#patience.leftMs <= 0) throw failure;
    const second = yield* this.#attempt(fallback, 1);
    if (second === undefined) return;
    const reason = `${failure.details.reason}; its fallback ${fallback.name} failed too: ${second.details.reason}`;
    // How much the fallback takes says nothing about the model.
    const { contextTooLong } = second.details;
    const tooLong = contextTooLong && { contextTooLong };
    throw new PalimpsestError(
      'MODEL_FAILED',
      { ...failure.details, ...tooLong, reason },
      { cause: failure.cause ?? second },
    );
  }
}

/** True for the end of an answer that the model itself could not bring to one, such as a call that it misspelt. */
function isBroken(piece: ModelPiece): boolean {
  return piece?.type === 'finish' && piece.finishReason === 'error';
}

/** The failure of a model that ends its answer with an error and does not say which. */
export function brokenOff(model: string): PalimpsestError<'MODEL_FAILED'> {
  return new PalimpsestError('MODEL_FAILED', { model, reason: 'it ended its answer with an error', attempts: 1 });
}

/** The piece, a finish with the name of the model that gave it. */
function signed(piece: ModelPiece, model: LanguageModel): ModelPiece {
  return piece.type === 'finish' && piece.modelVersion === undefined ? { ...piece, modelVersion: model.name } : piece;
}

function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return pause(ms, undefined, signal === undefined ? {} : { signal });
}
