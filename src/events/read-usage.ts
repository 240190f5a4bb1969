import { type CopyReport, copyJsonMap, isPlainObject } from './json.ts';
import { invalid } from './read-content.ts';
import type { Usage } from './usage.ts';

const counts = new Set([
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWriteLongTokens',
  'reasoningTokens',
  'totalTokens',
]);

/** Checks usage and returns a frozen copy: counts are numbers from 0 up, `raw` is any map. Throws INVALID_EVENT. */
export function readUsage(value: unknown, path: string, report: CopyReport): Usage {
  if (!isPlainObject(value)) throw invalid(path, 'must be an object');
  const usage: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const field = value[name];
    if (field === undefined) continue;
    if (name === 'raw') usage.raw = copyJsonMap(field, `${path}.raw`, report);
    else if (!counts.has(name)) throw invalid(`${path}.${name}`, "is no known field; the provider's own go into raw");
    else if (typeof field !== 'number' || !Number.isFinite(field) || field < 0)
      throw invalid(`${path}.${name}`, 'must be a number, 0 or more');
    else usage[name] = field;
  }
  report.size += 64;
  return Object.freeze(usage);
}
