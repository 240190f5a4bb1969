import { type Instant, toInstant } from '../../../events/index.ts';

const iso = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const hasOffset = /(Z|[+-]\d{2}:?\d{2})$/i;
const spoken = /^(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) (\w+),? (\d{4})$/i;
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
/** Seconds since 1970 stay below this until the year 5138; milliseconds passed it in 1973. */
const firstMillis = 1e11;

/**
 * The instant that a foreign time means, or `undefined` if it means none: seconds or milliseconds since 1970, or ISO
 * 8601 text, where one without an offset counts as UTC. A time is display only, so a bad one is left out.
 */
export function foreignTime(value: unknown): Instant | undefined {
  if (typeof value === 'number') return instantOf(Math.abs(value) < firstMillis ? value * 1000 : value);
  if (typeof value !== 'string' || !iso.test(value.trim())) return undefined;
  const text = value.trim().replace(' ', 'T');
  return instantOf(Date.parse(hasOffset.test(text) ? text : `${text}Z`));
}

/** The instant of a time spoken as `1:56 pm on 8 May, 2023`, in UTC. */
export function spokenTime(value: string): Instant | undefined {
  const found = spoken.exec(value.trim());
  if (found === null) return undefined;
  const [, hour, minute, half, day, month, year] = found;
  const monthIndex = months.indexOf(String(month).toLowerCase());
  if (monthIndex === -1 || Number(hour) > 12 || Number(minute) > 59) return undefined;
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  const date = new Date(Date.UTC(Number(year), monthIndex, Number(day), hours, Number(minute)));
  return date.getUTCDate() === Number(day) ? date.toISOString() : undefined;
}

function instantOf(millis: number): Instant | undefined {
  const isReal = Number.isFinite(millis) && !Number.isNaN(new Date(millis).getTime());
  if (!isReal) return undefined;
  const instant = toInstant(millis);
  // Years beyond 9999 have no RFC 3339 form.
  return /^\d{4}-/.test(instant) ? instant : undefined;
}
