import { beginsInvocation, type Event, functionCalls } from '../events/index.ts';
import { unitsOf } from './prompt-units.ts';

/** Where the newest question stands, if nothing that an agent said has closed it. */
export function openQuestion(events: readonly Event[]): number | undefined {
  const at = events.findLastIndex((event) => beginsInvocation(event.origin, event) || closesQuestion(event));
  const event = events[at];
  return event === undefined || closesQuestion(event) ? undefined : at;
}

/** A final answer; one of media alone, or a tool's that ends the run, is an answer as well. */
function closesQuestion({ origin, content, interrupted, actions }: Event): boolean {
  if (actions.skipSummarization === true) return true;
  if (origin !== 'agent' || interrupted === true || content === undefined) return false;
  return functionCalls(content).length === 0 && unitsOf(content).length > 0;
}
