import { isPalimpsestError } from '../errors/index.ts';
import { copyJsonMap, isPlainObject, type JsonMap, type Usage } from '../events/index.ts';

/** A provider's own record is kept up to this size, about as counted by copyJsonMap. */
const mostRaw = 8_000;

/** Reads the usage of an AI SDK model. Figures that are missing or no counts are left out. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isPlainObject(usage)) return undefined;
  const input = isPlainObject(usage.inputTokens) ? usage.inputTokens : {};
  const output = isPlainObject(usage.outputTokens) ? usage.outputTokens : {};
  const [inputTokens, outputTokens] = [input.total, output.total];
  const isSum = isCount(inputTokens) && isCount(outputTokens);
  const counts = Object.entries({
    inputTokens,
    outputTokens,
    cacheReadTokens: input.cacheRead,
    cacheWriteTokens: input.cacheWrite,
    reasoningTokens: output.reasoning,
    totalTokens: isSum ? inputTokens + outputTokens : undefined,
  }).filter(([, value]) => isCount(value));
  const raw = smallRecord(usage.raw);
  if (counts.length === 0 && raw === undefined) return undefined;
  return { ...Object.fromEntries(counts), ...(raw === undefined ? {} : { raw }) };
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
