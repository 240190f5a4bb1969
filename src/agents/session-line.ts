import { PalimpsestError } from '../errors/index.ts';
import { type SessionKey, toInstant } from '../events/index.ts';
import { defaultLeaseSeconds } from '../sessions/index.ts';
import { nameOf } from './recent-map.ts';

/** The longest that a timer can wait, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

/** A run's place in the line before a session. */
export interface Place {
  /**
   * Resolves, with how long it may wait still, when all who came before have got the session or given up. Throws
   * SESSION_BUSY if that takes too long, and ABORTED.
   */
  turn(): Promise<number>;
  /** Lets the next one forward. To be called whatever happens. */
  leave(): void;
}

/** Who may wait, and for how long. */
export interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly forward: () => void;
}

/** The runs of one process that want a session get it in the order in which they came. */
export class SessionLine {
  readonly #lines = new Map<string, Waiter[]>();
  readonly #now: () => number;

  /** `now`: the time by which leases end. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes the last place of a session's line. */
  enter(key: SessionKey, { waitMs, signal }: Waiting): Place {
    const name = nameOf(key.appName, key.userId, key.sessionId);
    const line = this.#lines.get(name) ?? [];
    this.#lines.set(name, line);
    const until = Date.now() + waitMs;
    let forward: () => void = () => undefined;
    const isFirst = new Promise<void>((resolve) => {
      forward = resolve;
    });
    const waiter = { forward };
    line.push(waiter);
    line[0]?.forward();
    return {
      turn: async () => {
        if (line[0] !== waiter) await unlessLate(isFirst, { waitMs, signal }, () => this.#busy(key));
        return Math.max(0, until - Date.now());
      },
      leave: () => {
        const at = line.indexOf(waiter);
        if (at >= 0) line.splice(at, 1);
        line[0]?.forward();
        if (line.length === 0 && this.#lines.get(name) === line) this.#lines.delete(name);
      },
    };
  }

  /** Who stands before is about to hold the session, for as long as a lease lasts at least. */
  #busy({ sessionId }: SessionKey): PalimpsestError {
    const freeAt = toInstant(this.#now() + defaultLeaseSeconds * 1000);
    return new PalimpsestError('SESSION_BUSY', { sessionId, freeAt });
  }
}

function unlessLate(first: Promise<void>, { waitMs, signal }: Waiting, busy: () => PalimpsestError): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (error: PalimpsestError) => {
      settle();
      reject(error);
    };
    const onAbort = () => stop(new PalimpsestError('ABORTED', { what: 'The invocation' }, { cause: signal.reason }));
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const timer = setTimeout(() => stop(busy()), Math.min(waitMs, longestTimerMs));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    first.then(() => {
      settle();
      resolve();
    }, stop);
  });
}
