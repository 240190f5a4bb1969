import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';
import { estimateTokens, type SessionKey } from '../../events/index.ts';
import type { LanguageModel, Logger, ModelCall } from '../../models/index.ts';
import { estimateRequest } from '../assembly/index.ts';
import { cacheRulesFor, openAiCacheKey } from '../prompt-cache/index.ts';
import { askSummarizer, type SummarizerPatience } from './ask-summarizer.ts';
import { checkSummary } from './check-summary.ts';
import type { SummaryOrigin } from './compaction-input.ts';
import type { AgentRequest, CompactionOutcome, CompactorOptions } from './compactor.ts';
import { expectFold, type FoldPrices } from './fold-costs.ts';
import type { FoldPlan } from './plan-fold.ts';
import { refusalReason } from './refusal-reason.ts';
import { renderForSummary, type SummaryRequest } from './render-for-summary.ts';
import { sharedRequest } from './shared-request.ts';
import { summaryWay } from './summary-way.ts';

/** What writes summaries, and what that costs. */
export interface Summarizer extends Pick<CompactorOptions, 'model' | 'requestOf'> {
  readonly prices: FoldPrices;
  readonly logger: Logger;
}

/** A summary that is asked for. */
export interface SummaryOrder {
  readonly key: SessionKey;
  readonly plan: FoldPlan;
  readonly focus?: string;
  /** Whose request may be shared; absent: nobody's. */
  readonly sharing?: { readonly agentName: string; readonly secondsSinceRequest?: number };
  readonly patience: SummarizerPatience;
}

/** A summary that was taken, or why there is none. */
export type WrittenSummary =
  | ({ readonly status: 'written'; readonly text: string } & Omit<SummaryOrigin, 'trigger'>)
  | Extract<CompactionOutcome, { readonly status: 'failed' }>;

interface Asked {
  readonly model: LanguageModel;
  readonly call: ModelCall;
}

/** As summaries of cheap models over long conversations were measured; only to compare two ways of asking for one. */
const expectedShare = 0.12;

/** Has a summary written, in the cheaper way of the two that there are, and checks it. */
export async function writeSummary(summarizer: Summarizer, order: SummaryOrder): Promise<WrittenSummary> {
  const { plan, focus, patience } = order;
  const rendered = renderForSummary(plan, focus === undefined ? {} : { focus });
  const { model, call } = (await askedByShare(summarizer, order, rendered)) ?? askedAlone(summarizer, order, rendered);
  const reply = await askSummarizer(model, call, patience);
  if (isPalimpsestError(reply)) return { status: 'failed', error: reply };
  const check = checkSummary(reply, plan);
  const name = reply.modelVersion ?? model.name;
  if (check.status === 'accepted')
    return { status: 'written', text: check.text, model: name, ...(reply.usage && { usage: reply.usage }) };
  const { refusal } = check;
  const error = new PalimpsestError('MODEL_FAILED', { model: name, reason: refusalReason(refusal), attempts: 1 });
  return { status: 'failed', error, refusal };
}

function askedAlone({ model }: Summarizer, { key, sharing }: SummaryOrder, rendered: SummaryRequest): Asked {
  const request = {
    instruction: [rendered.instruction],
    tools: [],
    contents: [{ role: 'user' as const, parts: [{ text: rendered.text }] }],
    transient: [],
  };
  const takesKey = cacheRulesFor({ provider: model.provider, model: model.name }).takesKey;
  const cacheKey = openAiCacheKey({ session: key, agentName: sharing?.agentName ?? '', purpose: 'summary' });
  return { model, call: { request, ...(takesKey ? { cache: { cacheKey } } : {}) } };
}

/** The agent's own request with the instruction appended, where there is one and it is the cheaper way. */
async function askedByShare(
  summarizer: Summarizer,
  order: SummaryOrder,
  rendered: SummaryRequest,
): Promise<Asked | undefined> {
  const { plan, focus, sharing } = order;
  const agent = sharing && (await requestOf(summarizer, order.key, sharing.agentName));
  if (sharing === undefined || agent === undefined) return undefined;
  const { provider } = agent.model;
  const shared = sharedRequest(plan, { request: agent.request, provider, ...(focus === undefined ? {} : { focus }) });
  if (shared === undefined) return undefined;
  const { secondsSinceRequest } = sharing;
  const way = summaryWay({
    requestTokens: estimateRequest(agent.request, { provider }).n,
    renderedTokens: estimateTokens.count(rendered.text) + estimateTokens.count(rendered.instruction),
    appendedTokens: estimateTokens.count(shared.instruction),
    summaryTokens: Math.min(plan.mostTokens, expectFold(plan.tokens, expectedShare).summary),
    ...(secondsSinceRequest === undefined ? {} : { secondsSinceRequest }),
    prices: summarizer.prices,
  });
  return way === 'own' ? undefined : { model: agent.model, call: { ...callOf(agent), request: shared.request } };
}

async function requestOf(
  { requestOf, logger }: Summarizer,
  key: SessionKey,
  agentName: string,
): Promise<AgentRequest | undefined> {
  try {
    return await requestOf?.(key, agentName);
  } catch (error) {
    // The summariser can be asked without it.
    const why = error instanceof Error ? error.message : String(error);
    logger.warn('A summary cannot share the request of an agent.', { sessionId: key.sessionId, agentName, why });
    return undefined;
  }
}

/**
 * What goes with the agent's calls goes with this one, or the provider would not find the prefix, but for a choice of
 * tools that would have one called. That no tool is to be called can be said only where it is no part of the prefix.
 */
function callOf({ request, model, settings = {}, cache }: AgentRequest): Pick<ModelCall, 'settings' | 'cache'> {
  const { toolChoice, ...others } = settings;
  const isFree = model.provider === 'openai' && request.tools.length > 0;
  const choice = isFree ? 'none' : toolChoice === 'auto' || toolChoice === 'none' ? toolChoice : undefined;
  return {
    settings: { ...others, ...(choice === undefined ? {} : { toolChoice: choice }) },
    ...(cache === undefined ? {} : { cache }),
  };
}
