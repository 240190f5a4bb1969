import type { Event } from '../../events/index.ts';

/** Where an event stands: at its seq, a summary just before the last event that it covers. */
export function placeOf(event: Event): number {
  const { compaction } = event.actions;
  if (compaction === undefined) return event.seq * 2 + 1;
  let last = 0;
  for (const [, to] of compaction.covers) last = Math.max(last, to);
  return Math.min(last, event.seq) * 2;
}

/** A sort order of events by place. */
export function byPlace(a: Event, b: Event): number {
  return placeOf(a) - placeOf(b) || a.seq - b.seq;
}

/** Puts events, themselves in any order, into a list that is in order of place. */
export function insertByPlace(ordered: readonly Event[], inserted: readonly Event[]): readonly Event[] {
  if (inserted.length === 0) return ordered;
  const waiting = [...inserted].sort(byPlace);
  const result: Event[] = [];
  let next = 0;
  for (const event of ordered) {
    const place = placeOf(event);
    for (let first = waiting[next]; first !== undefined && placeOf(first) < place; first = waiting[++next])
      result.push(first);
    result.push(event);
  }
  return result.concat(waiting.slice(next));
}
