import { type Event, toMillis } from '../../events/index.ts';
import type { FoldFacts } from './decide.ts';
import type { FoldWindow } from './fold-window.ts';

/** Requests of an agent as the log tells them: each of its own events answers one. */
export function countRequests(
  { events, coverage }: Pick<FoldWindow, 'events' | 'coverage'>,
  {
    agentName,
    sinceSeq,
    ttlSeconds,
  }: { readonly agentName: string; readonly sinceSeq: number; readonly ttlSeconds: number },
): Required<Pick<FoldFacts, 'requests' | 'requestsAhead' | 'coldRequests'>> {
  const answers = events.filter(
    ({ seq, author, origin }) => author === agentName && origin === 'agent' && coverage.isLive(seq),
  );
  const isCold = (event: Event, index: number) => {
    const before = answers[index - 1];
    return before !== undefined && secondsBetween(before, event) > ttlSeconds;
  };
  const counted = answers.flatMap((event, index) => (event.seq > sinceSeq ? [isCold(event, index)] : []));
  // The next run is expected to be as long as the last one.
  const last = answers.at(-1)?.invocationId;
  const requestsAhead = answers.filter(({ seq, invocationId }) => seq > sinceSeq && invocationId === last).length;
  return { requests: counted.length, requestsAhead, coldRequests: counted.filter(Boolean).length };
}

function secondsBetween(before: Event, after: Event): number {
  return (toMillis(after.recordedAt) - toMillis(before.recordedAt)) / 1000;
}
