import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.ts';
import { readUsage } from './read-usage.ts';
import type { Usage } from './usage.ts';

const read = (usage: unknown) => readUsage(usage, 'event.usage', { replacedSurrogates: 0, size: 0 });

/** Every field that there is: a new one does not compile before it stands here. */
const all: Required<Usage> = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 50,
  cacheWriteTokens: 30,
  cacheWriteLongTokens: 10,
  reasoningTokens: 5,
  totalTokens: 120,
  raw: { 费用: { 缓存: 30 } },
};

describe('readUsage', () => {
  it('gives any usage back as it was, also through JSON', () => {
    const { raw: _, ...counts } = all;
    const fields = Object.keys(counts).map((name) => [name, fc.nat()]);
    const raw = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonValue>);
    const usages = fc.record({ ...Object.fromEntries(fields), raw }, { requiredKeys: [] });
    fc.assert(
      fc.property(usages, (usage) => {
        const sent = JSON.parse(JSON.stringify(usage));
        expect(read(JSON.parse(JSON.stringify(read(sent))))).toEqual(sent);
      }),
    );
    expect(read(all)).toEqual(all);
  });

  it.each([
    ['cacheWriteLongTokens', { cacheWriteLongTokens: -1 }],
    ['inputTokens', { inputTokens: '7' }],
    ['totalTokens', { totalTokens: Number.POSITIVE_INFINITY }],
    ['cacheTokens', { cacheTokens: 1 }],
  ])('refuses %s by name', (name, usage) => {
    expect(() => read(usage)).toThrow(expect.objectContaining({ code: 'INVALID_EVENT' }));
    expect(() => read(usage)).toThrow(`event.usage.${name}`);
  });
});
