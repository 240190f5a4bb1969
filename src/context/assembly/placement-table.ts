import type { Event } from '../../events/index.ts';
import type { HiddenWhy, Placement } from './assembly.ts';

/** The placement of an event that stands as it was said. */
export const verbatim: Placement = Object.freeze({ outcome: 'verbatim' });

const narrated: Placement = Object.freeze({ outcome: 'narrated' });
const summary: Placement = Object.freeze({ outcome: 'summary' });
const trimmed: Placement = Object.freeze({ outcome: 'trimmed' });

const hiddenBecause = (why: HiddenWhy): Placement => Object.freeze({ outcome: 'hidden', why });
const hidden: Readonly<Record<HiddenWhy, Placement>> = {
  rewound: hiddenBecause('rewound'),
  branch: hiddenBecause('branch'),
  scope: hiddenBecause('scope'),
  empty: hiddenBecause('empty'),
  auth: hiddenBecause('auth'),
  window: hiddenBecause('window'),
  bookkeeping: hiddenBecause('bookkeeping'),
  orphanCall: hiddenBecause('orphanCall'),
  orphanResponse: hiddenBecause('orphanResponse'),
};

/** What the stages found out about events. Only what is not verbatim is written down, so it stays small. */
export class PlacementTable {
  readonly #told = new Map<number, Placement>();
  #hasSetAside = false;

  hide(seq: number, why: HiddenWhy): void {
    if (why === 'window') this.#hasSetAside = true;
    this.#told.set(seq, hidden[why]);
  }

  mask(seq: number, by: number): void {
    this.#hasSetAside = true;
    this.#told.set(seq, Object.freeze({ outcome: 'masked', by }));
  }

  merge(seq: number, into: number): void {
    this.#told.set(seq, Object.freeze({ outcome: 'merged', into }));
  }

  narrate(seq: number): void {
    this.#told.set(seq, narrated);
  }

  summarize(seq: number): void {
    this.#told.set(seq, summary);
  }

  trim(seq: number): void {
    this.#told.set(seq, trimmed);
  }

  /** Takes back of events that are here again that they were masked or cut off by the window. */
  recover(events: readonly Event[]): void {
    if (this.#hasSetAside) for (const { seq } of events) if (this.isSetAside(seq)) this.#told.delete(seq);
  }

  isVerbatim(seq: number): boolean {
    return !this.#told.has(seq);
  }

  /** True if masking or the window took any event away. */
  get hasSetAside(): boolean {
    return this.#hasSetAside;
  }

  /** True if masking or the window took the event away. */
  isSetAside(seq: number): boolean {
    if (!this.#hasSetAside) return false;
    const told = this.#told.get(seq);
    return told?.outcome === 'masked' || (told?.outcome === 'hidden' && told.why === 'window');
  }

  /** What was written down; what a summary masks shares its fate where the summary itself is hidden. */
  told(seq: number): Placement | undefined {
    const told = this.#told.get(seq);
    return told?.outcome === 'masked' ? this.behind(told.by) : told;
  }

  /** The placement of what the given summary covers, or `undefined` if that is no summary of this request. */
  behind(summarySeq: number): Placement | undefined {
    const told = this.#told.get(summarySeq);
    if (told?.outcome === 'summary') return Object.freeze({ outcome: 'masked', by: summarySeq });
    return told?.outcome === 'hidden' ? told : undefined;
  }
}
