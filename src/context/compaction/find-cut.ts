import type { Survey, SurveyedEvent } from './survey-window.ts';

/** How much of the newest events of a branch and scope stays verbatim. */
export type Retain = { readonly events: number } | { readonly tokens: number } | { readonly invocations: number };

/** Where a fold may end. */
export interface CutOptions {
  /** Only where an invocation begins; else wherever no pair is parted. */
  readonly between?: 'invocations';
  /** Nothing newer is folded. */
  readonly throughSeq?: number;
  readonly retain?: Retain;
  /** How much one fold takes at most; a first whole piece is taken whatever its size. */
  readonly most?: { readonly tokens?: number; readonly invocations?: number };
}

/** Seq of the last event that a fold may take, if it may take any; open calls do not count here. */
export function findCut({ events }: Survey, options: CutOptions & { readonly below?: number }): number | undefined {
  const { between, throughSeq = Number.POSITIVE_INFINITY, below = Number.POSITIVE_INFINITY, retain, most } = options;
  const limit = Math.min(throughSeq, below - 1, retain === undefined ? below : firstRetained(events, retain) - 1);
  const ends = between === 'invocations' ? invocationEnds(events) : events.map(({ event }) => event.seq);
  const reached = ends.filter((end) => end <= limit);
  return most === undefined ? reached.at(-1) : endWithin(reached, events, most);
}

/** Seq of the first event that is retained. */
export function firstRetained(events: readonly SurveyedEvent[], retain: Retain): number {
  if ('tokens' in retain) {
    let tokens = 0;
    const first = events.findLast((one) => {
      tokens += one.tokens;
      return tokens >= retain.tokens;
    });
    return first?.event.seq ?? 0;
  }
  if ('events' in retain) return events.at(-retain.events)?.event.seq ?? 0;
  return events[invocationBegins(events).at(-retain.invocations) ?? 0]?.event.seq ?? 0;
}

/** Indexes of the events that are the first of their invocation; what an older one says later begins nothing. */
export function invocationBegins(events: readonly SurveyedEvent[]): readonly number[] {
  const met = new Set<string>();
  const begins: number[] = [];
  for (const [index, { event }] of events.entries()) {
    if (!met.has(event.invocationId)) begins.push(index);
    met.add(event.invocationId);
  }
  return begins;
}

/** Seqs of the events behind which an invocation begins, and of the last one. */
function invocationEnds(events: readonly SurveyedEvent[]): readonly number[] {
  const ends = invocationBegins(events).slice(1);
  return [...ends, events.length].flatMap((begin) => events[begin - 1]?.event.seq ?? []);
}

/** The last of the ends up to which no more than that is folded, but at least the first up to which anything is. */
function endWithin(
  ends: readonly number[],
  events: readonly SurveyedEvent[],
  { tokens: mostTokens = Number.POSITIVE_INFINITY, invocations }: NonNullable<CutOptions['most']>,
): number | undefined {
  const pieces = events.filter(({ kept }) => kept === undefined).sort((a, b) => a.wholeAt - b.wholeAt);
  const first = Math.min(...pieces.map(({ event }) => event.seq));
  const ahead = invocationEnds(events).filter((end) => end >= first);
  const farthest = (invocations === undefined ? undefined : ahead[invocations - 1]) ?? Number.POSITIVE_INFINITY;
  let chosen: number | undefined;
  let tokens = 0;
  let next = 0;
  for (const end of ends) {
    for (let piece = pieces[next]; piece !== undefined && piece.wholeAt <= end; piece = pieces[++next])
      tokens += piece.tokens;
    if (next === 0) continue;
    if (chosen !== undefined && (tokens > mostTokens || end > farthest)) break;
    chosen = end;
  }
  return chosen;
}
