import type { Event, View } from '../../events/index.ts';
import type { CallLinks } from './call-ledger.ts';
import { tokensOf } from './count-tokens.ts';
import { placeOf } from './place-order.ts';

/** What part of the conversation a view's history takes in. */
export interface HistoryStart {
  /** Events that stand before it are outside. */
  readonly place: number;
  /** If set, only events of this invocation, and summaries, are inside. */
  readonly invocation: string | undefined;
}

/** A view's history takes in everything. */
export const fromTheBeginning: HistoryStart = Object.freeze({ place: 0, invocation: undefined });

/** True if a history that starts there takes the event in. */
export function isInside(event: Event, { place, invocation }: HistoryStart): boolean {
  if (invocation !== undefined && event.actions.compaction === undefined) return event.invocationId === invocation;
  return placeOf(event) >= place;
}

/** By how much the start of a window moves at once: a quarter of the window's size. */
export function blockOf(limit: number): number {
  return Math.max(1, Math.floor(limit / 4));
}

/**
 * Says where a view's history starts, over spoken events that come in order of place. The start of a window is found by
 * counting from the oldest event, in whole blocks: it stays where it is until a block more than the limit stands behind
 * it. Adding an event takes constant time; so does asking again, until the start moves.
 */
export class HistoryWindow {
  readonly #history: View['history'];
  readonly #links: CallLinks;
  readonly #events: Event[] = [];
  /** For each event, the tokens of all before it. */
  readonly #tokensBefore: number[] = [];
  #tokens = 0;
  readonly #invocations = new Map<string, number>();
  /** Where each invocation begins. */
  readonly #begins: number[] = [];
  #newestInvocation: string | undefined;
  #cut = wholeHistory;

  constructor(history: View['history'], links: CallLinks) {
    this.#history = history;
    this.#links = links;
  }

  /** Takes the next event in; its calls and responses are known to the links. */
  add(event: Event): void {
    if (this.#history === 'full') return;
    if (event.actions.compaction === undefined) this.#addInvocation(event);
    if (this.#history === 'invocation' || this.#history.window.tokens === undefined) return;
    this.#events.push(event);
    this.#tokensBefore.push(this.#tokens);
    this.#tokens += tokensOf(event);
    // A response to what is cut off makes the cut a parting of pairs: it has to be looked for again.
    const partsPair = ({ call }: { call: { event: Event } | undefined }) =>
      call !== undefined && placeOf(call.event) < this.#cut.place;
    if (this.#links.responsesOf(event).some(partsPair)) this.#cut = wholeHistory;
  }

  start(): HistoryStart {
    if (this.#history === 'full') return fromTheBeginning;
    if (this.#history === 'invocation') {
      const invocation = this.#newestInvocation;
      return { place: invocation === undefined ? 0 : (this.#invocations.get(invocation) ?? 0), invocation };
    }
    const { invocations, tokens } = this.#history.window;
    const byInvocations = invocations === undefined ? 0 : this.#placeByInvocations(invocations);
    const byTokens = tokens === undefined ? 0 : this.#placeByTokens(tokens);
    return { place: Math.max(byInvocations, byTokens), invocation: undefined };
  }

  #addInvocation(event: Event): void {
    const { invocationId } = event;
    this.#newestInvocation = invocationId;
    if (this.#invocations.has(invocationId)) return;
    const place = placeOf(event);
    this.#invocations.set(invocationId, place);
    this.#begins.push(place);
  }

  #placeByInvocations(limit: number): number {
    const dropped = wholeBlocks(this.#begins.length, limit);
    return dropped === 0 ? 0 : (this.#begins[dropped] ?? Number.POSITIVE_INFINITY);
  }

  #placeByTokens(limit: number): number {
    const dropped = wholeBlocks(this.#tokens, limit);
    if (dropped !== this.#cut.dropped || !this.#cut.isFinal) this.#cut = this.#cutBehind(dropped, blockOf(limit));
    return this.#cut.place;
  }

  /**
   * Where to cut so that at least so many tokens are gone: at the first point within a block that parts no call from its
   * response, else at once; then the call comes back for its response. The newest event always stays.
   */
  #cutBehind(dropped: number, block: number): Cut {
    if (dropped === 0) return wholeHistory;
    const newest = this.#events.length - 1;
    const target = Math.min(this.#firstWithBefore(dropped), newest);
    const end = Math.max(target + 1, this.#firstWithBefore(dropped + block));
    let cut: Event | undefined;
    let oldestCall = Number.POSITIVE_INFINITY;
    for (let index = newest; index >= target; index--) {
      const event = this.#events[index];
      if (event === undefined) continue;
      oldestCall = Math.min(oldestCall, this.#oldestAnswered(event));
      if (index < end && oldestCall >= placeOf(event)) cut = event;
    }
    // Without a safe point, a later event may still be one.
    const isFinal = target < newest && (cut !== undefined || end <= newest);
    const first = cut ?? this.#events[target];
    return { dropped, place: first === undefined ? 0 : placeOf(first), isFinal };
  }

  /** Where the oldest call stands that an event answers, among the events of the window. */
  #oldestAnswered(event: Event): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { call } of this.#links.responsesOf(event)) {
      if (call === undefined) continue;
      const place = placeOf(call.event);
      const found = this.#events[firstIndex(this.#events, (one) => placeOf(one) >= place)];
      if (found === call.event) oldest = Math.min(oldest, place);
    }
    return oldest;
  }

  /** Index of the first event with at least so many tokens before it. */
  #firstWithBefore(tokens: number): number {
    return firstIndex(this.#tokensBefore, (before) => before >= tokens);
  }
}

interface Cut {
  /** How many tokens were to go. */
  readonly dropped: number;
  readonly place: number;
  /** Further events do not change it, unless one answers a call before it. */
  readonly isFinal: boolean;
}

const wholeHistory: Cut = Object.freeze({ dropped: 0, place: 0, isFinal: true });

/** Index of the first item that fits, where all behind it fit too. Logarithmic. */
function firstIndex<Item>(items: readonly Item[], fits: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item === undefined || fits(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How much of a total is beyond the limit, in whole blocks. */
function wholeBlocks(total: number, limit: number): number {
  const block = blockOf(limit);
  const beyond = total - Math.max(0, limit);
  return beyond >= block ? Math.floor(beyond / block) * block : 0;
}
