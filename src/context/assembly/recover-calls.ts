import type { Event } from '../../events/index.ts';
import { insertByPlace } from './place-order.ts';
import { speakerOf } from './speaker.ts';
import type { StageFacts } from './stage-facts.ts';

/**
 * Stage 6: brings back, to where it stood, a call of the agent's own that masking or the window took away while a
 * response to it is still here. A call of another agent is told in that response's narration and stays away.
 */
export function recoverCalls(inWindow: readonly Event[], facts: RecoveryFacts): readonly Event[] {
  const recovered = new Set<Event>();
  for (const event of inWindow) collectCalls(event, facts, recovered);
  // A call's event may itself answer an older call; a set also hands out what is added on the way.
  for (const event of recovered) collectCalls(event, facts, recovered);
  return insertByPlace(inWindow, [...recovered]);
}

type RecoveryFacts = Pick<StageFacts, 'links' | 'view' | 'isSetAside'>;

function collectCalls(event: Event, facts: RecoveryFacts, recovered: Set<Event>): void {
  const responses = facts.links.responsesOf(event);
  if (responses.length === 0) return;
  for (const { call } of responses) {
    if (call === undefined || !facts.isSetAside(call.event.seq)) continue;
    if (speakerOf(call.event, facts.view.agentName) === 'self') recovered.add(call.event);
  }
}
