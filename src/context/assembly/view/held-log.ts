import {
  type Coverage,
  type Event,
  intersectRanges,
  normalizeRanges,
  type SeqRange,
  subtractRanges,
} from '../../../events/index.ts';

/** How far an event gets: the last stage that lets it through. */
export const stages = { none: 0, rewind: 1, visibility: 2, masking: 3, speech: 4, window: 5 } as const;

/** One of the stages. */
export type Stage = (typeof stages)[keyof typeof stages];

/** The events that a view was given, in order of seq, and how far each of them gets. Never forgets one. */
export class HeldLog {
  readonly events: Event[] = [];
  readonly #stages: Stage[] = [];
  readonly #counts: [number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0];
  readonly #firstOnBranch = new Map<string, number>();

  /** Adds an event above all others; its index. */
  add(event: Event): number {
    const { seq, branch } = event;
    if (branch !== undefined && !this.#firstOnBranch.has(branch)) this.#firstOnBranch.set(branch, seq);
    this.#stages.push(stages.none);
    this.#counts[stages.none]++;
    return this.events.push(event) - 1;
  }

  stageAt(index: number): Stage {
    return this.#stages[index] ?? stages.none;
  }

  stageOf(seq: number): Stage {
    const index = this.indexFrom(seq);
    return this.events[index]?.seq === seq ? this.stageAt(index) : stages.none;
  }

  setStage(index: number, stage: Stage): void {
    this.#counts[this.stageAt(index)]--;
    this.#counts[stage]++;
    this.#stages[index] = stage;
  }

  /** How many events the stage and all before it let through. */
  countAt(stage: Stage): number {
    return this.#counts.slice(stage).reduce((sum, count) => sum + count, 0);
  }

  get(seq: number): Event | undefined {
    const event = this.events[this.indexFrom(seq)];
    return event?.seq === seq ? event : undefined;
  }

  holds(seq: number): boolean {
    return this.get(seq) !== undefined;
  }

  /** Index of the first event at or above a seq. */
  indexFrom(seq: number): number {
    // Nothing is missing, as a rule.
    const guess = Math.max(0, seq - (this.events[0]?.seq ?? 1));
    if (this.events[guess]?.seq === seq) return guess;
    let low = 0;
    let high = Math.min(guess, this.events.length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.events[middle]?.seq ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Seq of the first event on a branch. */
  firstOn(branch: string): number {
    return this.#firstOnBranch.get(branch) ?? Number.POSITIVE_INFINITY;
  }

  /** Indexes of the events in some ranges, which are in order. */
  *indexesIn(ranges: readonly SeqRange[]): Iterable<number> {
    for (const [from, to] of ranges) {
      for (let index = this.indexFrom(from); (this.events[index]?.seq ?? Number.POSITIVE_INFINITY) <= to; index++)
        yield index;
    }
  }

  /** True if an event of the ranges, up to the given seq, was never given. */
  lacks(ranges: readonly SeqRange[], throughSeq: number): boolean {
    return intersectRanges(ranges, [[1, throughSeq]]).some(
      ([from, to]) => this.indexFrom(to + 1) - this.indexFrom(from) < to - from + 1,
    );
  }

  /** True if an event that is live and not covered, up to the given seq, was never given. */
  lacksLive({ hidden, summaries }: Coverage, throughSeq: number): boolean {
    const held = normalizeRanges(this.events.map(({ seq }): SeqRange => [seq, seq]));
    const settled = normalizeRanges([...held, ...hidden, ...summaries.flatMap(({ compaction }) => compaction.covers)]);
    return subtractRanges([[1, throughSeq]], settled).length > 0;
  }
}
