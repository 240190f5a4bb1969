import type { Event } from '../../events/index.ts';

/** The events by seq, each seq once. A list that is in order already is returned as it is. */
export function orderBySeq(events: Iterable<Event>): readonly Event[] {
  const list: readonly Event[] = Array.isArray(events) ? events : [...events];
  let before = Number.NEGATIVE_INFINITY;
  for (const { seq } of list) {
    if (!(seq > before)) return withoutRepeats([...list].sort((a, b) => a.seq - b.seq));
    before = seq;
  }
  return list;
}

function withoutRepeats(sorted: readonly Event[]): readonly Event[] {
  return sorted.filter((event, index) => sorted[index - 1]?.seq !== event.seq);
}

/** True if an event of that seq is among the first `length` of an ordered list. Logarithmic. */
export function holdsSeq(ordered: readonly Event[], length: number, seq: number): boolean {
  let low = 0;
  let high = length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = ordered[middle]?.seq ?? Number.NaN;
    if (found === seq) return true;
    if (found < seq) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
