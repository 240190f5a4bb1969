import {
  type Content,
  type Event,
  type EventInput,
  functionCalls,
  functionResponses,
  type Part,
} from '../events/index.ts';
import { isStoppedAnswer } from './open-calls.ts';

/**
 * The events that contents of a prompt are appended as. What tools returned stands in events of its own, so that a
 * question beside it begins its invocation; what the log has answered already is left out.
 */
export function promptEvents(
  fresh: readonly Content[],
  agentName: string,
  live: readonly Event[],
): readonly EventInput[] {
  const answered = answeredIds(live);
  const events: EventInput[] = [];
  for (const { role, parts } of fresh) {
    let run: { isOfTools: boolean; parts: Part[] } | undefined;
    for (const part of parts) {
      if (!isNew(part, answered)) continue;
      const isOfTools = part.functionResponse !== undefined;
      if (run?.isOfTools !== isOfTools) {
        run = { isOfTools, parts: [] };
        const author = role === 'user' && !isOfTools ? 'user' : agentName;
        events.push({ author, content: { role: isOfTools ? 'user' : role, parts: run.parts } });
      }
      run.parts.push(part);
    }
  }
  return events;
}

/** Notes what a part asks or answers, and tells whether it is new: a call may bear an id that was used before. */
function isNew({ functionCall, functionResponse }: Part, answered: Set<string>): boolean {
  if (functionCall?.id !== undefined) answered.delete(functionCall.id);
  const id = functionResponse?.id;
  if (id === undefined) return true;
  if (answered.has(id)) return false;
  answered.add(id);
  return true;
}

function answeredIds(live: readonly Event[]): Set<string> {
  const answered = new Set<string>();
  for (const { content } of live) {
    if (content === undefined) continue;
    for (const response of functionResponses(content))
      if (response.id !== undefined && !isStoppedAnswer(response)) answered.add(response.id);
    for (const { id } of functionCalls(content)) if (id !== undefined) answered.delete(id);
  }
  return answered;
}
