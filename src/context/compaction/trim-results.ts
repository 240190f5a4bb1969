import type { Event, EventInput } from '../../events/index.ts';
import type { CompactorSettings } from './compactor-settings.ts';
import type { AgentMemory } from './fold-memory.ts';
import type { FoldWindow } from './fold-window.ts';
import { openInvocations } from './open-invocations.ts';
import type { FoldPlan } from './plan-fold.ts';
import { planTrim, type TrimPlan, trimInput } from './plan-trim.ts';
import type { SessionSurvey } from './take-survey.ts';

type Trim = NonNullable<CompactorSettings['trim']>;

/** What a trim has to do with requests. */
interface Rent {
  /** Requests since it was last asked. */
  readonly requests: number;
}

/** The event that cuts what a fold leaves verbatim, since the prefix changes with the fold anyway; or none. */
export function trimBeside(window: FoldWindow, { covers }: FoldPlan, trim: Trim | undefined): EventInput | undefined {
  const plan = trim && planAtBreak(window, trim);
  if (plan === undefined) return undefined;
  const seqs = plan.seqs.filter((seq) => !covers.some(([from, to]) => from <= seq && seq <= to));
  return seqs.length === 0 ? undefined : trimInput({ ...plan, seqs });
}

/** Cuts old results if that alone brings a prompt below a limit; returns the event. */
export async function trimToFit(
  { log, trim, ceiling }: CompactorSettings,
  { key, window }: SessionSurvey,
  promptTokens: number,
): Promise<Event | undefined> {
  const plan = trim && planAtBreak(window, trim);
  if (plan === undefined || promptTokens - plan.tokens >= ceiling) return undefined;
  return (await log.append(key, [trimInput(plan)])).events[0];
}

/** Cuts old results once sending them again has cost what cutting them costs; returns the event. */
export async function trimWhenItPays(
  { log, trim, summarizer }: CompactorSettings,
  { key, session, agentName, window }: SessionSurvey,
  { requests }: Rent,
): Promise<Event | undefined> {
  if (trim === undefined) return undefined;
  const agent = session.agent(agentName);
  const plan = planByRent(window, { trim, agent, prices: summarizer.prices, requests });
  return plan && (await log.append(key, [trimInput(plan)])).events[0];
}

function planByRent(
  window: FoldWindow,
  {
    trim,
    agent,
    prices,
    requests,
  }: Rent & {
    readonly trim: Trim;
    readonly agent: AgentMemory;
    readonly prices: CompactorSettings['summarizer']['prices'];
  },
): TrimPlan | undefined {
  const options = { ...trim, prices, openInvocations: openInvocations(window) };
  const first = planTrim(window, { ...options, rent: agent.trimRent });
  if (first.status === 'wait') agent.trimRent += requests * first.rentPerRequest;
  const outcome = first.status === 'wait' ? planTrim(window, { ...options, rent: agent.trimRent }) : first;
  if (outcome.status !== 'plan') return undefined;
  agent.trimRent = 0;
  return outcome.plan;
}

function planAtBreak(window: FoldWindow, trim: Trim): TrimPlan | undefined {
  const outcome = planTrim(window, { ...trim, openInvocations: openInvocations(window), isBreak: true });
  return outcome.status === 'plan' ? outcome.plan : undefined;
}
