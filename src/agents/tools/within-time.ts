import { PalimpsestError } from '../../errors/index.ts';

/** How work ended. */
export type Ending<T> =
  | { readonly by: 'value'; readonly value: T }
  | { readonly by: 'error'; readonly error: unknown }
  | { readonly by: 'timeout' }
  | { readonly by: 'abort' };

/** The longest that a timer can wait, in milliseconds. */
export const longestTimer = 2_147_483_647;

/**
 * Waits for work until it settles, its time is over or a signal aborts; the work's own signal aborts in the last two
 * cases. Never rejects; what the work does after that is not heard of any more.
 */
export function withinTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { what, timeoutMs, signal }: { readonly what: string; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Ending<T>> {
  if (signal.aborted) return Promise.resolve({ by: 'abort' });
  const own = new AbortController();
  return new Promise((resolve) => {
    const end = (ending: Ending<T>): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(ending);
    };
    const onAbort = (): void => {
      end({ by: 'abort' });
      own.abort(signal.reason);
    };
    const onTimeout = (): void => {
      end({ by: 'timeout' });
      own.abort(new PalimpsestError('ABORTED', { what }));
    };
    const timer = setTimeout(onTimeout, Math.min(timeoutMs, longestTimer));
    signal.addEventListener('abort', onAbort);
    work(own.signal).then(
      (value) => end({ by: 'value', value }),
      (error: unknown) => end({ by: 'error', error }),
    );
  });
}
