import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import { parseInstant, parseTimeZone, toInstant, toMillis } from './instant.ts';

describe('instants', () => {
  it('lead from milliseconds to text and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (millis) => {
        const instant = toInstant(millis);
        expect(instant).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(toMillis(instant)).toBe(millis);
        expect(parseInstant(instant, 'at')).toBe(instant);
      }),
    );
  });

  it.each([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31t09:30:00z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T17:30:00+08:00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.123456789Z', '2026-01-31T09:30:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('read %s', (given, expected) => {
    expect(parseInstant(given, 'at')).toBe(expected);
  });

  it.each([
    ['2026-01-31'],
    ['2026-01-31T09:30:00'],
    ['2026-02-30T00:00:00Z'],
    ['2025-02-29T00:00:00Z'],
    ['2026-13-01T00:00:00Z'],
    ['2026-01-01T25:00:00Z'],
    ['9999-12-31T23:59:59-12:00'],
    ['+012026-01-31T09:30:00Z'],
    ['yesterday'],
    [''],
    [1_700_000_000_000],
    [new Date(0)],
    [null],
  ])('refuse %o, naming the argument', (given) => {
    expect(() => parseInstant(given, 'timestamp')).toThrowError(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ argument: 'timestamp' }),
      }),
    );
  });
});

describe('time zones', () => {
  it.each(['Asia/Shanghai', 'UTC', 'Europe/Berlin'])('keep %s', (zone) => {
    expect(parseTimeZone(zone, 'timeZone')).toBe(zone);
  });

  it.each([['Mars/Olympus'], [''], [8], [undefined], ['Asia/Shang hai']])('refuse %o', (zone) => {
    try {
      parseTimeZone(zone, 'timeZone');
      expect.unreachable();
    } catch (error) {
      expect(isPalimpsestError(error, 'INVALID_ARGUMENT') && error.details.argument).toBe('timeZone');
    }
  });
});
