import type { SessionKey } from '../events/index.ts';
import type { SessionInfo } from '../sessions/index.ts';
import { nameOf } from './recent-map.ts';
import { SessionLog } from './session-log.ts';

/** At most about this many events are kept, of all sessions together. */
const mostEvents = 200_000;

/** Logs of the sessions used last, so that a run reads only what is new. Another life of a session is another log. */
export class LogCache {
  readonly #kept = new Map<string, { readonly log: SessionLog; readonly size: number }>();
  readonly #capacity: number;
  #size = 0;

  constructor(capacity: number = mostEvents) {
    this.#capacity = capacity;
  }

  /** The log of a session, empty if nothing of it is kept. */
  take(session: SessionInfo): SessionLog {
    const { log } = this.#kept.get(nameOfSession(session.key)) ?? {};
    return log?.incarnation === session.incarnation ? log : new SessionLog(session);
  }

  /** Keeps a log as the one used last, with what it holds by now. */
  keep(log: SessionLog): void {
    const name = nameOfSession(log.key);
    this.#remove(name);
    this.#kept.set(name, { log, size: log.size });
    this.#size += log.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#capacity) return;
      this.#remove(oldest);
    }
  }

  /** Drops what is held of a session, also for a run that is using it. */
  forget(key: SessionKey): void {
    this.#remove(nameOfSession(key))?.drop();
  }

  #remove(name: string): SessionLog | undefined {
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    this.#kept.delete(name);
    this.#size -= kept.size;
    return kept.log;
  }
}

function nameOfSession({ appName, userId, sessionId }: SessionKey): string {
  return nameOf(appName, userId, sessionId);
}
