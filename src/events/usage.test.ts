import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from './usage.ts';

describe('estimateTokens', () => {
  it('counts four letters of English or one of Chinese a token', () => {
    expect(estimateTokens.count('')).toBe(0);
    expect(estimateTokens.count('abcd')).toBe(1);
    expect(estimateTokens.count('abcde')).toBe(2);
    expect(estimateTokens.count('北京天气')).toBe(4);
    expect(estimateTokens.count('北京 ok')).toBe(3);
  });

  it('never shrinks as text grows, and adds up within a token', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const whole = estimateTokens.count(a + b);
        const sum = estimateTokens.count(a) + estimateTokens.count(b);
        expect(whole).toBeGreaterThanOrEqual(estimateTokens.count(a));
        expect(sum - whole).toBeGreaterThanOrEqual(0);
        expect(sum - whole).toBeLessThanOrEqual(1);
      }),
    );
  });
});
