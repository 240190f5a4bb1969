/** Tells the time, in milliseconds since 1970-01-01T00:00:00Z. Injected, so that tests can move it. */
export interface Clock {
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };
