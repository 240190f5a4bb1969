import { answers, asks, type Event } from '../../events/index.ts';

/** The newest thing the user asked, and whether it still waits for an answer. */
export interface Question {
  readonly seq: number;
  /** No agent's final answer stands below it. */
  readonly live: boolean;
}

/** The newest event of the user that has text, speech or media, among those that are visible: by default, all. */
export function findQuestion(
  events: readonly Event[],
  isVisible: (event: Event) => boolean = () => true,
): Question | undefined {
  let answered = false;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (event === undefined || !isVisible(event)) continue;
    if (asks(event)) return { seq: event.seq, live: !answered };
    answered ||= answers(event);
  }
  return undefined;
}

/** The newest question when one more event is visible. */
export function questionAfter(question: Question | undefined, event: Event): Question | undefined {
  if (asks(event)) return { seq: event.seq, live: true };
  return question?.live && answers(event) ? { seq: question.seq, live: false } : question;
}
