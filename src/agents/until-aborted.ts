import { PalimpsestError } from '../errors/index.ts';

/** After so many items timers and sockets get their turn, which a stream that always has one more would starve. */
const itemsAtOnce = 256;

/**
 * The items of a stream until a signal aborts; then ABORTED, at once, even if the stream itself takes no notice. A
 * reader who leaves early ends the stream.
 */
export async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  const watch = new AbortWatch(signal);
  let isOver = false;
  try {
    for (let count = 1; ; count++) {
      if (count % itemsAtOnce === 0) await watch.until(new Promise<void>((resolve) => setImmediate(resolve)));
      const next = await watch.until(iterator.next());
      if (next.done === true) {
        isOver = true;
        return;
      }
      yield next.value;
    }
  } catch (error) {
    isOver = signal?.aborted !== true;
    throw error;
  } finally {
    watch.end();
    // A stream that hangs does not end for being asked to, so nobody waits for it.
    if (!isOver) iterator.return?.().catch(() => undefined);
  }
}

/**
 * What work comes to, or ABORTED as soon as the signal says so, whatever becomes of the work. It is not begun if the
 * signal has aborted already.
 */
export async function unlessAborted<T>(work: () => T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const watch = new AbortWatch(signal);
  try {
    watch.throwIfAborted();
    return await watch.until(work());
  } finally {
    watch.end();
  }
}

/** One listener on a signal for any number of waits, one after the other, so that none of them leaves anything behind. */
class AbortWatch {
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#giveUp?.(this.#aborted());
  /** Rejects the wait at hand. */
  #giveUp: ((error: PalimpsestError) => void) | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  throwIfAborted(): void {
    if (this.#signal?.aborted) throw this.#aborted();
  }

  until<T>(work: T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      if (this.#signal?.aborted) this.#onAbort();
      // Also hears work that fails after it was given up, so that no rejection goes unheard.
      Promise.resolve(work).then(resolve, reject);
    });
  }

  end(): void {
    this.#giveUp = undefined;
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #aborted(): PalimpsestError {
    return new PalimpsestError('ABORTED', { what: 'The run' }, { cause: this.#signal?.reason });
  }
}
