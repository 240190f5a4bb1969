import type { Event, Role } from '../../events/index.ts';

/** Who speaks in an event, as one agent sees it. A summary is its own. */
export type Speaker = 'user' | 'self' | 'other';

/** Whose words an event holds for the agent of that name. */
export function speakerOf(event: Event, agentName: string): Speaker {
  if (event.author === agentName || event.actions.compaction !== undefined) return 'self';
  if (event.author === 'user' || event.origin === 'user') return 'user';
  return event.content === undefined && event.inputTranscription !== undefined ? 'user' : 'other';
}

/** On which side an event stands. The user's words are the user's, calls and summaries the model's, whatever a log says. */
export function sideOf(event: Event, agentName: string): Role {
  const speaker = speakerOf(event, agentName);
  if (speaker !== 'self') return 'user';
  if (event.actions.compaction !== undefined) return 'model';
  if (event.content === undefined) return event.inputTranscription === undefined ? 'model' : 'user';
  if (event.content.role === 'model') return 'model';
  return event.content.parts.some((part) => part.functionCall !== undefined) ? 'model' : 'user';
}
