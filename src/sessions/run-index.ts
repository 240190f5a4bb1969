import type { Event, SeqRange } from '../events/index.ts';

/** Where the runs of invocations start in a log. A run goes on until the next start of any. */
export class RunIndex {
  readonly #starts: number[] = [];
  /** Most invocations run once, hence no list for those. */
  readonly #byInvocation = new Map<string, number | number[]>();

  /** Notes that a run starts with this event. */
  add({ seq, invocationId }: Pick<Event, 'seq' | 'invocationId'>): void {
    insert(this.#starts, seq);
    const own = this.#byInvocation.get(invocationId);
    if (own === undefined) this.#byInvocation.set(invocationId, seq);
    else if (typeof own === 'number') this.#byInvocation.set(invocationId, own < seq ? [own, seq] : [seq, own]);
    else insert(own, seq);
  }

  /** True if a run starts at this seq. */
  startsAt(seq: number): boolean {
    return this.#starts[countUpTo(this.#starts, seq) - 1] === seq;
  }

  /** Where an invocation runs within ranges, lazily, in order or from the newest on. */
  *within(invocationId: string, ranges: readonly SeqRange[], newestFirst: boolean): Generator<SeqRange> {
    const own = this.#byInvocation.get(invocationId) ?? [];
    const starts = typeof own === 'number' ? [own] : own;
    for (const [from, to] of newestFirst ? [...ranges].reverse() : ranges) {
      // The run that began before a range may reach into it.
      const first = Math.max(0, countUpTo(starts, from) - 1);
      const last = countUpTo(starts, to) - 1;
      for (let at = 0; first + at <= last; at++) {
        const start = starts[newestFirst ? last - at : first + at] ?? 0;
        const next = this.#starts[countUpTo(this.#starts, start)] ?? Number.POSITIVE_INFINITY;
        yield [Math.max(start, from), Math.min(next - 1, to)];
      }
    }
  }
}

/** Puts a seq in its place among ascending ones: nearly always the end. */
function insert(seqs: number[], seq: number): void {
  if ((seqs.at(-1) ?? 0) < seq) seqs.push(seq);
  else seqs.splice(countUpTo(seqs, seq), 0, seq);
}

/** How many of the ascending seqs are not beyond this one. */
function countUpTo(seqs: readonly number[], seq: number): number {
  let [low, high] = [0, seqs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((seqs[middle] ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
