import type { ObservedTokens } from '../context/assembly/index.ts';
import { type Event, isPlainObject, type View } from '../events/index.ts';
import { isJournalOf } from './request-journal.ts';

/** Answers that told nothing of their usage are passed over, so many at most. */
const mostPassed = 20;

/**
 * What the provider counted of the newest request of an agent that it told of, beside our own count of it, as the log
 * has both.
 */
export function observedTokens(events: readonly Event[], view: View): ObservedTokens | undefined {
  let passed = 0;
  for (let index = events.length - 1; index >= 0 && passed < mostPassed; index--) {
    const { request, usage } = events[index] ?? {};
    if (!isJournalOf(request, view)) continue;
    const tokens = request?.extensions?.tokens;
    const unscaled = isPlainObject(tokens) ? tokens.unscaled : undefined;
    const inputTokens = usage?.inputTokens;
    if (isCount(inputTokens) && isCount(unscaled)) return { inputTokens, unscaled };
    passed++;
  }
  return undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value);
}
