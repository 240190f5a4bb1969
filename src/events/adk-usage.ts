import { type AdkObject, numberAt, onlySet } from './adk-fields.ts';
import { type AdkCasing, spellFields } from './adk-names.ts';
import type { JsonMap } from './json.ts';
import type { Usage } from './usage.ts';

/** Gemini's usage metadata as usage; the record itself is kept in `raw`. Thoughts count as output, as elsewhere. */
export function usageFromAdk(metadata: AdkObject): Usage {
  const candidates = numberAt(metadata, 'candidatesTokenCount');
  const thoughts = numberAt(metadata, 'thoughtsTokenCount');
  return onlySet({
    inputTokens: numberAt(metadata, 'promptTokenCount'),
    outputTokens: candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0),
    cacheReadTokens: numberAt(metadata, 'cachedContentTokenCount'),
    reasoningTokens: thoughts,
    totalTokens: numberAt(metadata, 'totalTokenCount'),
    raw: metadata.fields,
  });
}

/** Usage of any provider as Gemini's usage metadata, which has no word for what was written to a cache. */
export function usageToAdk(usage: Usage, casing: AdkCasing): JsonMap {
  const { inputTokens, outputTokens, reasoningTokens } = usage;
  const counts = {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens === undefined ? undefined : Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    cachedContentTokenCount: usage.cacheReadTokens,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: usage.totalTokens ?? sum(inputTokens, outputTokens),
  };
  return spellFields(counts, casing) as JsonMap;
}

function sum(input: number | undefined, output: number | undefined): number | undefined {
  return input === undefined && output === undefined ? undefined : (input ?? 0) + (output ?? 0);
}
