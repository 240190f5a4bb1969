import { type Event, hasTextOrMedia, isFinal } from '../../events/index.ts';

/** The newest thing the user asked, and whether it still waits for an answer. */
export interface Question {
  readonly seq: number;
  /** No agent's final answer stands below it. */
  readonly live: boolean;
}

/** The newest event of the user that has text, speech or media. */
export function findQuestion(visible: readonly Event[]): Question | undefined {
  let answered = false;
  for (let index = visible.length - 1; index >= 0; index--) {
    const event = visible[index];
    if (event === undefined) continue;
    if (asks(event)) return { seq: event.seq, live: !answered };
    answered ||= answers(event);
  }
  return undefined;
}

function asks(event: Event): boolean {
  if (event.origin !== 'user') return false;
  if (event.content !== undefined) return hasTextOrMedia(event.content);
  return event.inputTranscription !== undefined && event.inputTranscription.text.trim() !== '';
}

function answers(event: Event): boolean {
  if (isFinal(event)) return true;
  const spoken = event.content === undefined ? event.outputTranscription?.text.trim() : '';
  return event.origin === 'agent' && event.interrupted !== true && spoken !== undefined && spoken !== '';
}
