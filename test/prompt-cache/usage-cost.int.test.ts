import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Palimpsest } from '../../src/index.ts';
import { openQuiet, place, runToEnd } from '../agents/run-to-end.ts';
import { startWireServer, type Turn, type WireName, type WireServer } from '../wire-server/index.ts';
import { cachedAgent, cachedModelAt } from './cached-models.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterEach(() => server.clear());
afterAll(() => server.close());

type ScriptedUsage = NonNullable<Turn['usage']>;

const session = { appName: 'test', ...place };

/** One question, answered with such usage. */
async function ask(palimpsest: Palimpsest, wire: WireName, model: string, usage: ScriptedUsage): Promise<void> {
  server.reply({ text: '晴 ☀️', usage });
  const agent = cachedAgent(palimpsest, cachedModelAt(server.baseUrl(wire), wire, model));
  expect((await runToEnd(agent, { message: '天气？' })).failure).toBeUndefined();
}

describe('usage and cost of a session, from the wire to the report', () => {
  it.each<[string, WireName, string, ScriptedUsage, number, string]>([
    // 1,200 at 2, 8,000 at 0.2, 800 at 2.5, 300 at 10 USD a million tokens.
    [
      'Anthropic, which tells what was cached beside the input',
      'anthropic',
      'claude-sonnet-5',
      { inputTokens: 10_000, cacheReadTokens: 8000, cacheWriteTokens: 800, outputTokens: 300 },
      10_000,
      '0.009',
    ],
    // 2,000 at 5, 8,000 at 0.5, 300 at 30.
    [
      'OpenAI, which tells it within the input',
      'openai',
      'gpt-5.5',
      { inputTokens: 10_000, cacheReadTokens: 8000, outputTokens: 300, reasoningTokens: 100 },
      10_000,
      '0.023',
    ],
    // The dearer tier: 100,000 at 2.5, 150,000 at 0.25, 301 at 15.
    [
      'Gemini, which tells thoughts beside the answer',
      'gemini',
      'gemini-2.5-pro',
      { inputTokens: 250_000, cacheReadTokens: 150_000, outputTokens: 301, reasoningTokens: 300 },
      250_000,
      '0.292015',
    ],
  ])('are exact as %s', async (_, wire, model, usage, inputTokens, cost) => {
    const palimpsest = await openQuiet();
    await ask(palimpsest, wire, model, usage);
    const report = await palimpsest.sessions.usage(session);
    const { outputTokens, cacheReadTokens } = usage;
    expect(report).toMatchObject({ calls: 1, cost, tokens: { inputTokens, outputTokens, cacheReadTokens } });
    expect(report.byModel).toMatchObject([{ model, calls: 1, cost }]);
    await palimpsest.close();
  });

  it('are exact as OpenAI tells them from GPT-5.6 on, writes in its own record', async () => {
    const palimpsest = await openQuiet();
    const user = await palimpsest.user('u1').session('s1');
    const raw = { prompt_tokens_details: { cached_tokens: 8000, cache_write_tokens: 1500 } };
    const view = { agentName: '助手', history: 'full', provider: 'openai' } as const;
    const hashes = { configHash: '', requestHash: '', prefixFingerprint: '' };
    const request = { throughSeq: 1, view, model: 'gpt-5.6', blocks: [], rules: 1, breaks: [], ...hashes };
    const usage = { inputTokens: 10_000, cacheReadTokens: 8000, outputTokens: 300, raw };
    await user.append([{ author: '助手', content: '晴', request, usage }]);
    // 500 at 2, 8,000 at 0.2, 1,500 at 2.5, 300 at 10.
    expect((await palimpsest.sessions.usage(session)).cost).toBe('0.00935');
    await palimpsest.close();
  });

  it.each<[string, WireName, string, string, object, object]>([
    // 1,200 at 2, 8,000 at 0.2, 500 at 2.5, 300 at 4, 300 at 10.
    [
      'Anthropic keeps for an hour',
      'anthropic',
      'claude-sonnet-5',
      '"cache_creation_input_tokens":800',
      { cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 300 } },
      { cost: '0.00945', tokens: { cacheWriteTokens: 800, cacheWriteLongTokens: 300 } },
    ],
    // 500 at 2, 8,000 at 0.2, 1,500 at 2.5, 300 at 10.
    [
      'OpenAI writes, and the package passes on in the record only',
      'openai',
      'gpt-5.6',
      '"cached_tokens":8000',
      { cache_write_tokens: 1500 },
      { cost: '0.00935', tokens: { cacheReadTokens: 8000, cacheWriteTokens: 1500 } },
    ],
  ])('are exact for what %s', async (_, wire, model, told, more, expected) => {
    const palimpsest = await openQuiet();
    const cacheWriteTokens = wire === 'anthropic' ? { cacheWriteTokens: 800 } : {};
    const usage = { inputTokens: 10_000, cacheReadTokens: 8000, ...cacheWriteTokens, outputTokens: 300 };
    server.reply({ text: '晴 ☀️', usage });
    // The server of the test does not tell this much.
    const telling: typeof fetch = async (...asked) => {
      const answer = await fetch(...asked);
      const body = (await answer.text()).replaceAll(told, `${told},${JSON.stringify(more).slice(1, -1)}`);
      return new Response(body, answer);
    };
    const agent = cachedAgent(palimpsest, cachedModelAt(server.baseUrl(wire), wire, model, telling));
    expect((await runToEnd(agent, { message: '天气？' })).failure).toBeUndefined();
    expect(await palimpsest.sessions.usage(session)).toMatchObject({ calls: 1, ...expected });
    await palimpsest.close();
  });

  it('add up calls of several models, each at its own tier, for the user as well', async () => {
    const palimpsest = await openQuiet();
    const gemini = { cacheReadTokens: 0, outputTokens: 0 };
    for (const inputTokens of [150_000, 150_000])
      await ask(palimpsest, 'gemini', 'gemini-2.5-pro', { inputTokens, ...gemini });
    await ask(palimpsest, 'anthropic', 'claude-haiku-4-5', { inputTokens: 1_000_000, outputTokens: 1 });
    const report = await palimpsest.sessions.usage(session);
    // Neither of the two is long, though both together are.
    expect(report.byModel.map(({ model, cost }) => [model, cost])).toEqual([
      ['claude-haiku-4-5', '1.000005'],
      ['gemini-2.5-pro', '0.375'],
    ]);
    expect(report.cost).toBe('1.375005');
    expect(await palimpsest.user('u1').usage()).toEqual(report);
    await palimpsest.close();
  });

  it('have no cost where a price is not known, and that of a row of the application where there is one', async () => {
    const row = { provider: 'openai', model: 'local-model', source: '合同', date: '2026-11-30' } as const;
    const usage = { inputTokens: 1000, outputTokens: 1000 };
    for (const [rules, cost] of [
      [[], undefined],
      [[{ ...row, prices: { input: 0.5, output: 1.5 } }], '0.002'],
    ] as const) {
      const palimpsest = await openQuiet({ cache: { rules } });
      await ask(palimpsest, 'openai', 'local-model', usage);
      expect((await palimpsest.sessions.usage(session)).cost).toBe(cost);
      await palimpsest.close();
    }
  });
});
