import { isPalimpsestError } from '../errors/index.ts';
import { copyJsonMap, isPlainObject, type JsonMap, type Usage } from '../events/index.ts';

/** A provider's own record is kept up to this size, about as counted by copyJsonMap. */
const mostRaw = 8_000;

/**
 * Reads the usage of an AI SDK model. Figures that are missing or no counts are left out. What was written to a cache, and
 * for how long, packages often pass on in the provider's own record only.
 */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isPlainObject(usage)) return undefined;
  const input = isPlainObject(usage.inputTokens) ? usage.inputTokens : {};
  const output = isPlainObject(usage.outputTokens) ? usage.outputTokens : {};
  const [inputTokens, outputTokens] = [input.total, output.total];
  const own = writesIn(usage.raw);
  const isSum = isCount(inputTokens) && isCount(outputTokens);
  const counts = Object.entries({
    inputTokens,
    outputTokens,
    cacheReadTokens: input.cacheRead,
    cacheWriteTokens: input.cacheWrite ?? own.all,
    cacheWriteLongTokens: own.long,
    reasoningTokens: output.reasoning,
    totalTokens: isSum ? inputTokens + outputTokens : undefined,
  }).filter(([, value]) => isCount(value));
  const raw = smallRecord(usage.raw);
  if (counts.length === 0 && raw === undefined) return undefined;
  return { ...Object.fromEntries(counts), ...(raw === undefined ? {} : { raw }) };
}

/** Tokens written to a cache as OpenAI and Anthropic record them, and those of them that are kept longer. */
function writesIn(raw: unknown): { readonly all?: unknown; readonly long?: unknown } {
  if (!isPlainObject(raw)) return {};
  const { cache_creation: created, input_tokens_details: ofResponse, prompt_tokens_details: ofChat } = raw;
  if (isPlainObject(created)) return { long: created.ephemeral_1h_input_tokens };
  const details = isPlainObject(ofResponse) ? ofResponse : ofChat;
  if (!isPlainObject(details)) return {};
  const byTime = details.cache_write_tokens_details;
  return { all: details.cache_write_tokens, long: isPlainObject(byTime) ? byTime.ttl_12h_tokens : undefined };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function smallRecord(raw: unknown): JsonMap | undefined {
  if (!isPlainObject(raw)) return undefined;
  const report = { replacedSurrogates: 0, size: 0 };
  try {
    const copy = copyJsonMap(raw, 'usage.raw', report);
    return report.size > mostRaw ? undefined : copy;
  } catch (error) {
    if (isPalimpsestError(error)) return undefined;
    throw error;
  }
}
