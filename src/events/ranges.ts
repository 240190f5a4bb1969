/** An inclusive range of seqs. */
export type SeqRange = readonly [from: number, to: number];

/** Sorted, disjoint, merged where they touch. */
export function normalizeRanges(ranges: Iterable<SeqRange>): SeqRange[] {
  const sorted = [...ranges].filter(([from, to]) => from <= to).sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Index of the range that holds the seq in a sorted, disjoint list, or -1. Logarithmic. */
export function rangeAt(ranges: readonly SeqRange[], seq: number): number {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const [from, to] = ranges[middle] ?? [0, 0];
    if (seq < from) high = middle - 1;
    else if (seq > to) low = middle + 1;
    else return middle;
  }
  return -1;
}

/** True if a seq from one to the other, both included, lies in a sorted, disjoint list. Logarithmic. */
export function rangesMeet(ranges: readonly SeqRange[], [from, to]: SeqRange): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.[1] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  const first = ranges[low];
  return first !== undefined && from <= to && first[0] <= to;
}

/** What lies in `ranges` and not in `taken`; both sorted and disjoint. */
export function subtractRanges(ranges: readonly SeqRange[], taken: readonly SeqRange[]): SeqRange[] {
  const rest: SeqRange[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    let start = from;
    while (at < taken.length && (taken[at]?.[1] ?? 0) < start) at++;
    for (let next = at; next < taken.length; next++) {
      const [first, last] = taken[next] ?? [0, 0];
      if (first > to) break;
      if (first > start) rest.push([start, first - 1]);
      start = last + 1;
    }
    if (start <= to) rest.push([start, to]);
  }
  return rest;
}

/** What lies in both; both sorted and disjoint. */
export function intersectRanges(a: readonly SeqRange[], b: readonly SeqRange[]): SeqRange[] {
  return subtractRanges(a, subtractRanges(a, b));
}

/** How many seqs the ranges hold. */
export function countRanges(ranges: readonly SeqRange[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}
