import type { Instant } from '../../../events/index.ts';

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

/** A moment as `2026-01-31 09:30`, in the given IANA time zone or else the machine's. */
export function timeText(instant: Instant, timeZone?: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // Swedish writes dates as ISO does.
    format = new Intl.DateTimeFormat('sv-SE', {
      dateStyle: 'short',
      timeStyle: 'short',
      ...(timeZone ? { timeZone } : {}),
    });
    formats.set(timeZone, format);
  }
  return format.format(new Date(instant));
}

/** `1 event`, `2 events`. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`;
}
