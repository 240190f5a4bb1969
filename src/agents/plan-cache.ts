import type { RequestTokens } from '../context/assembly/index.ts';
import {
  anthropicBreakpoints,
  type Breakpoint,
  type CacheRuleRow,
  type CacheRules,
  openAiBreakpoints,
  openAiCacheKey,
  type PrefixPlan,
  planPrefix,
} from '../context/prompt-cache/index.ts';
import { type Content, countedText, estimateTokens, type ModelRequest, type SessionKey } from '../events/index.ts';
import type { CacheDirections, PromptCacheClient } from '../models/index.ts';

/** How the application wants requests to be cached. */
export interface CachePolicy {
  /** Rows of the application's own, above those of the library. */
  readonly rules?: readonly CacheRuleRow[];
  /** How long at least what is cached is to be kept. Default: the provider's shortest time. */
  readonly ttlSeconds?: number;
  /** Mark the end of each request too, for agents that call tools. Default false. */
  readonly moreSteps?: boolean;
  /** Makes objects in the cache of providers that have them. None: no objects are made. */
  readonly client?: PromptCacheClient;
  /** In how many invocations an object is used before a longer one takes its place. Default 10. */
  readonly reuseLimit?: number;
}

/** The marks of a request that was planned, to plan the next one by. */
export interface MarkedRequest {
  /** As in its journal. */
  readonly prefixFingerprint: string;
  readonly breakpoints: readonly Breakpoint[];
}

/** What directions are planned from. */
export interface CachePlanInput {
  readonly request: ModelRequest;
  readonly plan: PrefixPlan;
  readonly rules: CacheRules;
  readonly policy: CachePolicy;
  readonly session: SessionKey;
  readonly agentName: string;
  /** Of the request before, if this one begins with its stable part. */
  readonly previous: readonly Breakpoint[] | undefined;
}

/**
 * The prefix of a request that was counted as a whole. Of its contents only those at the end are counted once more, and
 * only estimated: what is asked is whether there is enough before them.
 */
export function planCounted(request: ModelRequest, { n, unscaled, parts }: RequestTokens): PrefixPlan {
  const scale = unscaled === 0 ? 1 : n / unscaled;
  const { instruction = 0, tools = 0 } = parts;
  return planPrefix(request, {
    instruction: Math.round(instruction * scale),
    tools: Math.round(tools * scale),
    contents: Math.round((unscaled - instruction - tools) * scale),
    tokensOf: (content) => Math.round(estimated(content) * scale),
  });
}

/** What the provider of a request is told by marks and keys; objects in its cache are a matter of their own. */
export function planDirections(input: CachePlanInput): CacheDirections {
  const { rules, session, agentName } = input;
  const breakpoints = marksOf(input);
  const takesKey = rules.provider === 'openai' && rules.takesKey;
  return {
    ...(takesKey ? { cacheKey: openAiCacheKey({ session, agentName }) } : {}),
    ...(breakpoints.length === 0 ? {} : { breakpoints }),
  };
}

function marksOf({ request, plan, rules, policy, previous }: CachePlanInput): readonly Breakpoint[] {
  const { ttlSeconds: seconds, moreSteps } = policy;
  const about = { plan, request, rules, ...(moreSteps === undefined ? {} : { moreSteps }) };
  if (rules.provider === 'openai') return openAiBreakpoints(about).breakpoints;
  if (rules.provider !== 'anthropic') return [];
  const { breakpoints } = anthropicBreakpoints({
    ...about,
    ...(previous === undefined ? {} : { previous }),
    ...(seconds === undefined ? {} : { ttlSeconds: { head: seconds, conversation: seconds } }),
  });
  return breakpoints;
}

function estimated({ parts }: Content): number {
  return parts.reduce((sum, part) => sum + estimateTokens.count(countedText(part)), 0);
}
