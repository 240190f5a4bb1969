import {
  type Breakpoint,
  type BreakpointDecision,
  type BreakpointInput,
  breakpointsAt,
  type ContentBreakpoint,
  headPlaces,
  isMarkable,
  noBreakpoints,
} from './breakpoint.ts';
import { comparePlaces, type PartPlace, placesBefore, requestEnd, stableEnd } from './stable-places.ts';

/** What the marks of a request to an Anthropic model are decided from. */
export interface AnthropicInput extends BreakpointInput {
  /** The marks of the request before, if the stable part of this one begins with the stable part of that one. */
  readonly previous?: readonly Breakpoint[];
  /** How long instruction and tools, and how long the conversation, are to be kept. Default: the shortest time. */
  readonly ttlSeconds?: { readonly head?: number; readonly conversation?: number };
}

/**
 * Where to mark a request to an Anthropic model. The last stable part is always marked, so that the next request finds it;
 * that one looks back from its own mark for so many blocks only, and where more were added since the request before, the
 * old mark is set once more. Where that is not known, further marks stand one look-back apart. Instruction, and tools if
 * there is room, are marked for requests whose conversation begins otherwise.
 */
export function anthropicBreakpoints(input: AnthropicInput): BreakpointDecision {
  const { rules } = input;
  if (rules.mostBreakpoints < 1) return noBreakpoints(rules.basis === 'default' ? 'unknownModel' : 'notSupported');
  const { stable, steps } = stretchesOf(input);
  const ttl = ttlOf(input);
  const [head, otherHead] = headPlaces(input).map((at): Breakpoint => ({ at, ttlSeconds: ttl.head }));
  const lasting = (place: PartPlace): ContentBreakpoint => ({ at: 'content', ...place, ttlSeconds: ttl.conversation });
  const passing = (place: PartPlace): ContentBreakpoint => ({ ...lasting(place), invocationOnly: true });
  const byWeight = [
    stable.end && lasting(stable.end),
    steps.end && passing(steps.end),
    stable.anchor && lasting(stable.anchor),
    steps.anchor && passing(steps.anchor),
    head,
    ...stable.strides.map(lasting),
    otherHead,
  ];
  const marks = byWeight.filter((mark) => mark !== undefined).slice(0, rules.mostBreakpoints);
  return marks.length === 0 ? noBreakpoints('tooSmall') : breakpointsAt(marks);
}

/** Places to be marked in a stretch of a request. */
interface Stretch {
  /** The last one. */
  readonly end: PartPlace | undefined;
  /** The end of the request before, where the last one does not look back that far. */
  readonly anchor?: PartPlace | undefined;
  /** Further ones towards the front, where the end of the request before is not known. */
  readonly strides: readonly PartPlace[];
}

const nowhere: Stretch = Object.freeze({ end: undefined, strides: [] });

/** What may begin any later request, and what only those of this invocation. */
function stretchesOf(input: AnthropicInput): { readonly stable: Stretch; readonly steps: Stretch } {
  const { request, previous = [], moreSteps = false } = input;
  const known = previous.filter((mark) => mark.at === 'content');
  const border = stableEnd(request);
  const wasStable = known.findLast(({ invocationOnly = false }) => !invocationOnly);
  const stable = stretchOf(input, [...latest(input, border)], wasStable);
  if (!moreSteps) return { stable, steps: nowhere };
  // The transient moves from one invocation to the next: what was marked behind it before stands in front of it now.
  const wasStep = known.findLast((mark) => mark.invocationOnly === true && comparePlaces(mark, border) >= 0);
  const behind = [...latest(input, requestEnd(request))].filter((place) => comparePlaces(place, border) >= 0);
  return { stable, steps: { ...stretchOf(input, behind, wasStep), strides: [] } };
}

/** `places`: from the last one backwards, as far as it matters. */
function stretchOf(input: AnthropicInput, places: readonly PartPlace[], previous: PartPlace | undefined): Stretch {
  const { lookBackBlocks } = input.rules;
  const at = places.findIndex((place) => isMarkable(input, place));
  const end = places[at];
  if (end === undefined) return nowhere;
  if (lookBackBlocks === undefined) return { end, strides: [] };
  if (previous !== undefined && comparePlaces(previous, end) <= 0 && isMarkable(input, previous)) {
    const isSeen = places.slice(at, at + lookBackBlocks).some((place) => isSame(place, previous));
    return { end, anchor: isSeen ? undefined : previous, strides: [] };
  }
  return { end, strides: stridesFrom(places, at, lookBackBlocks, (place) => isMarkable(input, place)) };
}

/** Marks so far apart that each looks back to the next one, as long as there is something that none looks back to. */
function stridesFrom(
  places: readonly PartPlace[],
  end: number,
  lookBackBlocks: number,
  isWanted: (place: PartPlace) => boolean,
): readonly PartPlace[] {
  const strides: PartPlace[] = [];
  for (let at = end; at + lookBackBlocks < places.length; ) {
    const seen = places.slice(at + 1, at + lookBackBlocks);
    const farthest = seen.findLastIndex(isWanted);
    const place = seen[farthest];
    if (place === undefined) break;
    strides.push(place);
    at += farthest + 1;
  }
  return strides;
}

/** More than that do not end in thoughts alone. */
const fewBlocks = 20;

/** The last places before one, as many as marks can look back on. */
function* latest({ request, rules }: AnthropicInput, end: PartPlace): Generator<PartPlace> {
  let left = (rules.lookBackBlocks ?? fewBlocks) * rules.mostBreakpoints;
  for (const place of placesBefore(request, end)) {
    if (left-- <= 0) return;
    yield place;
  }
}

function isSame(a: PartPlace | undefined, b: PartPlace | undefined): boolean {
  return a !== undefined && b !== undefined && comparePlaces(a, b) === 0;
}

/** Of the times that the model offers: one that is kept longer must stand before one that is not. */
function ttlOf({ rules, ttlSeconds: asked = {} }: AnthropicInput): {
  readonly head: number;
  readonly conversation: number;
} {
  const offered = (seconds = 0) => rules.ttlSeconds.find((ttl) => ttl >= seconds) ?? rules.ttlSeconds.at(-1) ?? 0;
  const conversation = offered(asked.conversation);
  return { head: Math.max(offered(asked.head), conversation), conversation };
}
