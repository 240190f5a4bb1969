import { PalimpsestError } from '../errors/index.ts';
import type { LanguageModel, ModelCall, ModelPiece } from './language-model.ts';
import { abortedCall } from './model-failure.ts';

/** How long one call may be waited for, over all its attempts. */
export interface PatienceOptions {
  readonly deadlineMs: number;
  readonly idleMs: number;
  readonly now: () => number;
}

/**
 * The time that a call has left. Only waiting uses it up: what the caller does between two pieces is not the model's
 * fault. So no timer runs while nobody waits, and an answer that is dropped half-read leaves none behind.
 */
export class Patience {
  readonly #options: PatienceOptions;
  #spentMs = 0;
  #hasHung = false;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** What is left until the deadline. */
  get leftMs(): number {
    return this.#options.deadlineMs - this.#spentMs;
  }

  /** True once a model has been silent for too long. */
  get hasHung(): boolean {
    return this.#hasHung;
  }

  /** Counts the time that some waiting takes. */
  async spend<T>(wait: () => Promise<T>): Promise<T> {
    const since = this.#options.now();
    try {
      return await wait();
    } finally {
      this.#spentMs += Math.max(0, this.#options.now() - since);
    }
  }

  /**
   * Passes on the pieces of one attempt, up to its finish. The model is told to stop when the caller stops, goes away or
   * has waited enough, and is not waited for if it does not.
   */
  async *watch(model: LanguageModel, call: ModelCall): AsyncGenerator<ModelPiece, void, undefined> {
    const { signal } = call;
    if (signal?.aborted) throw abortedCall();
    const controller = new AbortController();
    const stop = (): void => controller.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      yield* this.#read(model, { ...call, signal: controller.signal }, controller);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async *#read(
    model: LanguageModel,
    call: ModelCall,
    controller: AbortController,
  ): AsyncGenerator<ModelPiece, void, undefined> {
    const pieces = model.call(call)[Symbol.asyncIterator]();
    let isWaiting = true;
    let isWhole = false;
    try {
      while (!isWhole) {
        isWaiting = true;
        const next = await this.spend(() => this.#wait(() => pieces.next(), controller, model.name));
        if (next.done) throw failure(model.name, 'its answer was cut off');
        isWaiting = false;
        isWhole = next.value.type === 'finish';
        yield next.value;
      }
    } finally {
      // A model that ends or fails when it is closed does so to an answer that nobody reads any more.
      const closing = (): Promise<unknown> =>
        Promise.resolve()
          .then(() => pieces.return?.())
          .catch(() => undefined);
      if (isWaiting) void closing();
      else await this.#wait(closing, controller, model.name).catch(() => undefined);
      if (!isWhole) controller.abort();
    }
  }

  /** Waits for the model, but not longer than the caller, the idle limit and the deadline allow. */
  #wait<T>(work: () => Promise<T>, controller: AbortController, model: string): Promise<T> {
    const { idleMs, deadlineMs } = this.#options;
    const isIdleFirst = idleMs <= this.leftMs;
    return new Promise((resolve, reject) => {
      if (controller.signal.aborted) return reject(abortedCall());
      const working = work();
      const giveUp = (): void => {
        this.#hasHung ||= isIdleFirst;
        // Timers may fire a little early by another clock; what is over is over.
        if (!isIdleFirst) this.#spentMs = deadlineMs;
        fail(failure(model, isIdleFirst ? `it sent nothing for ${idleMs} ms` : `it took longer than ${deadlineMs} ms`));
      };
      const stopped = (): void => fail(abortedCall());
      const settle = (): void => {
        clearTimeout(timer);
        controller.signal.removeEventListener('abort', stopped);
      };
      const fail = (error: unknown): void => {
        settle();
        reject(error);
      };
      const timer = setTimeout(giveUp, Math.max(0, Math.min(idleMs, this.leftMs)));
      timer.unref();
      controller.signal.addEventListener('abort', stopped, { once: true });
      // Also hears a model that fails after it was given up, so that no rejection goes unheard.
      working.then((value) => {
        settle();
        resolve(value);
      }, fail);
    });
  }
}

function failure(model: string, reason: string): PalimpsestError<'MODEL_FAILED'> {
  return new PalimpsestError('MODEL_FAILED', { model, reason, attempts: 1 });
}
