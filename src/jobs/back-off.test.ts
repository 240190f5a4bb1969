import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { pauseAfter } from './back-off.ts';

const day = 86_400_000;
const limits = { firstDelayMs: 1_000, longestDelayMs: 900_000 };
const rateLimit = (retryAfterMs: number) =>
  new PalimpsestError('MODEL_FAILED', { model: '模型', reason: 'is busy', attempts: 3, retryAfterMs });

describe('the pause after a failure', () => {
  it('is a whole number between nothing and a longest one that doubles up to its limit', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.constantFrom(0, 1_000),
        (share, attempt, firstDelayMs) => {
          const backOff = { ...limits, firstDelayMs, random: () => share };
          const pause = pauseAfter(new TypeError('broken'), attempt, backOff);
          expect(Number.isSafeInteger(pause)).toBe(true);
          expect(pause).toBeGreaterThanOrEqual(0);
          expect(pause).toBeLessThanOrEqual(
            firstDelayMs === 0 ? 0 : Math.min(900_000, firstDelayMs * 2 ** (attempt - 1)),
          );
        },
      ),
    );
    expect([1, 2, 3, 11].map((attempt) => pauseAfter(0, attempt, { ...limits, random: () => 0.5 }))).toEqual([
      500, 1_000, 2_000, 450_000,
    ]);
  });

  it.each([
    ['by a failed model call', rateLimit(5_000), 5_000],
    ['by something else that was thrown', { retryAfterMs: 5_000.5 }, 5_001],
    ['less than the pause', rateLimit(7), 500],
    ['more than a day', rateLimit(1e300), day],
    ['for ever', { retryAfterMs: Number.POSITIVE_INFINITY }, day],
    ['nothing', rateLimit(-1), 500],
    ['not a number', { retryAfterMs: '5000' }, 500],
    ['by nobody', undefined, 500],
  ])('is what is asked for %s', (_name, error, expected) => {
    expect(pauseAfter(error, 1, { ...limits, random: () => 0.5 })).toBe(expected);
  });
});
