const monthNames = 'January February March April May June July August September October November December'.split(' ');

/** A time as data sets write it, such as `1:56 pm on 8 May, 2023` or `2022/09/01 (Thu) 09:42`; `undefined` for others. */
export function spokenInstant(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const spoken = /^(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) ([A-Z][a-z]+), (\d{4})$/.exec(value.trim());
  if (spoken !== null) {
    const [, hour = '', minute = '', half, day = '', month = '', year = ''] = spoken;
    const index = monthNames.indexOf(month);
    const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
    return index === -1 ? undefined : instantOf(Date.UTC(Number(year), index, Number(day), hours, Number(minute)));
  }
  const [, year, month, day, hour = '0', minute = '0'] =
    /^(\d{4})[-/](\d{2})[-/](\d{2})(?: \([A-Z][a-z]{2}\) |T|$)(?:(\d{2}):(\d{2}))?/.exec(value.trim()) ?? [];
  if (year === undefined) return undefined;
  return instantOf(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)));
}

function instantOf(millis: number): string | undefined {
  return Number.isNaN(millis) ? undefined : new Date(millis).toISOString();
}
