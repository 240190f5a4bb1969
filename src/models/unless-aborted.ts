import { abortedCall } from './model-failure.ts';

/**
 * What a promise comes to, or ABORTED as soon as the signal says so, whether or not the work behind the promise heeds
 * the signal.
 */
export function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(abortedCall());
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const settled = () => signal?.removeEventListener('abort', stop);
    work.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}
