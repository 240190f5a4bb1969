import {
  answers,
  asks,
  type Compaction,
  type Event,
  functionResponses,
  hiddenFrom,
  isSameOrAbove,
  normalizeRanges,
  type SeqRange,
  type SessionKey,
  type StandingBookkeeping,
  subtractRanges,
  textOf,
  type View,
} from '../events/index.ts';
import { CallSearch } from './call-search.ts';
import { requireHead } from './commit-loop.ts';
import { LogView } from './log-view.ts';
import type { SessionParts } from './session-parts.ts';
import type { LiveWindow } from './session-service.ts';
import type { SessionHead } from './session-store.ts';

/**
 * The events of a log that the next request is made of, as they stood at one moment. Takes time in what it returns and,
 * where this process has not read it yet, in the log's bookkeeping.
 */
export async function readLiveWindow(parts: SessionParts, key: SessionKey, view: View): Promise<LiveWindow> {
  for (let head = await requireHead(parts, key); ; ) {
    const window = await new WindowReader(parts, head, view).read();
    const now = await requireHead(parts, key);
    // The log is read piece by piece; the pieces belong together unless some of it was removed meanwhile.
    if (now.incarnation === head.incarnation && now.erasures === head.erasures) return window;
    head = now;
  }
}

interface Endings {
  readonly ended: ReadonlySet<string>;
  readonly unseen: readonly SeqRange[];
}

/** Reads the window of a log at the version of a head. */
class WindowReader {
  readonly #parts: SessionParts;
  readonly #head: SessionHead;
  readonly #view: View;
  readonly #log: LogView;

  constructor(parts: SessionParts, head: SessionHead, view: View) {
    this.#parts = parts;
    this.#head = head;
    this.#view = view;
    this.#log = new LogView(parts.store, head.key);
  }

  async read(): Promise<LiveWindow> {
    const { version } = this.#head;
    const standing = await this.#parts.bookkeeping.read(this.#parts.store, this.#head);
    const { coverage } = standing;
    const summaries = coverage.summaries.map(({ compaction }) => compaction).filter(standsForItsEvents);
    const unread = rangesOf(summaries);
    const seen = await this.#readAll(uncoveredRanges(standing, unread, version));
    const { ended, unseen } = this.#endings(seen, summaries);
    const isVisible = (one: Pick<Event, 'branch' | 'isolationScope'>) =>
      hiddenFrom(one, this.#view, (branch) => ended.has(branch)) === undefined;
    const shown = summaries.filter(isVisible);
    const search = new CallSearch({
      log: this.#log,
      version,
      covered: rangesOf(shown),
      unpaired: normalizeRanges(shown.flatMap(({ outline }) => outline?.unpaired ?? [])),
      isSeen: (event) => coverage.isLive(event.seq) && isVisible(event),
      pinned: coverage.pinned,
    });
    const known = [...seen, ...(await search.find(seen, await this.#readAll(unseen)))].sort(bySeq);
    known.push(...(await this.#readAll(questionBehind(known.filter(isVisible), shown))));
    const events = [...standing.events, ...marksOf(known, standing), ...known].sort(bySeq);
    return Object.freeze({ events: Object.freeze(events), coverage, version });
  }

  async #readAll(ranges: readonly SeqRange[]): Promise<Event[]> {
    const events: Event[] = [];
    for await (const page of this.#log.pages(ranges)) events.push(...page);
    return events;
  }

  /** Branches below the view's whose agents have ended, and where covered events say so that nothing else does. */
  #endings(seen: readonly Event[], summaries: readonly Compaction[]): Endings {
    const ended = new Set<string>();
    const unseen: SeqRange[] = [];
    const { branch: own } = this.#view;
    const isBelow = (branch: string | undefined): branch is string =>
      own !== undefined && branch !== undefined && branch !== own && isSameOrAbove(own, branch);
    for (const { actions, branch } of seen) if (actions.endOfAgent === true && isBelow(branch)) ended.add(branch);
    for (const { branch, outline } of summaries) {
      if (outline?.ended === undefined || !isBelow(branch) || ended.has(branch)) continue;
      ended.add(branch);
      unseen.push([outline.ended, outline.ended]);
    }
    return { ended, unseen: normalizeRanges(unseen) };
  }
}

/** True if nobody has to read what a summary covers: it says something, and its outline the rest. */
function standsForItsEvents({ content, outline }: Compaction): boolean {
  return outline !== undefined && textOf(content).trim() !== '';
}

function bySeq(a: Event, b: Event): number {
  return a.seq - b.seq;
}

function rangesOf(summaries: readonly Compaction[]): SeqRange[] {
  return normalizeRanges(summaries.flatMap(({ covers }) => covers));
}

/** What is live and not left out for a summary, or pinned; bookkeeping that has been read already is no part of it. */
function uncoveredRanges(
  { coverage, events, dormant, idle }: StandingBookkeeping,
  unread: readonly SeqRange[],
  version: number,
): SeqRange[] {
  const pinned = [...coverage.pinned].map((seq): SeqRange => [seq, seq]);
  const wanted = normalizeRanges([...subtractRanges([[1, version]], unread), ...pinned]);
  const own = [...events, ...dormant].map(({ seq }): SeqRange => [seq, seq]);
  return subtractRanges(wanted, normalizeRanges([...coverage.hidden, ...own, ...idle]));
}

/**
 * The covered event without which a reader would be wrong about the live question: a question that is newer than all
 * that is known, or the answer to a question that is known.
 */
function questionBehind(known: readonly Event[], shown: readonly Compaction[]): SeqRange[] {
  const newest = known.findLast((event) => asks(event) || answers(event));
  const covered = Math.max(0, ...shown.map(({ outline }) => outline?.asked ?? outline?.answered ?? 0));
  if (covered <= (newest?.seq ?? 0)) return [];
  const isQuestion = shown.some(({ outline }) => outline?.asked === covered);
  return isQuestion || (newest !== undefined && asks(newest)) ? [[covered, covered]] : [];
}

/** Trims of covered events that are in the window after all. */
function marksOf(shown: readonly Event[], { dormant }: StandingBookkeeping): readonly Event[] {
  if (dormant.length === 0) return [];
  const seqs = new Set(shown.filter(({ content }) => functionResponses(content).length > 0).map(({ seq }) => seq));
  return seqs.size === 0 ? [] : dormant.filter(({ actions }) => actions.trim?.seqs.some((seq) => seqs.has(seq)));
}
