import type { CacheRuleRow } from './cache-facts.ts';

const skills = 'github.com/anthropics/skills@9d2f1ae skills/claude-api/shared/prompt-caching.md';
const litellm = 'docs.litellm.ai/docs/completion/prompt_caching';
const openai = 'developers.openai.com/api/docs/guides/prompt-caching';
const gemini = 'ai.google.dev/gemini-api/docs/caching';
const vertex = 'docs.cloud.google.com/gemini-enterprise-agent-platform/models/context-cache/context-cache-overview';
const modelsDev = 'github.com/anomalyco/models.dev';

const read = '2026-11-30';

const marked = { mostBreakpoints: 4, lookBackBlocks: 20, readFactor: 0.1, writeFactor: 1.25, longWriteFactor: 2 };

const objects = { holdsObjects: true, ttlSeconds: [3600], readFactor: 0.1, writeFactor: 1 };

const marksAndKey = {
  takesKey: true,
  minimumTokens: 1024,
  ttlSeconds: [1800, 43_200],
  mostBreakpoints: 4,
  readBreakpoints: 80,
  usage: 'openaiWithWrites',
  readFactor: 0.1,
  writeFactor: 1.25,
} as const;

/**
 * What is known of models, each row with its source and the day on which it was read. Sources differ about the least
 * length. Where a mark on a shorter prefix does nothing, as with Anthropic, the lower figure is taken; where a call would
 * fail, as with Gemini's objects, the higher one.
 */
export const cacheRuleRows: readonly CacheRuleRow[] = Object.freeze([
  {
    provider: 'anthropic',
    model: 'claude*',
    minimumTokens: 1024,
    ttlSeconds: [300, 3600],
    ...marked,
    source: skills,
    date: '2026-07-01',
  },
  anthropicMinimum('claude-opus-4-5', 4096),
  anthropicMinimum('claude-opus-4-6', 4096),
  anthropicMinimum('claude-haiku-4-5', 4096),
  anthropicMinimum('claude-opus-4-7', 2048),
  anthropicMinimum('claude-opus-5', 512),
  anthropicMinimum('claude-fable-5', 512),
  anthropicMinimum('claude-mythos-5', 512),
  priced('anthropic', 'claude-haiku-4-5', '482fb01', { input: 1, output: 5 }),
  priced('anthropic', 'claude-sonnet-4-6', '7fbe224', { input: 3, output: 15 }),
  priced('anthropic', 'claude-sonnet-5', '1261f5b', { input: 2, output: 10 }),
  { ...priced('anthropic', 'claude-sonnet-5-5', '482fb01', { input: 2, output: 10 }), readFactor: 0.05 },
  priced('anthropic', 'claude-opus-4-5', '7fbe224', { input: 5, output: 25 }),
  priced('anthropic', 'claude-opus-4-6', '7fbe224', { input: 5, output: 25 }),
  priced('anthropic', 'claude-opus-4-7', '147cb31', { input: 5, output: 25 }),
  priced('anthropic', 'claude-opus-4-8', '7ea1d4e', { input: 5, output: 25 }),
  priced('anthropic', 'claude-opus-5', 'b01d148', { input: 5, output: 25 }),
  { ...priced('anthropic', 'claude-opus-5-5', '482fb01', { input: 4, output: 20 }), readFactor: 0.05 },
  priced('anthropic', 'claude-fable-5', 'ed588fd', { input: 10, output: 50 }),
  {
    provider: 'openai',
    model: 'gpt-5*',
    takesKey: true,
    minimumTokens: 1024,
    stepTokens: 128,
    ttlSeconds: [300, 86_400],
    readFactor: 0.1,
    source: openai,
    date: read,
  },
  { provider: 'openai', model: 'gpt-5.6*', stepTokens: 1, ...marksAndKey, source: openai, date: read },
  { provider: 'openai', model: 'gpt-6*', ...marksAndKey, source: openai, date: read },
  priced('openai', 'gpt-5.4', '2c0a4b1', {
    input: 2.5,
    output: 15,
    tiers: [{ above: 272_000, input: 5, output: 22.5 }],
  }),
  priced('openai', 'gpt-5.5', '2593e13', { input: 5, output: 30, tiers: [{ above: 272_000, input: 10, output: 45 }] }),
  priced('openai', 'gpt-5.6', 'a9d4591', { input: 2, output: 10, tiers: [{ above: 272_000, input: 4, output: 15 }] }),
  priced('openai', 'gpt-5.6-sol', '47eabd6', {
    input: 2,
    output: 10,
    tiers: [{ above: 272_000, input: 4, output: 15 }],
  }),
  priced('openai', 'gpt-5.6-terra', '89b873e', { input: 2.5, output: 15 }),
  priced('openai', 'gpt-5.6-luna', '89b873e', { input: 1, output: 6 }),
  { provider: 'gemini', model: 'gemini-2.5*', minimumTokens: 4096, ...objects, source: gemini, date: read },
  { provider: 'gemini', model: 'gemini-2.5-flash*', minimumTokens: 2048, source: vertex, date: read },
  { provider: 'gemini', model: 'gemini-3*', minimumTokens: 4096, ...objects, source: gemini, date: read },
  priced('gemini', 'gemini-2.5-flash-lite', '19565ce', { input: 0.1, output: 0.4 }),
  priced('gemini', 'gemini-2.5-flash', '0760cef', { input: 0.3, output: 2.5 }),
  priced('gemini', 'gemini-2.5-pro', '0760cef', {
    input: 1.25,
    output: 10,
    tiers: [{ above: 200_000, input: 2.5, output: 15 }],
  }),
  priced('gemini', 'gemini-3-flash', '96e7a00', { input: 0.5, output: 3 }),
  priced('gemini', 'gemini-3-pro', '2593e13', {
    input: 2,
    output: 12,
    tiers: [{ above: 200_000, input: 4, output: 18 }],
  }),
  priced('gemini', 'gemini-3.1-pro', '2593e13', {
    input: 2,
    output: 12,
    tiers: [{ above: 200_000, input: 4, output: 18 }],
  }),
]);

function anthropicMinimum(model: string, minimumTokens: number): CacheRuleRow {
  return { provider: 'anthropic', model, minimumTokens, source: litellm, date: '2026-10-07' };
}

function priced(
  provider: CacheRuleRow['provider'],
  model: string,
  commit: string,
  prices: NonNullable<CacheRuleRow['prices']>,
): CacheRuleRow {
  return { provider, model, prices, source: `${modelsDev}@${commit}`, date: read };
}
