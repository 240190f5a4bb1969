import { PalimpsestError } from '../errors/index.ts';
import type { Event, SessionKey } from '../events/index.ts';
import { maxPageSize, type SessionInfo, type SessionService } from '../sessions/index.ts';

/** The events of one life of a session, as far as this process has read them. */
export class SessionLog {
  readonly key: SessionKey;
  readonly incarnation: string;
  /** Its events may be erased where they were copied from, so they are read anew each time. */
  readonly isFork: boolean;
  #events: Event[] = [];
  #isDropped = false;

  constructor({ key, incarnation, forkedFrom }: SessionInfo) {
    this.key = key;
    this.incarnation = incarnation;
    this.isFork = forkedFrom !== undefined;
  }

  /** How many events are held. */
  get size(): number {
    return this.#events.length;
  }

  /**
   * All events in order; what was read before is not read again. Others may add to the list later. Throws
   * SESSION_NOT_FOUND if this life of the session is over.
   */
  async read(sessions: SessionService): Promise<readonly Event[]> {
    if (this.#isDropped || this.isFork) {
      await this.#requireAlive(sessions);
      this.#events = [];
      this.#isDropped = false;
    }
    // Another run may be reading into the same list, so the list says where to go on.
    const events = this.#events;
    for (;;) {
      const page = await sessions.read(this.key, { fromSeq: seqAfter(events), limit: maxPageSize });
      push(events, page.items);
      if (page.nextCursor === undefined) return events;
    }
  }

  /** Takes in what an append has stored. What does not follow on is left to the next read. */
  add(stored: readonly Event[]): void {
    if (stored[0]?.seq === seqAfter(this.#events)) push(this.#events, stored);
  }

  /** Forgets all events, so that the next read meets only what still stands. */
  drop(): void {
    this.#events = [];
    this.#isDropped = true;
  }

  async #requireAlive(sessions: SessionService): Promise<void> {
    const session = await sessions.open(this.key);
    if (session?.incarnation === this.incarnation) return;
    throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: this.key.sessionId });
  }
}

function push(events: Event[], more: readonly Event[]): void {
  for (const event of more) if (event.seq >= seqAfter(events)) events.push(event);
}

function seqAfter(events: readonly Event[]): number {
  return (events.at(-1)?.seq ?? 0) + 1;
}
