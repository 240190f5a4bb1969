import { answers, asks, type Event, isSameOrAbove } from '../../events/index.ts';
import { keyOfPlace } from './fold-window.ts';

/**
 * Seqs of the events that may be the live question of some view: of each branch and scope the newest one, unless
 * everybody who sees it also sees a final answer below it. Live events come in order of seq.
 */
export function liveQuestions(live: Iterable<Event>): ReadonlySet<number> {
  const newest = new Map<string, Event>();
  for (const event of live) {
    const isAnswer = !asks(event) && answers(event);
    if (asks(event)) newest.set(keyOfPlace(event), event);
    for (const [key, question] of newest) if (isAnswer && isSeenWith(event, question)) newest.delete(key);
  }
  return new Set([...newest.values()].map(({ seq }) => seq));
}

/** True if whoever sees the question sees the answer. */
function isSeenWith(answer: Event, question: Event): boolean {
  if (answer.isolationScope !== question.isolationScope) return false;
  if (answer.branch === undefined) return true;
  return question.branch !== undefined && isSameOrAbove(answer.branch, question.branch);
}
