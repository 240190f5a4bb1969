import type { Event } from '../../events/index.ts';
import { tokensOf } from './count-tokens.ts';
import { leaveOut } from './leave-out.ts';
import type { StageFacts } from './stage-facts.ts';

/**
 * Stage 5: leaves out what lies before the view's window. By invocations: the newest ones, with the summaries that stand
 * among them or directly above while fewer are raw. By tokens: the longest tail that fits and parts no call from its
 * response, but never less than the newest such block. What is kept verbatim stays and counts.
 */
export function limitWindow(spoken: readonly Event[], facts: StageFacts): readonly Event[] {
  const { history } = facts.view;
  if (history === 'full') return spoken;
  if (history === 'invocation') return newestInvocations(spoken, 1, facts);
  const { invocations, tokens } = history.window;
  const recent = invocations === undefined ? spoken : newestInvocations(spoken, invocations, facts);
  return tokens === undefined ? recent : newestTokens(recent, tokens, facts);
}

function newestInvocations(events: readonly Event[], count: number, facts: StageFacts): readonly Event[] {
  const wanted = new Set<string>();
  let start = events.length;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (event === undefined) continue;
    const isFull = wanted.size >= count;
    if (event.actions.compaction !== undefined) {
      if (!isFull) start = index;
    } else if (wanted.has(event.invocationId)) start = index;
    else if (!isFull) {
      wanted.add(event.invocationId);
      start = index;
    }
  }
  return select(events, facts, (event, index) =>
    event.actions.compaction === undefined ? wanted.has(event.invocationId) : index >= start,
  );
}

function newestTokens(events: readonly Event[], limit: number, facts: StageFacts): readonly Event[] {
  const isSafe = safeCuts(events, facts);
  let sum = 0;
  for (const event of events) if (facts.kept.has(event.seq)) sum += tokensOf(event);
  let cut = events.length;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (event === undefined) continue;
    if (!facts.kept.has(event.seq)) sum += tokensOf(event);
    if (sum > limit && cut < events.length) break;
    if (isSafe(index)) cut = index;
  }
  return select(events, facts, (_, index) => index >= cut);
}

/** Whether cutting before an event would leave every call and its responses on one side. */
function safeCuts(events: readonly Event[], { links }: StageFacts): (index: number) => boolean {
  const indexOfCall = new Map<number, number>();
  const change = new Int32Array(events.length + 2);
  events.forEach((event, index) => {
    if (links.callsOf(event.seq).length > 0) indexOfCall.set(event.seq, index);
    for (const { call } of links.responsesOf(event.seq)) {
      const from = call && indexOfCall.get(call.event.seq);
      if (from === undefined) continue;
      change[from + 1] = (change[from + 1] ?? 0) + 1;
      change[index + 1] = (change[index + 1] ?? 0) - 1;
    }
  });
  for (let index = 1; index < change.length; index++) change[index] = (change[index] ?? 0) + (change[index - 1] ?? 0);
  return (index) => change[index] === 0;
}

function select(
  events: readonly Event[],
  { kept, placements }: StageFacts,
  isInside: (event: Event, index: number) => boolean,
): readonly Event[] {
  return leaveOut(events, placements, (event, index) =>
    isInside(event, index) || kept.has(event.seq) ? undefined : 'window',
  );
}
