import type { ModelRequest } from '../../events/index.ts';
import type { CacheReason } from './cache-reason.ts';
import type { CacheRules } from './cache-rules.ts';
import type { PrefixPlan } from './plan-prefix.ts';
import { canBeMarked, comparePlaces, type PartPlace } from './stable-places.ts';

/** A marked place: what stands up to it, the marked itself included, is to be cached. */
export type Breakpoint =
  /** On the last tool, or on the last text of the instruction. */
  | { readonly at: 'tools' | 'instruction'; readonly ttlSeconds: number }
  /** On a part of a content. */
  | ContentBreakpoint;

/** A mark on a part of a content. */
export interface ContentBreakpoint extends PartPlace {
  readonly at: 'content';
  readonly ttlSeconds: number;
  /** Something transient stands before it: only requests of the same invocation can begin with this. */
  readonly invocationOnly?: true;
}

/** Where to mark a request, in the order of the request, and why so. */
export interface BreakpointDecision {
  readonly reason: CacheReason;
  readonly breakpoints: readonly Breakpoint[];
}

/** What marks are decided from. */
export interface BreakpointInput {
  /** Of the request. */
  readonly plan: PrefixPlan;
  readonly request: ModelRequest;
  readonly rules: CacheRules;
  /** The invocation is likely to send further requests: what they will share behind the transient is marked as well. */
  readonly moreSteps?: boolean;
}

/** A decision for no marks. */
export function noBreakpoints(reason: CacheReason): BreakpointDecision {
  return Object.freeze({ reason, breakpoints: Object.freeze([]) });
}

/** A decision for marks, put in the order of the request. */
export function breakpointsAt(breakpoints: readonly Breakpoint[]): BreakpointDecision {
  const inOrder = [...breakpoints].sort(compareBreakpoints);
  return Object.freeze({ reason: 'marked', breakpoints: Object.freeze(inOrder) });
}

/** True if a mark can stand there and what stands up to it is long enough to be cached. */
export function isMarkable({ plan, request, rules }: BreakpointInput, place: PartPlace): boolean {
  const parts = request.contents[place.content]?.parts ?? [];
  if (!canBeMarked(parts[place.part])) return false;
  // Of a content that is marked within, nothing is counted: what stands behind the mark may be most of it.
  const contents = place.part + 1 === parts.length ? place.content + 1 : place.content;
  return plan.tokensThrough(contents) >= rules.minimumTokens;
}

/** Instruction or tools, as a place to mark; none if what stands up to it is too short to be cached. */
export function headPlaces({ plan, rules }: BreakpointInput): readonly ('instruction' | 'tools')[] {
  const isLong = { instruction: plan.headTokens >= rules.minimumTokens, tools: plan.toolTokens >= rules.minimumTokens };
  const there = { instruction: plan.instruction.length > 0, tools: plan.tools.length > 0 };
  return (['instruction', 'tools'] as const).filter((place) => isLong[place] && there[place]);
}

function compareBreakpoints(a: Breakpoint, b: Breakpoint): number {
  const rank = ({ at }: Breakpoint) => ['tools', 'instruction', 'content'].indexOf(at);
  return a.at === 'content' && b.at === 'content' ? comparePlaces(a, b) : rank(a) - rank(b);
}
