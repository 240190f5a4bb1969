import { type Event, functionCalls, functionResponses, rangeAt, rangesMeet, type SeqRange } from '../events/index.ts';
import { getOrAdd } from './get-or-add.ts';
import { giveWay } from './give-way.ts';
import type { LogView } from './log-view.ts';

const pageSize = 8;

/** The log that a search goes through. */
export interface Searched {
  readonly log: LogView;
  readonly version: number;
  /** What is covered and has not been read: sorted, disjoint. */
  readonly covered: readonly SeqRange[];
  /** Covered events with calls or responses that the covered events alone do not place. */
  readonly unpaired: readonly SeqRange[];
  /** True if the event is live and the view sees it, whether it is covered or not. */
  readonly isSeen: (event: Event) => boolean;
  readonly pinned: ReadonlySet<number>;
}

/**
 * Finds the covered events on which it depends what the responses of a window answer: the calls of its responses, the
 * responses to its pinned calls, and, where one of those has no id and so is found by its position, every covered event
 * that is not paired with another for certain. Reads a few events too many rather than one too few.
 */
export class CallSearch {
  readonly #searched: Searched;
  readonly #found = new Map<number, Event>();
  /** Seqs of known calls, by id, in order; only such as any reader takes for calls. */
  readonly #calls = new Map<string, { readonly seq: number; readonly name: string }[]>();
  readonly #inWindow = new Set<number>();
  #waiting: Event[] = [];
  /** Whether positions matter, so that the answers of every call that is found have to be known too. */
  #byPosition = false;

  constructor(searched: Searched) {
    this.#searched = searched;
  }

  /** Covered events that are needed beside those of the window, in no order, with those that were read already. */
  async find(window: readonly Event[], read: readonly Event[]): Promise<readonly Event[]> {
    if (this.#searched.covered.length === 0) return read;
    for (const event of window) this.#noteCalls(event);
    for (const { seq } of window) this.#inWindow.add(seq);
    this.#waiting = [...window, ...read];
    for (const event of read) this.#found.set(event.seq, event);
    for (let event = this.#waiting.pop(); event !== undefined; event = this.#waiting.pop()) {
      for (const { id, name } of functionResponses(event.content)) {
        if (id === undefined) await this.#searchByPosition();
        else if (this.#mayBeCovered(event.seq, id, name)) await this.#findCall(event.seq, id, name);
      }
      const isPinned = this.#searched.pinned.has(event.seq);
      if (isPinned && functionCalls(event.content).length > 0) await this.#searchByPosition();
      if (isPinned || this.#found.has(event.seq)) await this.#findAnswers(event);
    }
    return [...this.#found.values()];
  }

  /** Where the call of a response stands at the earliest. */
  #earliestCall(before: number, id: string, name: string): number {
    return this.#calls.get(id)?.findLast((call) => call.seq < before && call.name === name)?.seq ?? 1;
  }

  /** True unless all that lies between a response and the nearest call known that it may answer is known. */
  #mayBeCovered(before: number, id: string, name: string): boolean {
    return rangesMeet(this.#searched.covered, [this.#earliestCall(before, id, name), before]);
  }

  /** The newest call of the id above a response, if it is covered, or any that may be it. */
  async #findCall(before: number, id: string, name: string): Promise<void> {
    const from = this.#earliestCall(before, id, name);
    let to = before - 1;
    while (rangesMeet(this.#searched.covered, [from, to])) {
      await giveWay();
      const page = await this.#searched.log.ofCall(id, { range: [from, to], newestFirst: true, limit: pageSize });
      for (const event of page) {
        const call = functionCalls(event.content).find((one) => one.id === id);
        if (call === undefined) continue;
        this.#add(event);
        if (call.name === name && this.#mayCall(event)) return;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      to = last.seq - 1;
    }
  }

  /** Responses to the calls of an event: those of its ids, down to the next call of the same id. */
  async #findAnswers(event: Event): Promise<void> {
    if (!this.#byPosition) return;
    for (const { id, name } of functionCalls(event.content)) {
      if (id !== undefined) await this.#findAnswersTo(event.seq, id, name);
    }
  }

  async #findAnswersTo(seq: number, id: string, name: string): Promise<void> {
    let from = seq + 1;
    while (rangesMeet(this.#searched.covered, [from, this.#searched.version])) {
      await giveWay();
      const range: SeqRange = [from, this.#searched.version];
      const page = await this.#searched.log.ofCall(id, { range, newestFirst: false, limit: pageSize });
      for (const event of page) {
        const next = functionCalls(event.content).find((one) => one.id === id);
        this.#add(event);
        if (next?.name === name && this.#mayCall(event)) return;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) return;
      from = last.seq + 1;
    }
  }

  /** From here on positions matter. */
  async #searchByPosition(): Promise<void> {
    if (this.#byPosition) return;
    this.#byPosition = true;
    const before = [...this.#found.values()];
    for await (const event of this.#searched.log.events(this.#searched.unpaired)) this.#add(event);
    for (const event of before) await this.#findAnswers(event);
  }

  #add(event: Event): void {
    const { covered, isSeen } = this.#searched;
    if (this.#found.has(event.seq) || this.#inWindow.has(event.seq)) return;
    if (rangeAt(covered, event.seq) === -1 || !isSeen(event)) return;
    this.#found.set(event.seq, event);
    this.#waiting.push(event);
  }

  #noteCalls(event: Event): void {
    if (!this.#mayCall(event)) return;
    for (const { id, name } of functionCalls(event.content)) {
      if (id !== undefined) getOrAdd(this.#calls, id, () => []).push({ seq: event.seq, name });
    }
  }

  /** True if any reader takes the event's calls for calls: the user's side makes none. */
  #mayCall(event: Event): boolean {
    return event.author !== 'user' && event.origin !== 'user' && this.#searched.isSeen(event);
  }
}
