import { asSchema, generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, it } from 'vitest';
import { openPalimpsest, type Palimpsest } from '../../../index.ts';
import { memoryTools } from './index.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Lets a model make one call and returns what it was told. */
async function told(palimpsest: Palimpsest, toolName: string, input: unknown, projectId?: string): Promise<unknown> {
  let calls = 0;
  const model = new MockLanguageModelV3({
    doGenerate: async () => {
      const call = { type: 'tool-call' as const, toolCallId: 'c1', toolName, input: JSON.stringify(input) };
      const unified = calls === 0 ? ('tool-calls' as const) : ('stop' as const);
      const content = calls++ === 0 ? [call] : [{ type: 'text' as const, text: 'ok' }];
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
  });
  const tools = memoryTools(palimpsest, { userId: 'u1', ...(projectId === undefined ? {} : { projectId }) });
  const { steps } = await generateText({ model, prompt: 'Go.', tools, stopWhen: stepCountIs(2) });
  const part = steps[0]?.content.find(({ type }) => type === 'tool-result' || type === 'tool-error');
  return part?.type === 'tool-result' ? part.output : part?.type === 'tool-error' ? part.error : undefined;
}

it('a model keeps, finds and removes memories of its user', async () => {
  await using palimpsest = await openPalimpsest({ sweepSeconds: 0 });
  const kept = await told(palimpsest, 'remember', { text: '用户喜欢摄氏度。' });
  expect(kept).toMatchObject({ remembered: true, id: expect.any(String) });
  const { id } = Object(kept);
  const found = await told(palimpsest, 'load_memory', { query: '摄氏度' });
  expect(found).toMatchObject({ memories: [{ id, text: '用户喜欢摄氏度。' }] });
  expect(await told(palimpsest, 'forget', { id })).toEqual({ forgotten: true });
  expect(await told(palimpsest, 'load_memory', { query: '摄氏度' })).toEqual({ memories: [] });
});

it('memories of a project stay in it', async () => {
  await using palimpsest = await openPalimpsest({ sweepSeconds: 0 });
  await told(palimpsest, 'remember', { text: 'Deploys go out on Mondays.' }, 'acme');
  expect(await told(palimpsest, 'load_memory', { query: 'deploys' }, 'other')).toEqual({ memories: [] });
  expect(await told(palimpsest, 'load_memory', { query: 'deploys' }, 'acme')).toMatchObject({ memories: [{}] });
});

it('wrong arguments are told to the model, and nothing is done', async () => {
  await using palimpsest = await openPalimpsest({ sweepSeconds: 0 });
  expect(String(await told(palimpsest, 'remember', { words: 'x' }))).toMatch(/text/);
  expect((await palimpsest.user('u1').memories()).items).toEqual([]);
});

it('the schemas are those of the tools that our own agents have', async () => {
  await using palimpsest = await openPalimpsest({ sweepSeconds: 0 });
  const { load_memory: load } = memoryTools(palimpsest, { userId: 'u1' });
  expect(await asSchema(load.inputSchema).jsonSchema).toMatchObject({ type: 'object', required: ['query'] });
  expect(() => memoryTools(palimpsest, { userId: '' })).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
});
