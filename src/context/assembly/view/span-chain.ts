import type { Event } from '../../../events/index.ts';
import { isOneTranscript } from '../join-transcripts.ts';
import { insertByPlace, placeOf } from '../place-order.ts';
import { sideOf } from '../speaker.ts';
import { LaidRow } from './laid-row.ts';
import { laySpan, reachOf, type Span, type SpanFacts } from './span.ts';
import { linkSpan, mayFollow, type SpanLink } from './span-link.ts';

/** How many events may wait to be laid out for good, and how many of the newest always do. */
export interface SpanSize {
  readonly mostOpen: number;
  readonly alwaysOpen: number;
}

const usualSize: SpanSize = { mostOpen: 24, alwaysOpen: 8 };

/** Which events stand anew, no longer or otherwise, between two places. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly added: readonly Event[];
  /** Whether an event that stood before still stands. */
  readonly stands: (event: Event) => boolean;
}

/**
 * The conversation as spans that are laid out for good and a short open end that is laid out whenever it is asked for.
 * A span is taken up again when one of its events changes, or when what comes behind it cannot be laid out apart.
 */
export class SpanChain {
  readonly #facts: () => SpanFacts;
  readonly #usedIds = new Set<string>();
  readonly #row = new LaidRow();
  #settled: SpanLink | undefined;
  #open: Event[] = [];
  readonly #size: SpanSize;
  #settleAt: number;
  #whole: SpanLink | undefined;

  constructor(facts: () => SpanFacts, size = usualSize) {
    this.#facts = facts;
    this.#size = size;
    this.#settleAt = size.mostOpen;
  }

  /** Adds an event behind all others. */
  append(event: Event): void {
    this.#whole = undefined;
    this.#open.push(event);
    if (this.#open.length >= this.#settleAt) this.#settle();
  }

  /** Lays out anew what a change reaches. What stands behind it is kept, where it comes out the same. */
  change({ from, to, added, stands }: Change): void {
    const [next] = added;
    if (next !== undefined && added.length === 1 && from === to && from > this.#lastPlace()) {
      this.append(next);
      return;
    }
    const behind = this.#open.filter((event) => placeOf(event) > to);
    let reached = this.#open.filter((event) => placeOf(event) <= to);
    const kept: Span[] = [];
    this.#whole = undefined;
    this.#open = [];
    this.#settleAt = this.#size.mostOpen;
    while (this.#settled !== undefined && placeOf(this.#settled.span.last) >= from) {
      const { span } = this.#settled;
      if (placeOf(span.first) > to) kept.push(span);
      else reached = [...span.events, ...reached];
      this.#takeUp(this.#settled);
    }
    for (const event of insertByPlace(reached.filter(stands), added)) this.append(event);
    if (kept.length === 0 && behind.length === 0) return;
    this.#close();
    for (const span of kept.reverse()) {
      if (this.#canKeep(span)) this.#link(span);
      else this.#attach(span.events);
    }
    for (const event of behind) this.append(event);
  }

  /** All of it, laid out. */
  whole(): SpanLink | undefined {
    this.#whole ??= this.#layOpen();
    return this.#whole;
  }

  /** Reads from the row of what was once the whole; quicker while it still is. */
  read<Result>(whole: SpanLink | undefined, from: (row: LaidRow) => Result): Result {
    if (whole === undefined || whole !== this.#whole) return from(LaidRow.of(whole));
    if (whole === this.#settled) return from(this.#row);
    this.#row.push(whole);
    const result = from(this.#row);
    this.#row.pop(whole);
    return result;
  }

  #layOpen(): SpanLink | undefined {
    this.#settleAt = this.#size.mostOpen;
    this.#settle();
    const span = this.#layBehindSettled(this.#open);
    if (span === undefined) return this.#settled;
    if (span.events.length > this.#open.length) this.#open = [...span.events];
    return linkSpan(this.#settled, span, this.#facts().rules);
  }

  #settle(): void {
    while (this.#open.length >= this.#settleAt) {
      const cut = this.#findCut();
      if (cut === undefined) {
        // To look again at each event would take quadratic time where many come at once.
        this.#settleAt = this.#open.length * 2;
        return;
      }
      const rest = this.#open.splice(cut);
      this.#close();
      this.#open = rest;
      this.#settleAt = this.#size.mostOpen;
    }
  }

  /** Before which open event a cut is likely to part nothing; it is looked at again when what follows is laid out. */
  #findCut(): number | undefined {
    const facts = this.#facts();
    // Where a late response has made the open end long, it is worth more to shorten it than to wait for what comes.
    const last = this.#open.length - (this.#open.length < 2 * this.#size.mostOpen ? this.#size.alwaysOpen : 1);
    let reach = Number.POSITIVE_INFINITY;
    for (let index = this.#open.length - 1; index > 0; index--) {
      const [before, after] = [this.#open[index - 1], this.#open[index]];
      if (before === undefined || after === undefined) continue;
      reach = Math.min(reach, reachOf([after], facts));
      if (index > last || reach <= placeOf(before) || isOneTranscript(before, after)) continue;
      const { agentName } = facts.view;
      if (sideOf(before, agentName) === 'user' || sideOf(after, agentName) === 'user') return index;
    }
    return undefined;
  }

  #close(): void {
    this.#attach(this.#open);
    this.#open = [];
  }

  #attach(events: readonly Event[]): void {
    if (events.length === 0) return;
    // Spans that are short are put together, or there would be ever more of them.
    const previous = this.#settled;
    const isShort = previous !== undefined && previous.span.events.length + events.length < this.#size.mostOpen;
    if (isShort) this.#takeUp(previous);
    const span = this.#layBehindSettled(isShort ? [...previous.span.events, ...events] : events);
    if (span !== undefined) this.#link(span);
  }

  /** Lays out the events, with as many of the settled ones before them as they cannot be parted from. */
  #layBehindSettled(events: readonly Event[]): Span | undefined {
    const facts = this.#facts();
    const reach = reachOf(events, facts);
    let joined = events;
    const takeUp = (link: SpanLink) => {
      this.#takeUp(link);
      joined = [...link.span.events, ...joined];
    };
    while (this.#settled !== undefined && placeOf(this.#settled.span.last) >= reach) takeUp(this.#settled);
    for (;;) {
      const span = laySpan(joined, facts, this.#usedIds);
      if (span === undefined || this.#settled === undefined || mayFollow(this.#settled, span)) return span;
      takeUp(this.#settled);
    }
  }

  #lastPlace(): number {
    const last = this.#open.at(-1) ?? this.#settled?.span.last;
    return last === undefined ? 0 : placeOf(last);
  }

  #canKeep(span: Span): boolean {
    if (span.metUsedBefore || (this.#settled !== undefined && !mayFollow(this.#settled, span))) return false;
    for (const id of span.callIds) if (this.#usedIds.has(id)) return false;
    return true;
  }

  #link(span: Span): void {
    for (const id of span.callIds) this.#usedIds.add(id);
    this.#settled = linkSpan(this.#settled, span, this.#facts().rules);
    this.#row.push(this.#settled);
  }

  #takeUp(link: SpanLink): void {
    for (const id of link.span.callIds) this.#usedIds.delete(id);
    this.#row.pop(link);
    this.#settled = link.previous;
  }
}
