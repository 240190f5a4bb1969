import { type Event, isBookkeeping, type Part, type Role, type View } from '../../src/events/index.ts';
import { kindOf } from './marks.ts';

/** Who speaks in an event, as the agent of a view sees it. */
export function speakerIn({ author, origin, actions, content, inputTranscription }: Event, view: View) {
  if (author === view.agentName || actions.compaction !== undefined) return 'self';
  const isHeard = content === undefined && inputTranscription !== undefined;
  return author === 'user' || origin === 'user' || isHeard ? 'user' : 'other';
}

/** On which side of a conversation the words of an event stand. */
export function roleIn(event: Event, view: View): Role {
  if (speakerIn(event, view) !== 'self') return 'user';
  if (event.content === undefined) return event.inputTranscription === undefined ? 'model' : 'user';
  return event.content.parts.some(({ functionCall }) => functionCall !== undefined) ? 'model' : event.content.role;
}

/** True for an event that is more than blanks, thoughts and questions of a framework. */
export function isSpoken(event: Event, view: View): boolean {
  const { content, actions, inputTranscription, outputTranscription } = event;
  if (actions.compaction !== undefined) return true;
  if (content === undefined) return ((inputTranscription ?? outputTranscription)?.text ?? '') !== '';
  // Gemini takes back whatever it signed.
  const isTakenBack = view.provider === 'gemini' && roleIn(event, view) === 'model';
  return content.parts.some(
    (part) => saysSomething(part) || (isTakenBack && part.thoughtSignature !== undefined && kindOf(part) !== 'silent'),
  );
}

function saysSomething(part: Part): boolean {
  const { text, thoughtSignature: _, thought: __, ...payload } = part;
  const kind = kindOf(part);
  if (kind === 'thought' || kind === 'silent') return false;
  return text === undefined ? Object.keys(payload).length > 0 : text.trim() !== '';
}

/** True for what is no part of any conversation: bookkeeping, summaries too, and bare state. */
export function isAboutTheLog(event: Event): boolean {
  return isBookkeeping(event) || (event.origin === 'system' && event.content === undefined);
}
