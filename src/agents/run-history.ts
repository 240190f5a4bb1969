import { PalimpsestError } from '../errors/index.ts';
import {
  type Coverage,
  type Event,
  type EventInput,
  estimateTokens,
  foldCoverage,
  intersectRanges,
  isBookkeeping,
  normalizeRanges,
  type SeqRange,
  type SessionKey,
  subtractRanges,
  textOf,
} from '../events/index.ts';
import { analyze, queryTerms } from '../memory/service/index.ts';
import { maxPageSize, type SessionService } from '../sessions/index.ts';
import {
  type AskedFold,
  type HistoryOptions,
  looksUpHistory,
  type ReadHistory,
  type ToldSummary,
  type ToolHistory,
  toldText,
} from './tools/index.ts';

const defaultBudget = 2000;
const newest = Number.MAX_SAFE_INTEGER;

/** What the history of a run is read from, and how its marks are stored. */
export interface HistoryParts {
  readonly sessions: Pick<SessionService, 'read' | 'readBookkeeping'>;
  readonly key: SessionKey;
  readonly record: (events: readonly EventInput[]) => Promise<readonly Event[]>;
  /** Has the conversation folded when the run is over. */
  readonly ask: (asked: AskedFold) => void;
}

/** The conversation of a run for its tools: nothing of other isolation scopes, nothing that a rewind hides. */
export class RunHistory implements ToolHistory {
  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  async pin(seqs: readonly number[]): Promise<void> {
    await this.#mark({ pin: { seqs: [...seqs] } });
  }

  async unpin(seqs: readonly number[]): Promise<void> {
    await this.#mark({ unpin: { seqs: [...seqs] } });
  }

  compact(asked: AskedFold): void {
    this.#parts.ask(asked);
  }

  async summaries(): Promise<readonly ToldSummary[]> {
    const { summaries } = await this.#coverage();
    return summaries
      .filter(({ compaction }) => compaction.isolationScope === undefined)
      .map(({ seq, compaction }) => ({ seq, covers: compaction.covers, text: textOf(compaction.content) }));
  }

  async read(options: HistoryOptions = {}): Promise<ReadHistory> {
    const { query, tokenBudget = defaultBudget } = options;
    const found: Event[] = [];
    for (const range of rangesOf(options, await this.#coverage()))
      for await (const event of this.#eventsIn(range)) if (isToBeRead(event)) found.push(event);
    return withinBudget(query === undefined ? found : byWords(found, query), tokenBudget);
  }

  async #mark(actions: NonNullable<EventInput['actions']>): Promise<void> {
    await this.#parts.record([{ author: 'system', actions }]);
  }

  async #coverage(): Promise<Coverage> {
    const { sessions, key } = this.#parts;
    return foldCoverage(await sessions.readBookkeeping(key));
  }

  async *#eventsIn([fromSeq, toSeq]: SeqRange): AsyncGenerator<Event, void, undefined> {
    const { sessions, key } = this.#parts;
    for (let cursor: string | undefined; ; ) {
      const to = toSeq === newest ? {} : { toSeq };
      const page = await sessions.read(key, { fromSeq, ...to, limit: maxPageSize, ...(cursor ? { cursor } : {}) });
      yield* page.items;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }
}

function rangesOf({ summary, fromSeq = 1, toSeq = newest }: HistoryOptions, coverage: Coverage): readonly SeqRange[] {
  if (fromSeq > toSeq) throw bad('fromSeq', `must not be above toSeq, ${toSeq}`);
  const wanted: readonly SeqRange[] = [[fromSeq, toSeq]];
  const live = subtractRanges(wanted, coverage.hidden);
  if (summary === undefined) return live;
  const found = coverage.summaries.find(({ seq }) => seq === summary);
  if (found === undefined) throw bad('summary', `must be the seq of a summary in force, which ${summary} is not`);
  return intersectRanges(live, normalizeRanges([...found.compaction.covers]));
}

function isToBeRead(event: Event): boolean {
  if (event.isolationScope !== undefined || isBookkeeping(event) || looksUpHistory(event)) return false;
  return toldText(event) !== '';
}

/** The events that have words of a query, those with most of them first. */
function byWords(events: readonly Event[], query: string): readonly Event[] {
  const wanted = new Set(queryTerms(query).flatMap(({ term, role }) => (role === 'find' ? term : [])));
  const scored = events.map((event) => ({ event, score: countTerms(event, wanted) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || b.event.seq - a.event.seq)
    .map(({ event }) => event);
}

function countTerms(event: Event, wanted: ReadonlySet<string>): number {
  const terms = new Set(analyze(toldText(event)).map(({ term }) => term));
  let count = 0;
  for (const term of wanted) if (terms.has(term)) count++;
  return count;
}

function withinBudget(events: readonly Event[], budget: number): ReadHistory {
  const kept: Event[] = [];
  let left = budget;
  for (const event of events) {
    const tokens = event.tokens?.n ?? estimateTokens.count(toldText(event));
    // One is told in any case: it may be cut where it is told.
    if (kept.length > 0 && tokens > left) continue;
    left -= tokens;
    kept.push(event);
  }
  return { events: kept.sort((a, b) => a.seq - b.seq), more: events.length - kept.length };
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
