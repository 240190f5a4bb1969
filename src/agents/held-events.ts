import {
  type Assembly,
  type ContextView,
  createContextView,
  SettledFold,
  type TokenSum,
} from '../context/assembly/index.ts';
import {
  type Event,
  foldCoverage,
  isBookkeeping,
  type RequestJournal,
  type SeqRange,
  type View,
} from '../events/index.ts';
import { canonicalJson } from '../internal/index.ts';
import { InternedBlocks } from './interned-blocks.ts';
import { type OpenCall, OpenCalls } from './open-calls.ts';
import type { MarkedRequest } from './plan-cache.ts';
import type { RequestLines } from './request-hashes.ts';
import { newestJournal } from './request-journal.ts';
import type { References } from './request-media.ts';

/** At most so many views of one log are kept up to date. */
const mostViews = 8;

/** From so many events on that summaries stand for by now, it pays to read the log anew. */
const fewCovered = 1000;

/** A view of a log, and what is known of how the request began that was made of it last. */
export interface HeldView {
  readonly assembly: Assembly;
  readonly hashes: SettledFold<RequestLines>;
  readonly sums: SettledFold<TokenSum>;
  readonly references: SettledFold<References>;
  readonly blocks: InternedBlocks;
  /** The marks of the request that was made of it last. */
  marked?: MarkedRequest;
}

interface KeptView extends HeldView {
  readonly view: ContextView;
  /** How many of the events held it was given. */
  given: number;
}

/**
 * Events of a log that are held while it grows: all of them, or those that its next requests are made of. Views of them
 * are kept, so that a request costs what is new.
 */
export class HeldEvents {
  /** True if all events of the log are here, rewound and covered ones as well. */
  readonly isWhole: boolean;
  /** Hashes of texts of requests that the session is known to keep. */
  readonly keptTexts = new Set<string>();
  readonly #events: Event[];
  /** How many events were there at first, and the version that the log had then. */
  readonly #first: { readonly count: number; readonly version: number };
  readonly #views = new Map<string, KeptView>();
  #version: number;
  #covered = 0;
  #isOutdated = false;
  #calls: OpenCalls | undefined;
  /** Events that answer requests and have come since, hidden by now or not. */
  readonly #sent: Event[] = [];
  readonly #sentBefore = new Map<string, RequestJournal | undefined>();

  constructor(events: Iterable<Event>, { version, isWhole }: { readonly version: number; readonly isWhole: boolean }) {
    this.#events = [...events];
    this.isWhole = isWhole;
    this.#version = version;
    this.#first = { count: this.#events.length, version };
  }

  /** In order of seq. Only grows, so that it may be read on later. */
  get events(): readonly Event[] {
    return this.#events;
  }

  /** Seq of the newest event of the log that is known. */
  get version(): number {
    return this.#version;
  }

  /** True if the events have to be read anew: some may be missing, or most are not needed any longer. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** Takes in what comes next; anything else is left alone. */
  push(event: Event): void {
    if (event.seq !== this.#version + 1) return;
    this.#events.push(event);
    this.#version = event.seq;
    const { rewind, compaction } = event.actions;
    if (event.request !== undefined) this.#sent.push(event);
    if (rewind !== undefined) {
      this.#calls = undefined;
      this.#isOutdated ||= !this.isWhole && this.#mayBringBack(rewind.fromSeq, event.seq);
    } else this.#calls?.add(event);
    if (compaction === undefined || this.isWhole) return;
    for (const range of compaction.covers) this.#covered += this.#countIn(range);
    this.#isOutdated ||= this.#covered >= fewCovered && this.#covered * 2 > this.#events.length;
  }

  /**
   * The journal of the last request of an agent to a provider, whatever became of its answer. `search` looks for it in
   * the log below a seq, if it is not among what has come since.
   */
  async lastJournal(
    view: View,
    search: (below: number) => Promise<RequestJournal | undefined>,
  ): Promise<RequestJournal | undefined> {
    const newest = newestJournal(this.#sent, view);
    if (newest !== undefined) return newest;
    const name = canonicalJson([view.agentName, view.provider]);
    if (!this.#sentBefore.has(name)) this.#sentBefore.set(name, await search(this.#first.version + 1));
    return this.#sentBefore.get(name);
  }

  /** Calls of live events that nothing has answered and whose answer is not to come later, in order. */
  openCalls(): readonly OpenCall[] {
    this.#calls ??= new OpenCalls(this.live());
    return this.#calls.list();
  }

  /** The live events, without bookkeeping. */
  live(): readonly Event[] {
    const bookkeeping = this.#events.filter(isBookkeeping);
    const { isLive } = foldCoverage(bookkeeping);
    return bookkeeping.length === 0
      ? this.#events
      : this.#events.filter((event) => !isBookkeeping(event) && isLive(event.seq));
  }

  /** What an agent is given of the log; `undefined` if events are missing for that, which are then to be read anew. */
  viewBy(view: View): HeldView | undefined {
    const name = canonicalJson(view);
    const kept = this.#views.get(name) ?? this.#newView(view);
    this.#views.delete(name);
    for (; kept.given < this.#events.length; kept.given++) {
      const event = this.#events[kept.given];
      if (event === undefined || kept.view.push(event) === 'ok') continue;
      this.#isOutdated = true;
      return undefined;
    }
    this.#views.set(name, kept);
    const [oldest] = this.#views.keys();
    if (this.#views.size > mostViews && oldest !== undefined) this.#views.delete(oldest);
    return kept;
  }

  #newView(given: View): KeptView {
    const { count, version } = this.#first;
    const view = createContextView(given, this.#events.slice(0, count), version);
    return {
      view,
      given: count,
      hashes: new SettledFold(),
      sums: new SettledFold(),
      references: new SettledFold(),
      blocks: new InternedBlocks(),
      get assembly() {
        return view.assembly();
      },
    };
  }

  /** True if a rewind may bring back what was never read: it hides what hides or covers events, or what is not here. */
  #mayBringBack(fromSeq: number, rewindSeq: number): boolean {
    const span = this.#events.slice(this.#indexFrom(fromSeq), this.#indexFrom(rewindSeq));
    if (span.length !== rewindSeq - fromSeq) return true;
    return span.some(({ actions }) => {
      const { rewind, compaction, pin, unpin, trim } = actions;
      return (rewind ?? compaction ?? pin ?? unpin ?? trim) !== undefined;
    });
  }

  #countIn([from, to]: SeqRange): number {
    return this.#indexFrom(to + 1) - this.#indexFrom(from);
  }

  /** Index of the first event from a seq on. */
  #indexFrom(seq: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.seq ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
