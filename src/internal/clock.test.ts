import { expect, it } from 'vitest';
import { systemClock } from './clock.ts';

it('the system clock tells milliseconds since 1970', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
