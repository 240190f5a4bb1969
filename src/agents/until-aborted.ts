import { PalimpsestError } from '../errors/index.ts';

/**
 * The items of a stream until a signal aborts; then ABORTED, at once, even if the stream itself takes no notice. A
 * reader who leaves early ends the stream.
 */
export async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  if (signal === undefined) return yield* items;
  const iterator = items[Symbol.asyncIterator]();
  const aborted = abortOf(signal);
  let isOver = false;
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted.promise]);
      if (next.done === true) {
        isOver = true;
        return;
      }
      yield next.value;
    }
  } catch (error) {
    isOver = !signal.aborted;
    throw error;
  } finally {
    aborted.forget();
    // A stream that hangs does not end for being asked to, so nobody waits for it.
    if (!isOver) iterator.return?.().catch(() => undefined);
  }
}

function abortOf(signal: AbortSignal): { readonly promise: Promise<never>; forget(): void } {
  let stop: () => void = () => undefined;
  const promise = new Promise<never>((_, reject) => {
    stop = () => reject(new PalimpsestError('ABORTED', { what: 'The run' }, { cause: signal.reason }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // It may reject while nobody is waiting for it.
  promise.catch(() => undefined);
  return { promise, forget: () => signal.removeEventListener('abort', stop) };
}
