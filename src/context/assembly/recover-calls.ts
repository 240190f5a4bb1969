import type { Event } from '../../events/index.ts';
import type { Response } from './link-calls.ts';
import { insertByPlace } from './place-order.ts';
import { speakerOf } from './speaker.ts';
import type { StageFacts } from './stage-facts.ts';

/**
 * Stage 6: brings back, to where it stood, a call of the agent's own that masking or the window took away while a
 * response to it is still here. A call of another agent is told in that response's narration and stays away.
 */
export function recoverCalls(inWindow: readonly Event[], facts: StageFacts): readonly Event[] {
  const recovered: Event[] = [];
  for (const event of inWindow) collectCalls(facts.links.responsesOf(event.seq), facts, recovered);
  // A call's event may itself answer an older call.
  for (const event of recovered) collectCalls(facts.links.responsesOf(event.seq), facts, recovered);
  return insertByPlace(inWindow, recovered);
}

function collectCalls(responses: readonly Response[], facts: StageFacts, recovered: Event[]): void {
  for (const { call } of responses) {
    if (call === undefined || !facts.placements.isSetAside(call.event.seq)) continue;
    if (speakerOf(call.event, facts.view.agentName) !== 'self') continue;
    facts.placements.recover(call.event.seq);
    recovered.push(call.event);
  }
}
