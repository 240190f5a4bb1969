import type { SessionKey } from '../events/index.ts';
import type { SessionHead } from './session-store.ts';

const capacity = 1024;

/**
 * Heads as this process last saw them, so that a writer at work need not read before it writes. A head that is out of
 * date costs a retry and nothing else: the store refuses commits under an old stamp.
 */
export class HeadCache {
  readonly #heads = new Map<string, SessionHead>();

  get(key: SessionKey): SessionHead | undefined {
    return this.#heads.get(nameOf(key));
  }

  set(head: SessionHead): void {
    const name = nameOf(head.key);
    this.#heads.delete(name);
    this.#heads.set(name, head);
    if (this.#heads.size <= capacity) return;
    const oldest = this.#heads.keys().next();
    if (!oldest.done) this.#heads.delete(oldest.value);
  }

  delete(key: SessionKey): void {
    this.#heads.delete(nameOf(key));
  }
}

/** One text for a key, for maps inside a process. Ids may contain any separator, so it is JSON. */
export function nameOf({ appName, userId, sessionId }: SessionKey): string {
  return JSON.stringify([appName, userId, sessionId]);
}
