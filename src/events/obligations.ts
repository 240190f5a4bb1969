import { functionCalls, functionResponses, textOf } from './content.ts';
import { type Event, noActions } from './event.ts';

/** An agent's event that ends an invocation: it has text, asks for nothing and was not interrupted. */
export function isFinal(event: Pick<Event, 'origin' | 'content' | 'interrupted'>): boolean {
  return (
    event.origin === 'agent' &&
    event.interrupted !== true &&
    textOf(event.content) !== '' &&
    functionCalls(event.content).length === 0
  );
}

/** Ids of the calls, confirmations and authorisations that an event opens. */
export function opens(event: Pick<Event, 'content' | 'actions'>): readonly string[] {
  const ids = functionCalls(event.content).flatMap((call) => call.id ?? []);
  if (event.actions === noActions) return ids;
  const { requestedToolConfirmations = {}, requestedAuthConfigs = {} } = event.actions;
  return [...ids, ...Object.keys(requestedToolConfirmations), ...Object.keys(requestedAuthConfigs)];
}

/** Ids that an event answers. */
export function closes(event: Pick<Event, 'content'>): readonly string[] {
  return functionResponses(event.content).flatMap((response) => response.id ?? []);
}

/** Ids that the events open and nothing among them answers, in the order they were opened. */
export function openObligations(events: Iterable<Pick<Event, 'content' | 'actions'>>): readonly string[] {
  const open = new Set<string>();
  for (const event of events) {
    for (const id of closes(event)) open.delete(id);
    for (const id of opens(event)) open.add(id);
  }
  return [...open];
}
