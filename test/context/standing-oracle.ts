import type { Event, View } from '../../src/events/index.ts';
import { type CallOracle, type ExpectedCall, type ExpectedResponse, pairCalls } from './call-oracle.ts';
import { type LogOracle, oracleOf } from './log-oracle.ts';
import { isAboutTheLog, isSpoken, speakerIn } from './speech.ts';
import { insideOf } from './window-oracle.ts';

/** What of a log stands in front of a view, worked out the slow way. */
export interface StandingOracle {
  readonly log: LogOracle;
  readonly calls: CallOracle;
  /** In the order of their places: that of seq, but a summary stands where the last event that it covers stood. */
  readonly standing: readonly Event[];
  has(seq: number): boolean;
  /** Seq of the summary that stands for an event. */
  maskedBy(seq: number): number | undefined;
  /** True if the view's history does not take the event in, or not the summary that covers it. */
  isCutOff(seq: number): boolean;
  /** The newest result of a call that neither a summary nor the history takes away. */
  answerTo(call: ExpectedCall): ExpectedResponse | undefined;
}

/** Makes an oracle. */
export function standingOracleOf(events: readonly Event[], view: View): StandingOracle {
  const log = oracleOf(events, view);
  const seen = events.filter((event) => log.whyHidden(event) === undefined && isOfTheTalk(event, log));
  const calls = pairCalls(seen);
  const kept = keptOf(seen, log, calls);
  const covering = ({ seq, actions }: Event) =>
    actions.compaction !== undefined || kept.has(seq) ? undefined : log.summariesOf(seq)[0]?.seq;
  const masked = new Map(seen.map((event) => [event.seq, covering(event)]));
  for (const { seq, actions } of events) {
    const [from] = actions.compaction?.covers[0] ?? [];
    if (from !== undefined && !log.isInForce(seq)) masked.set(seq, log.summariesOf(from)[0]?.seq);
  }
  const unmasked = seen.filter(({ seq }) => masked.get(seq) === undefined).sort(byPlace);
  const spoken = unmasked.filter((event) => isSpoken(event, view));
  const isInside = insideOf(spoken, view.history, calls);
  const inside = spoken.filter((event) => isInside(event) || kept.has(event.seq));
  const standing = withCallsOf(inside, view, calls).sort(byPlace);
  const seqs = new Set(standing.map(({ seq }) => seq));
  const cutOff = new Set(spoken.flatMap(({ seq }) => (seqs.has(seq) ? [] : seq)));
  return {
    log,
    calls,
    standing,
    has: (seq) => seqs.has(seq),
    maskedBy: (seq) => (seqs.has(seq) ? undefined : masked.get(seq)),
    isCutOff: (seq) => cutOff.has(masked.get(seq) ?? seq),
    answerTo: ({ answers }) => answers.findLast(({ event }) => seqs.has(event.seq)),
  };
}

function isOfTheTalk(event: Event, log: LogOracle): boolean {
  return event.actions.compaction === undefined ? !isAboutTheLog(event) : log.isInForce(event.seq);
}

/** Pins and what answers pinned calls, and the live question. */
function keptOf(seen: readonly Event[], log: LogOracle, calls: CallOracle): ReadonlySet<number> {
  const isKept = ({ seq, content }: Event) =>
    log.isPinned(seq) ||
    seq === log.liveQuestion ||
    content?.parts.some((part) => log.isPinned(calls.responseOf(part)?.call?.event.seq ?? 0)) === true;
  return new Set(seen.filter(isKept).map(({ seq }) => seq));
}

/** The same with the agent's own calls that they answer, and what these answer. */
function withCallsOf(inside: readonly Event[], view: View, calls: CallOracle): Event[] {
  const all = new Set(inside);
  for (const { content } of all)
    for (const part of content?.parts ?? []) {
      const called = calls.responseOf(part)?.call?.event;
      if (called !== undefined && speakerIn(called, view) === 'self') all.add(called);
    }
  return [...all];
}

function placeOf({ seq, actions: { compaction } }: Event): number {
  return compaction === undefined ? seq : Math.min(seq, Math.max(...compaction.covers.map(([, to]) => to))) - 0.5;
}

function byPlace(a: Event, b: Event): number {
  return placeOf(a) - placeOf(b) || a.seq - b.seq;
}
