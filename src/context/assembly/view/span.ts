import type { Event } from '../../../events/index.ts';
import { findQuestion } from '../find-question.ts';
import { joinTranscripts } from '../join-transcripts.ts';
import { type LaidOut, layOutContents } from '../lay-out-contents.ts';
import { narrateForeign } from '../narrate-foreign.ts';
import { pairResponses } from '../pair-responses.ts';
import { placeOf } from '../place-order.ts';
import { PlacementTable } from '../placement-table.ts';
import { ProviderCalls } from '../provider-calls.ts';
import { recoverCalls } from '../recover-calls.ts';
import { speakerOf } from '../speaker.ts';
import type { StageFacts } from '../stage-facts.ts';

/** What the stages behind the window need to lay out a span. */
export type SpanFacts = Omit<StageFacts, 'placements'>;

/** How many events, turns and pieces the stages behind the window made of some events. */
export interface SpanCounts {
  readonly inWindow: number;
  readonly recovered: number;
  readonly turns: number;
  readonly narrated: number;
  readonly paired: number;
}

/** A stretch of the conversation that is laid out by itself: each of its calls stands with its responses. */
export interface Span {
  /** What the window took in, in order of place; never empty. */
  readonly events: readonly Event[];
  /** The first and the last of the events, those included that came back for a response. */
  readonly first: Event;
  readonly last: Event;
  readonly laidOut: LaidOut;
  /** The newest question of these events; where it ends may be unknown, if it says nothing to the provider. */
  readonly asks: boolean;
  readonly counts: SpanCounts;
  readonly callIds: ReadonlySet<string>;
  /** It would be laid out otherwise if other ids had been used before. */
  readonly metUsedBefore: boolean;
}

/** Runs the stages behind the window on a stretch of the conversation; nothing comes of no events. */
export function laySpan(events: readonly Event[], facts: SpanFacts, usedBefore: ReadonlySet<string>): Span | undefined {
  const recovered = recoverCalls(events, facts);
  const [first, last] = [recovered[0], recovered.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  // A response that is known of but does not stand here yet changes nothing here before it does.
  const here = new Set(recovered.map(({ seq }) => seq));
  const isSetAside = (seq: number) => !here.has(seq);
  const stageFacts: StageFacts = { ...facts, isSetAside, placements: new PlacementTable() };
  const providerCalls = new ProviderCalls(facts.rules, usedBefore);
  const turns = joinTranscripts(recovered, stageFacts);
  const narrated = narrateForeign(turns, stageFacts);
  const paired = pairResponses(narrated, stageFacts, providerCalls);
  const question = findQuestion(recovered);
  return {
    events,
    first,
    last,
    laidOut: layOutContents(paired, question, stageFacts),
    asks: question !== undefined,
    counts: {
      inWindow: events.length,
      recovered: recovered.length,
      turns: turns.length,
      narrated: narrated.length,
      paired: paired.length,
    },
    callIds: providerCalls.used,
    metUsedBefore: providerCalls.metUsedBefore,
  };
}

/**
 * Where the oldest call of the agent's own stands that one of the events answers: they have to be laid out together. A
 * call that comes back for its response may itself come with responses.
 */
export function reachOf(events: readonly Event[], { links, view, isSetAside }: SpanFacts): number {
  let reach = Number.POSITIVE_INFINITY;
  const answering = new Set<Event>();
  const collect = (event: Event) => {
    const responses = links.responsesOf(event);
    if (responses.length === 0) return;
    for (const { call } of responses) {
      if (call === undefined || speakerOf(call.event, view.agentName) !== 'self') continue;
      reach = Math.min(reach, placeOf(call.event));
      if (isSetAside(call.event.seq)) answering.add(call.event);
    }
  };
  for (const event of events) collect(event);
  for (const event of answering) collect(event);
  return reach;
}
