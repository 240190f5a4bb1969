import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import { checkCacheOption } from './check-cache-option.ts';

const row = { provider: 'openai', model: '通义-*', source: '自己', date: '2026-11-30' };
const client = { create: async () => undefined, delete: async () => undefined };

function refusedBy(value: unknown): unknown {
  try {
    checkCacheOption(value);
    return undefined;
  } catch (error) {
    return isPalimpsestError(error, 'INVALID_ARGUMENT') ? error.details.argument : error;
  }
}

describe('checkCacheOption', () => {
  it.each([
    'auto',
    'off',
    {},
    { ttl: '1h', moreSteps: true, reuseLimit: 1, client, rules: undefined },
    { rules: [row, { ...row, takesKey: true, ttlSeconds: [60], prices: { input: 0, output: 1, tiers: [] } }] },
  ])('takes %o', (value) => {
    expect(refusedBy(value)).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['cache', 'on'],
    ['cache', null],
    ['cache', ['auto']],
    ['cache.ttl', { ttl: '2h' }],
    ['cache.moreSteps', { moreSteps: 1 }],
    ['cache.reuseLimit', { reuseLimit: 0 }],
    ['cache.reuseLimit', { reuseLimit: 1.5 }],
    ['cache.client', { client: { create: client.create } }],
    ['cache.breakpoints', { breakpoints: 4 }],
    ['cache.__proto__', JSON.parse('{"__proto__":1}')],
    ['cache.rules', { rules: row }],
    ['cache.rules[1]', { rules: [row, '通义'] }],
    ['cache.rules[0].source', { rules: [{ ...row, source: undefined }] }],
    ['cache.rules[0].model', { rules: [{ ...row, model: '' }] }],
    ['cache.rules[0].provider', { rules: [{ ...row, provider: 'bedrock' }] }],
    ['cache.rules[0].readFactor', { rules: [{ ...row, readFactor: Number.NaN }] }],
    ['cache.rules[0].ttlSeconds', { rules: [{ ...row, ttlSeconds: [] }] }],
    ['cache.rules[0].prices', { rules: [{ ...row, prices: { input: 1 } }] }],
    ['cache.rules[0].prices', { rules: [{ ...row, prices: { input: 1, output: 1, tiers: [{ above: 1 }] } }] }],
    ['cache.rules[0].价格', { rules: [{ ...row, 价格: 1 }] }],
  ])('refuses by name: %s', (argument, value) => {
    expect(refusedBy(value)).toBe(argument);
  });
});
