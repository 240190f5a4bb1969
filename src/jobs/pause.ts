/** Resolves after a time, or as soon as a signal aborts. Its timer keeps the process alive and goes with it. */
export function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
