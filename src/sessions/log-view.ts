import {
  type Coverage,
  type Event,
  foldCoverage,
  isBookkeeping,
  rangeAt,
  type SeqRange,
  type SessionKey,
  subtractRanges,
} from '../events/index.ts';
import { changesState } from './event-traits.ts';
import { giveWay } from './give-way.ts';
import type { SessionStore } from './session-store.ts';

const pageSize = 500;

/** A log as it will be once the events planned so far are stored behind it. */
export class LogView {
  readonly #store: SessionStore;
  readonly #key: SessionKey;
  readonly #planned: readonly Event[];
  readonly #erased: readonly SeqRange[];
  #bookkeeping: readonly Event[] | undefined;

  /** `planned` may grow while the view is in use; `erased` ranges count as gone for bookkeeping and state. */
  constructor(store: SessionStore, key: SessionKey, planned: readonly Event[] = [], erased: readonly SeqRange[] = []) {
    this.#store = store;
    this.#key = key;
    this.#planned = planned;
    this.#erased = erased;
  }

  /** The same log as it will be once these ranges are erased. */
  without(erased: readonly SeqRange[]): LogView {
    return new LogView(this.#store, this.#key, this.#planned, erased);
  }

  async bookkeeping(): Promise<readonly Event[]> {
    this.#bookkeeping ??= this.#kept(await this.#store.rows({ key: this.#key, kind: 'bookkeeping' }));
    return [...this.#bookkeeping, ...this.#planned.filter(isBookkeeping)];
  }

  async coverage(): Promise<Coverage> {
    return foldCoverage(await this.bookkeeping());
  }

  /** Events that change state, hidden ones included, in order. */
  async stateEvents(): Promise<readonly Event[]> {
    return [
      ...this.#kept(await this.#store.rows({ key: this.#key, kind: 'state' })),
      ...this.#planned.filter(changesState),
    ];
  }

  /** The first event of an invocation. */
  async firstOf(invocationId: string): Promise<Event | undefined> {
    const [stored] = await this.#store.rows({ key: this.#key, invocationId, limit: 1 });
    return stored ?? this.#planned.find((event) => event.invocationId === invocationId);
  }

  /** True if any event stands in these ranges. */
  async hasAny(ranges: readonly SeqRange[]): Promise<boolean> {
    const [stored] = await this.#store.rows({ key: this.#key, ranges, limit: 1 });
    return stored !== undefined || this.#planned.some(({ seq }) => rangeAt(ranges, seq) !== -1);
  }

  /** Stored events that make or answer calls of an id. */
  async ofCall(
    callId: string,
    { range, newestFirst, limit }: { readonly range: SeqRange; readonly newestFirst: boolean; readonly limit: number },
  ): Promise<readonly Event[]> {
    return this.#store.rows({ key: this.#key, callId, ranges: [range], newestFirst, limit });
  }

  /** Events in ranges, in order, page by page. */
  async *events(ranges: readonly SeqRange[], newestFirst = false): AsyncGenerator<Event> {
    const planned = this.#planned.filter(({ seq }) => rangeAt(ranges, seq) !== -1);
    if (newestFirst) yield* planned.reverse();
    for await (const page of this.pages(ranges, newestFirst)) yield* page;
    if (!newestFirst) yield* planned;
  }

  /** Stored events in ranges, in order. */
  async *pages(ranges: readonly SeqRange[], newestFirst = false): AsyncGenerator<readonly Event[]> {
    for (let rest = ranges; rest.length > 0; ) {
      await giveWay();
      const page = await this.#store.rows({ key: this.#key, ranges: rest, newestFirst, limit: pageSize });
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      const done: SeqRange = newestFirst ? [last.seq, Number.MAX_SAFE_INTEGER] : [1, last.seq];
      rest = subtractRanges(rest, [done]);
    }
  }

  #kept(events: readonly Event[]): readonly Event[] {
    return this.#erased.length === 0 ? events : events.filter(({ seq }) => rangeAt(this.#erased, seq) === -1);
  }
}
