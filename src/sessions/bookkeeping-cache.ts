import { noBookkeeping, type SessionKey, type StandingBookkeeping, standingBookkeeping } from '../events/index.ts';
import { nameOf } from './head-cache.ts';
import type { SessionHead, SessionStore } from './session-store.ts';

const capacity = 256;

interface Known {
  readonly incarnation: string;
  readonly erasures: number;
  readonly throughSeq: number;
  readonly standing: StandingBookkeeping;
}

/**
 * What stands of the bookkeeping of logs as this process last saw it, so that superseded summaries and the like are read
 * once. What was appended since is read and added; where that, or an erasure, may have brought back what was dropped,
 * all of it is read again.
 */
export class BookkeepingCache {
  readonly #known = new Map<string, Known>();

  /** What stands in the log of a session at the version of its head. */
  async read(store: SessionStore, head: SessionHead): Promise<StandingBookkeeping> {
    const { key, incarnation, erasures = 0, version } = head;
    const known = this.#known.get(nameOf(key));
    const isOfThisLog = known?.incarnation === incarnation && known.erasures === erasures;
    const usable = isOfThisLog && known.throughSeq <= version ? known : undefined;
    const standing =
      (usable && (await this.#since(store, head, usable))) ??
      (await this.#since(store, head, { throughSeq: 0, standing: noBookkeeping })) ??
      noBookkeeping;
    // Whoever asked for an older version than is known must not have it forgotten.
    if (usable !== undefined || !isOfThisLog) this.#set(key, { incarnation, erasures, throughSeq: version, standing });
    return standing;
  }

  delete(key: SessionKey): void {
    this.#known.delete(nameOf(key));
  }

  async #since(
    store: SessionStore,
    { key, version }: SessionHead,
    { throughSeq, standing }: Pick<Known, 'throughSeq' | 'standing'>,
  ): Promise<StandingBookkeeping | undefined> {
    if (throughSeq === version) return standing;
    const added = await store.rows({ key, kind: 'bookkeeping', ranges: [[throughSeq + 1, version]] });
    return standingBookkeeping(added, { before: standing, throughSeq });
  }

  #set(key: SessionKey, known: Known): void {
    const name = nameOf(key);
    this.#known.delete(name);
    this.#known.set(name, known);
    if (this.#known.size <= capacity) return;
    const oldest = this.#known.keys().next();
    if (!oldest.done) this.#known.delete(oldest.value);
  }
}
