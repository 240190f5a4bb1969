import type { Clock } from '../index.ts';

const start = Date.UTC(2026, 0, 1);

/** A clock that stands still until it is moved, for tests of whatever depends on time. */
export class ManualClock implements Clock {
  #millis: number;

  /** Begins at a number of milliseconds since 1970; 2026-01-01T00:00:00Z if none is given. */
  constructor(millis: number = start) {
    this.#millis = millis;
  }

  now(): number {
    return this.#millis;
  }

  /** Moves on by so many milliseconds, or back by a negative number of them, as a corrected system clock does. */
  advance(millis: number): void {
    this.#millis += millis;
  }
}
