import { PalimpsestError } from '../errors/index.ts';

/** A moment as RFC 3339 text in UTC with milliseconds, such as `2026-01-31T09:30:00.000Z`. */
export type Instant = string;

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;
const firstMillis = Date.parse('0000-01-01T00:00:00.000Z');
const lastMillis = Date.parse('9999-12-31T23:59:59.999Z');

/** The instant of a number of milliseconds since 1970. */
export function toInstant(millis: number): Instant {
  return new Date(millis).toISOString();
}

/** Milliseconds since 1970 of an instant. */
export function toMillis(instant: Instant): number {
  return Date.parse(instant);
}

/** Reads RFC 3339 with any offset and returns it in UTC. Throws INVALID_ARGUMENT naming the argument. */
export function parseInstant(value: unknown, argument: string): Instant {
  const millis = typeof value === 'string' && rfc3339.test(value) && isDay(value) ? Date.parse(value) : Number.NaN;
  if (!isWritable(millis)) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument,
      reason: 'must be an RFC 3339 time with an offset, such as 2026-01-31T09:30:00Z',
    });
  }
  return toInstant(millis);
}

/** True for a number of milliseconds that RFC 3339 can write: the years 0000 to 9999. */
export function isWritable(millis: number): boolean {
  return millis >= firstMillis && millis <= lastMillis;
}

/** Date.parse turns the 30th of February into the 2nd of March. */
function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** Checks an IANA time zone name. Throws INVALID_ARGUMENT naming the argument. */
export function parseTimeZone(value: unknown, argument: string): string {
  try {
    if (typeof value === 'string' && value !== '') return new Intl.DateTimeFormat('en', { timeZone: value }) && value;
  } catch (cause) {
    throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: 'is no IANA time zone' }, { cause });
  }
  throw new PalimpsestError('INVALID_ARGUMENT', {
    argument,
    reason: 'must be an IANA time zone such as Asia/Shanghai',
  });
}
