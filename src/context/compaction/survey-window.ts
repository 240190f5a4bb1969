import { asks, type Event, isBookkeeping } from '../../events/index.ts';
import { CallBonds, type Obligation } from './call-bonds.ts';
import { eventTokens } from './event-tokens.ts';
import { type FoldPlace, type FoldWindow, foldPlaceOf, keyOfPlace } from './fold-window.ts';
import { liveQuestions } from './live-questions.ts';

/**
 * Why an event is left verbatim: its run is under way; it is pinned; it is the live question; it has an open call; it has
 * a call that nobody will answer any more; the final word on its long-running call has not come; what it belongs with
 * stays.
 */
export type KeptReason = 'running' | 'pinned' | 'question' | 'openCall' | 'deadCall' | 'longRunning' | 'pair';

/** One uncovered event, and what speaks against folding it. */
export interface SurveyedEvent {
  readonly event: Event;
  readonly tokens: number;
  /** Absent if it may be folded. */
  readonly kept?: KeptReason;
  /** Seq of the newest event that it belongs with: what is folded below that would be parted from it. */
  readonly wholeAt: number;
}

/** The uncovered events of one branch and isolation scope. */
export interface Survey {
  readonly place: FoldPlace;
  /** In order of seq. */
  readonly events: readonly SurveyedEvent[];
  /** Seqs of events with open calls that may still be answered: nothing from the first of them on is folded. */
  readonly stops: readonly number[];
}

const nothingRuns: ReadonlySet<string> = new Set();

/** Says of each uncovered event of a window whether it may be folded, by branch and isolation scope, oldest first. */
export function surveyWindow(
  { events, coverage }: FoldWindow,
  openInvocations: ReadonlySet<string> = nothingRuns,
): readonly Survey[] {
  const live = events.filter((event) => !isBookkeeping(event) && coverage.isLive(event.seq));
  const uncovered = live.filter(({ seq }) => coverage.coveredBy(seq) === undefined);
  const bonds = new CallBonds(live);
  const owed = bonds.owed().filter(({ event }) => coverage.coveredBy(event.seq) === undefined);
  const dead = deadOnes(owed, live, openInvocations);
  const kept = new Map<number, KeptReason>();
  const keep = (seq: number, why: KeptReason) => void (kept.has(seq) || kept.set(seq, why));
  for (const { seq, invocationId } of live) if (openInvocations.has(invocationId)) keep(seq, 'running');
  for (const seq of coverage.pinned) keep(seq, 'pinned');
  for (const seq of liveQuestions(live)) keep(seq, 'question');
  for (const one of owed) keep(one.event.seq, dead.has(one) ? 'deadCall' : one.isBegun ? 'longRunning' : 'openCall');
  const homes = new Map(uncovered.map((event) => [event.seq, keyOfPlace(event)]));
  for (const seq of [...homes.keys(), ...kept.keys()]) {
    const bundle = bonds.bundleOf(seq);
    const isParted = bundle.some((one) => homes.has(one) && homes.get(one) !== homes.get(seq));
    if (kept.has(seq) || isParted) for (const one of bundle) keep(one, 'pair');
  }
  const stops = owed.filter((one) => !dead.has(one) && !one.isBegun).map(({ event }) => event);
  return byPlace(uncovered).map(({ place, key, members }) => ({
    place,
    events: members.map((event) => {
      const bundle = bonds.bundleOf(event.seq).filter((seq) => homes.has(seq));
      return surveyed(event, kept.get(event.seq), Math.max(...bundle));
    }),
    stops: stops.filter((event) => keyOfPlace(event) === key).map(({ seq }) => seq),
  }));
}

function surveyed(event: Event, kept: KeptReason | undefined, wholeAt: number): SurveyedEvent {
  return { event, tokens: eventTokens(event), wholeAt, ...(kept === undefined ? {} : { kept }) };
}

/**
 * Calls that nobody will answer any more: their run is over, since a later question began another one, no tool reports
 * from outside, and no person is still to be heard.
 */
function deadOnes(
  owed: readonly Obligation[],
  live: readonly Event[],
  openInvocations: ReadonlySet<string>,
): ReadonlySet<Obligation> {
  const waiting = new Set(owed.filter((one) => one.needsPerson).map(({ event }) => event.invocationId));
  const questions = owed.length === 0 ? [] : live.filter(asks);
  const isOver = ({ seq, invocationId }: Event) =>
    !openInvocations.has(invocationId) &&
    questions.some((question) => question.seq > seq && question.invocationId !== invocationId);
  const isDead = ({ event, isLongRunning }: Obligation) =>
    !isLongRunning && !waiting.has(event.invocationId) && isOver(event);
  return new Set(owed.filter(isDead));
}

interface Home {
  readonly place: FoldPlace;
  readonly key: string;
  readonly members: Event[];
}

function byPlace(uncovered: readonly Event[]): readonly Home[] {
  const homes = new Map<string, Home>();
  for (const event of uncovered) {
    const key = keyOfPlace(event);
    const home = homes.get(key) ?? { place: foldPlaceOf(event), key, members: [] };
    homes.set(key, home);
    home.members.push(event);
  }
  return [...homes.values()];
}
