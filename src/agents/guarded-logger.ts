import type { JsonMap } from '../events/index.ts';
import type { Logger } from '../models/index.ts';

/** The logger, in a form that never throws: whoever only listens cannot end a run. */
export function guardedLogger(logger: Logger): Logger {
  const tell = (level: keyof Logger) => (message: string, fields?: JsonMap) => {
    try {
      const told: unknown = logger[level](message, fields);
      // One that writes asynchronously may fail later.
      if (told instanceof Promise) told.catch(() => undefined);
    } catch {
      // There is nobody else to tell.
      return;
    }
  };
  return Object.freeze({ debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') });
}
