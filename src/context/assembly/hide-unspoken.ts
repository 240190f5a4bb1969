import type { Event } from '../../events/index.ts';
import { isAuthExchange } from './auth-exchange.ts';
import { leaveOut } from './leave-out.ts';
import { speaks } from './provider-rules.ts';
import { sideOf } from './speaker.ts';
import type { StageFacts } from './stage-facts.ts';

/** Stage 4: leaves out events that say nothing, and those that only ask for, or give, a credential or a confirmation. */
export function hideUnspoken(unmasked: readonly Event[], facts: StageFacts): readonly Event[] {
  return leaveOut(unmasked, facts.placements, (event) => whyUnspoken(event, facts));
}

/** Why an event says nothing to the model. */
export function whyUnspoken(
  event: Event,
  { rules, view }: Pick<StageFacts, 'rules' | 'view'>,
): 'empty' | 'auth' | undefined {
  if (event.actions.compaction !== undefined) return undefined;
  if (event.content === undefined)
    return (event.inputTranscription ?? event.outputTranscription)?.text ? undefined : 'empty';
  const side = sideOf(event, view.agentName);
  let isAuth = false;
  for (const part of event.content.parts) {
    if (!speaks(part, side, rules)) continue;
    if (!isAuthExchange(part)) return undefined;
    isAuth = true;
  }
  return isAuth ? 'auth' : 'empty';
}
