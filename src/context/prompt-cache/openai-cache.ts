import type { ModelRequest, SessionKey } from '../../events/index.ts';
import { canonicalJson, sha256 } from '../../internal/index.ts';
import {
  type Breakpoint,
  type BreakpointDecision,
  type BreakpointInput,
  breakpointsAt,
  headPlaces,
  isMarkable,
  noBreakpoints,
} from './breakpoint.ts';
import { comparePlaces, type PartPlace, placesBefore, requestEnd, stableEnd } from './stable-places.ts';

/** Whose requests share a prefix. */
export interface CacheKeyScope {
  readonly session: SessionKey;
  readonly agentName: string;
  /** What the requests are for, where they do not begin as the agent's answers do. Default: `answer`. */
  readonly purpose?: string;
}

/**
 * The `prompt_cache_key` of an agent's requests in a session: the same as long as the session lasts, whatever breaks the
 * prefix, and without a name in it. 40 characters. Only for models whose rules say `takesKey`.
 */
export function openAiCacheKey({ session, agentName, purpose = 'answer' }: CacheKeyScope): string {
  const { appName, userId, sessionId } = session;
  return sha256(canonicalJson([appName, userId, sessionId, agentName, purpose])).slice(0, 40);
}

/**
 * Where to mark a request to an OpenAI model that takes marks. Only marked places are looked up, so that the ends of all
 * earlier requests are marked again: they are the ends of what the user's side said. Where the request ends is marked by
 * the provider itself, behind what is transient too, so that the next invocation finds nothing there. What is marked is kept
 * for the shortest time.
 */
export function openAiBreakpoints(input: BreakpointInput): BreakpointDecision {
  const { request, rules, moreSteps = false } = input;
  if (rules.basis === 'default') return noBreakpoints('unknownModel');
  if (rules.mostBreakpoints < 1) return noBreakpoints('automatic');
  const border = stableEnd(request);
  const ttlSeconds = rules.ttlSeconds[0] ?? 0;
  const most = rules.readBreakpoints ?? rules.mostBreakpoints;
  const lasting = runEnds(input, border, most).map((place): Breakpoint => ({ at: 'content', ...place, ttlSeconds }));
  const passing = runEnds(input, moreSteps ? requestEnd(request) : border, most)
    .filter((place) => comparePlaces(place, border) >= 0)
    .map((place): Breakpoint => ({ at: 'content', ...place, ttlSeconds, invocationOnly: true }));
  const marks = [...passing, ...lasting].slice(0, most);
  // Tools cannot be marked; they stand before the instruction.
  const head = headPlaces(input).filter((at) => at === 'instruction' && marks.length < most);
  const all = [...head.map((at): Breakpoint => ({ at, ttlSeconds })), ...marks];
  return all.length === 0 ? noBreakpoints('tooSmall') : breakpointsAt(all);
}

/** The ends of the runs of contents of the user's side before a place, the last ones. */
function runEnds(input: BreakpointInput, end: PartPlace, most: number): readonly PartPlace[] {
  const ends: PartPlace[] = [];
  let isInRun = false;
  for (const place of placesBefore(input.request, end)) {
    if (!isOfUser(input.request, place)) isInRun = false;
    else if (!isInRun && isMarkable(input, place)) {
      isInRun = true;
      if (ends.push(place) >= most) break;
    }
  }
  return ends;
}

function isOfUser({ contents }: ModelRequest, { content }: PartPlace): boolean {
  return contents[content]?.role === 'user';
}
