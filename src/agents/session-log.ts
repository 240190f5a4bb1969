import { PalimpsestError } from '../errors/index.ts';
import type { Event, SessionKey, View } from '../events/index.ts';
import { maxPageSize, type SessionInfo, type SessionService } from '../sessions/index.ts';
import { HeldEvents, type HeldView } from './held-events.ts';

/** Whose window of the log is held: that of agents on no branch and in no isolation scope, whatever their provider. */
const anyAgent: View = { agentName: 'agent', history: 'full', provider: 'gemini' };

/**
 * The events of one life of a session that its next requests are made of, as far as this process has read them; all
 * events, once somebody has asked for those.
 */
export class SessionLog {
  readonly key: SessionKey;
  readonly incarnation: string;
  #held: HeldEvents | undefined;
  /** How often events of the session had been erased when these were read: copied ones go with their source. */
  #erasures: number;

  constructor({ key, incarnation, erasures = 0 }: SessionInfo) {
    this.key = key;
    this.incarnation = incarnation;
    this.#erasures = erasures;
  }

  /** How many events are held. */
  get size(): number {
    return this.#held?.events.length ?? 0;
  }

  /**
   * The events up to the newest one: `whole`, or those that no summary stands for. What was read before is not read
   * again. Throws SESSION_NOT_FOUND if this life of the session is over.
   */
  async read(sessions: SessionService, extent: 'live' | 'whole' = 'live'): Promise<HeldEvents> {
    for (;;) {
      const held = this.#heldFor(extent) ?? (await this.#load(sessions, extent));
      for await (const page of pagesFrom(sessions, this.key, held.version + 1))
        for (const event of page) held.push(event);
      // Asked last: what was read before is of the life that stands now, since none comes back.
      const { incarnation, erasures = 0 } = (await sessions.open(this.key)) ?? {};
      if (incarnation !== this.incarnation) {
        this.#held = undefined;
        throw new PalimpsestError('SESSION_NOT_FOUND', { sessionId: this.key.sessionId });
      }
      this.#held = erasures === this.#erasures ? held : undefined;
      this.#erasures = erasures;
      if (this.#held !== undefined && !held.isOutdated) return held;
    }
  }

  /** The same, and what an agent is given of them. */
  async readView(
    sessions: SessionService,
    view: View,
  ): Promise<{ readonly held: HeldEvents; readonly seen: HeldView }> {
    for (;;) {
      const held = await this.read(sessions);
      const seen = held.viewBy(view);
      if (seen !== undefined) return { held, seen };
    }
  }

  /** Takes in what an append has stored. What does not follow on is left to the next read. */
  add(stored: readonly Event[]): void {
    for (const event of stored) this.#held?.push(event);
  }

  /** Forgets all events, so that the next read meets only what still stands. */
  drop(): void {
    this.#held = undefined;
  }

  #heldFor(extent: 'live' | 'whole'): HeldEvents | undefined {
    const isEnough = extent === 'live' || this.#held?.isWhole;
    return isEnough && !this.#held?.isOutdated ? this.#held : undefined;
  }

  async #load(sessions: SessionService, extent: 'live' | 'whole'): Promise<HeldEvents> {
    if (extent === 'live') {
      const { events, version } = await sessions.readLive(this.key, anyAgent);
      return new HeldEvents(events, { version, isWhole: false });
    }
    const { version = 0 } = (await sessions.open(this.key)) ?? {};
    const events: Event[] = [];
    for await (const page of pagesFrom(sessions, this.key, 1)) events.push(...page);
    return new HeldEvents(events, { version: Math.max(version, events.at(-1)?.seq ?? 0), isWhole: true });
  }
}

async function* pagesFrom(
  sessions: SessionService,
  key: SessionKey,
  first: number,
): AsyncGenerator<readonly Event[], void, undefined> {
  for (let fromSeq = first; ; ) {
    const { items, nextCursor } = await sessions.read(key, { fromSeq, limit: maxPageSize });
    yield items;
    if (nextCursor === undefined) return;
    fromSeq = (items.at(-1)?.seq ?? fromSeq) + 1;
  }
}
