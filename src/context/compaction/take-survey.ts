import type { SessionKey, View } from '../../events/index.ts';
import type { CompactionFor } from './compactor.ts';
import type { CompactorSettings } from './compactor-settings.ts';
import type { SessionMemory } from './fold-memory.ts';
import { type FoldWindow, foldPlaceOf } from './fold-window.ts';
import { observedOverhead, readFacts, type WindowFacts } from './read-facts.ts';
import type { Trigger } from './triggers.ts';

/** A session at work, and what is remembered of it. */
export interface WorkPlace {
  readonly key: SessionKey;
  readonly session: SessionMemory;
}

/** What stands in a session at one moment, as an agent sees it. */
export interface SessionSurvey extends WorkPlace {
  readonly agentName: string;
  readonly view: View;
  readonly window: FoldWindow;
  readonly facts: WindowFacts;
  /** The runs under way whose events are left alone. */
  readonly openIn: (window: FoldWindow) => ReadonlySet<string>;
}

/** Reads what stands in a session. Throws what the log throws. */
export async function takeSurvey(
  { log, summarizer, summaryRegion, now }: CompactorSettings,
  { key, session }: WorkPlace,
  { agentName, provider = summarizer.model.provider, ...where }: CompactionFor,
  { openIn, triggers = [] }: Pick<SessionSurvey, 'openIn'> & { readonly triggers?: readonly Trigger[] },
): Promise<SessionSurvey> {
  const view: View = { agentName, ...foldPlaceOf(where), history: 'full', provider };
  const window = await log.readLive(key, view);
  const agent = session.agent(agentName);
  agent.overheadTokens = observedOverhead(window, view) ?? agent.overheadTokens;
  const facts = readFacts(window, triggers, {
    view,
    now: now(),
    overheadTokens: agent.overheadTokens,
    openInvocations: openIn(window),
    summaryRegion,
  });
  return { key, session, agentName, view, window, facts, openIn };
}

/** Seq of the newest summary in force, 0 where there is none. */
export function newestSummary({ coverage }: FoldWindow): number {
  return Math.max(0, ...coverage.summaries.map(({ seq }) => seq));
}
