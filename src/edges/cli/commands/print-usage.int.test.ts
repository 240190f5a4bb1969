import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPalimpsest } from '../../../engine/index.ts';
import type { EventInput } from '../../../events/index.ts';
import { runCaptured } from '../run-captured.ts';

let directory = '';
const cli = (...args: readonly string[]) =>
  runCaptured([...args, '--file', join(directory, 'usage.db')], { cwd: directory });

function answerBy(model: string, usage: EventInput['usage']): EventInput {
  const view = { agentName: '助手', history: 'full', provider: 'anthropic' } as const;
  const hashes = { configHash: '', requestHash: '', prefixFingerprint: '' };
  const request = { throughSeq: 1, view, model, blocks: [], rules: 1, breaks: [], ...hashes };
  return { author: '助手', content: '好', request, ...(usage && { usage }) };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-usage-'));
  const palimpsest = await openPalimpsest({ file: join(directory, 'usage.db'), sweepSeconds: 0 });
  const first = await palimpsest.user('小王').session('天气-1');
  const usage = { inputTokens: 1_000_000, cacheReadTokens: 400_000, cacheWriteTokens: 100_000, outputTokens: 10_000 };
  await first.append([{ author: 'user', content: '几度？' }, answerBy('claude-opus-4-8', usage)]);
  const compaction = {
    covers: [[1, 2]] as const,
    content: { role: 'model' as const, parts: [{ text: '问了天气。' }] },
    trigger: 'manual',
    sourceHash: 'none',
    summarizer: { model: 'gemini-2.5-flash', usage: { inputTokens: 1000, outputTokens: 100 } },
  };
  await first.append([{ author: 'system', actions: { compaction } }]);
  const second = await palimpsest.user('小王').session('天气-2');
  await second.append([answerBy('通义千问 🌤️', { inputTokens: 7, outputTokens: 2 })]);
  await palimpsest.user('李').session('空');
  await palimpsest.close();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const squeezed = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' | '));

describe('palimpsest usage', () => {
  test('prints tokens and cost of a session by model, summaries apart', async () => {
    const { code, out, err } = await cli('usage', '天气-1');
    expect([code, err]).toEqual([0, '']);
    // 500,000 at 5, 400,000 at 0.5, 100,000 at 6.25 and 10,000 at 25 a million.
    expect(squeezed(out)).toEqual([
      'MODEL | CALLS | INPUT | CACHED | WRITTEN | OUTPUT | USD',
      'claude-opus-4-8 | 1 | 1000000 | 400000 | 100000 | 10000 | 3.575',
      'gemini-2.5-flash (summaries) | 1 | 1000 | 0 | 0 | 100 | 0.00055',
    ]);
  });

  test('adds up the sessions of a user, and says which price is not known', async () => {
    const { code, out, err } = await cli('usage', '--user', '小王');
    expect(code).toBe(0);
    expect(squeezed(out).slice(1)).toEqual([
      'claude-opus-4-8 | 1 | 1000000 | 400000 | 100000 | 10000 | 3.575',
      '通义千问 🌤️ | 1 | 7 | 0 | 0 | 2 | -',
      'gemini-2.5-flash (summaries) | 1 | 1000 | 0 | 0 | 100 | 0.00055',
      'all but summaries | 2 | 1000007 | 400000 | 100000 | 10002 | -',
    ]);
    expect(err).toContain('the price of that model is not known');
  });

  test('prints JSON, and says where there is nothing', async () => {
    const report = JSON.parse((await cli('usage', '天气-2', '--json')).out);
    expect(report).toMatchObject({ calls: 1, tokens: { inputTokens: 7 }, compaction: { calls: 0, cost: '0' } });
    expect(report).not.toHaveProperty('cost');
    expect((await cli('usage', '空')).err).toContain('No model calls of session "空".');
    expect((await cli('usage', '--user', '谁')).err).toContain('No model calls of user "谁".');
    expect((await cli('usage')).err).toContain('--user is needed');
    expect((await cli('usage', '没有')).code).not.toBe(0);
  });
});
