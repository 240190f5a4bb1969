import { PalimpsestError } from '../errors/index.ts';

/** Longest wait, in milliseconds, for runs that were told to stop: nobody may be reading what they say any more. */
const longestStopMs = 5000;

/** What a run holds, to be given back for a run that does not do so itself. */
export interface HeldByRun {
  release(): Promise<void>;
}

/** A run from the moment it is asked for. */
export interface OpenRun {
  /** Aborts when the caller's signal does, and when all runs are to end. */
  readonly signal: AbortSignal;
  holds(held: HeldByRun): void;
  /** The run is over, or never began. */
  leave(): void;
}

interface Entry {
  readonly controller: AbortController;
  held?: HeldByRun;
}

/** The runs of a driver, so that all of them can be ended. */
export class OpenRuns {
  readonly #open = new Set<Entry>();
  #isClosed = false;
  #whenEmpty: (() => void) | undefined;

  /** Throws CLOSED once runs are to end. */
  enter(caller?: AbortSignal): OpenRun {
    if (this.#isClosed) throw closed();
    const controller = new AbortController();
    const entry: Entry = { controller };
    const onAbort = (): void => controller.abort(caller?.reason);
    if (caller?.aborted) onAbort();
    else caller?.addEventListener('abort', onAbort, { once: true });
    this.#open.add(entry);
    return {
      signal: controller.signal,
      holds: (held) => {
        entry.held = held;
      },
      leave: () => {
        caller?.removeEventListener('abort', onAbort);
        this.#open.delete(entry);
        if (this.#open.size === 0) this.#whenEmpty?.();
      },
    };
  }

  /** Stops all runs, waits a while for their ends, and gives back what is held by those that have not come to one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { controller } of this.#open) controller.abort(closed());
    if (this.#open.size === 0) return;
    await this.#emptyOrLate();
    await Promise.all(Array.from(this.#open, ({ held }) => held?.release()));
  }

  #emptyOrLate(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, longestStopMs);
      this.#whenEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function closed(): PalimpsestError {
  return new PalimpsestError('CLOSED', { what: 'The Palimpsest' });
}
