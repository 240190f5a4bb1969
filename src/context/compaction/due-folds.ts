import type { InvocationReport } from './compactor.ts';
import type { CompactorSettings } from './compactor-settings.ts';
import { countRequests } from './count-requests.ts';
import { decide, type FiredTrigger, type FoldFacts, type TriggerState } from './decide.ts';
import type { AgentMemory } from './fold-memory.ts';
import { restAfter } from './rest-after.ts';
import { newestSummary, type SessionSurvey } from './take-survey.ts';
import type { Trigger, TriggerKind } from './triggers.ts';

/** Triggers that the size of prompts fires, whatever else happens. */
export const sizeTriggers: ReadonlySet<TriggerKind> = new Set(['threshold', 'rentOrBuy']);

/** Triggers that fire by what is told after an invocation, or by the clock. */
export const toldTriggers: ReadonlySet<TriggerKind> = new Set(['modelDriven', 'taskComplete', 'idle']);

/** What was decided, and how many requests have been counted for it. */
export interface DueFold {
  readonly fires?: FiredTrigger;
  readonly requests: number;
}

/** Decides whether a trigger fires, and remembers what has been paid so far. */
export function decideFold(
  { summarizer, summaryRegion }: CompactorSettings,
  survey: SessionSurvey,
  triggers: readonly Trigger[],
  told: Pick<FoldFacts, 'isTaskComplete' | 'asked' | 'isBeforeRequest' | 'isWithinRun' | 'ceilingTokens'>,
): DueFold {
  const { agentName, session, window, facts } = survey;
  const agent = session.agent(agentName);
  const { prices } = summarizer;
  const summary = newestSummary(window);
  const sinceSeq = Math.max(agent.decidedSeq, summary);
  const counted = countRequests(window, { agentName, sinceSeq, ttlSeconds: prices.ttlSeconds });
  const known = { ...facts, ...told, ...counted, prices, summaryRegion };
  const decision = decide(
    triggers,
    known,
    // What was paid before somebody made a summary was paid for that.
    summary > agent.decidedSeq ? settled(agent.triggers) : agent.triggers,
  );
  agent.rest = decision.fires === undefined ? restAfter(triggers, known, decision.state) : undefined;
  agent.restsFrom = agent.sentTokens;
  remember(agent, triggers, { state: decision.state, version: window.version });
  return { requests: counted.requests, ...(decision.fires && { fires: decision.fires }) };
}

/** What an invocation that is over tells triggers. */
export function toldBy({
  isTaskComplete = false,
  asked,
}: InvocationReport): Pick<FoldFacts, 'isTaskComplete' | 'asked'> {
  const throughSeq = asked?.throughSeq;
  return { isTaskComplete, ...(asked && { asked: throughSeq === undefined ? {} : { throughSeq } }) };
}

/** Rent is counted by decisions that know of all triggers that size fires. */
function remember(
  agent: AgentMemory,
  triggers: readonly Trigger[],
  { state, version }: { readonly state: TriggerState; readonly version: number },
): void {
  if (triggers.length > 0 && triggers.every(({ kind }) => toldTriggers.has(kind))) return;
  agent.triggers = state;
  agent.decidedSeq = version;
}

function settled({ waitsBelow }: TriggerState): TriggerState {
  return { rent: 0, ...(waitsBelow === undefined ? {} : { waitsBelow }) };
}
