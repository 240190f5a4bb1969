import { type ErrorFacts, fieldOf } from './error-facts.ts';

/**
 * How long a failed answer asks to be left alone, in milliseconds: `retry-after-ms`; `Retry-After` in seconds or as an
 * HTTP date, measured against the answer's own `Date` so that our clock need not agree; or the `retryDelay` that Gemini
 * puts into the error itself.
 */
export function retryAfterOf(facts: ErrorFacts, now: number): number | undefined {
  const milliseconds = amount(facts.header('retry-after-ms'), 1);
  if (milliseconds !== undefined) return milliseconds;
  const asked = facts.header('retry-after');
  if (asked === undefined) return delayInBody(facts.body);
  const seconds = amount(asked, 1000);
  if (seconds !== undefined) return seconds;
  const date = /^[A-Z]/i.test(asked) ? Date.parse(asked) : Number.NaN;
  if (Number.isNaN(date)) return undefined;
  const sent = Date.parse(facts.header('date') ?? '');
  return Math.max(0, date - (Number.isNaN(sent) ? now : sent));
}

/** A decimal number of units, as whole milliseconds. */
function amount(value: string | undefined, unit: number): number | undefined {
  if (value === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Math.ceil(Number(value) * unit);
}

/** `error.details[].retryDelay`, such as `"34.07s"`. */
function delayInBody(body: unknown): number | undefined {
  const details = fieldOf(fieldOf(body, 'error'), 'details');
  if (!Array.isArray(details)) return undefined;
  for (const detail of details) {
    const delay = fieldOf(detail, 'retryDelay');
    if (typeof delay === 'string' && delay.endsWith('s')) return amount(delay.slice(0, -1), 1000);
  }
  return undefined;
}
