import type { JsonMap } from '../events/index.ts';

/** Where the library says what it does. Any logger of the common kind fits. */
export interface Logger {
  debug(message: string, fields?: JsonMap): void;
  info(message: string, fields?: JsonMap): void;
  warn(message: string, fields?: JsonMap): void;
  error(message: string, fields?: JsonMap): void;
}

const nothing = () => undefined;

/** Says nothing. */
export const silentLogger: Logger = Object.freeze({ debug: nothing, info: nothing, warn: nothing, error: nothing });
