import { describe, expect, it } from 'vitest';
import type { AiSdkLanguageModel, AiSdkPrompt, AiSdkStreamPart } from '../../src/models/index.ts';
import { openQuiet, runToEnd } from '../agents/run-to-end.ts';
import { cachedAgent, remember } from './cached-models.ts';

const steps = 2;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** What comes for the request of such a number: calls of a tool, then an answer. */
function partsOf(request: number): readonly AiSdkStreamPart[] {
  if (request % (steps + 1) === 0)
    return [
      { type: 'text-delta', id: '1', delta: `第${request}个答案：多云 ⛅` },
      { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
    ];
  return [
    { type: 'tool-call', toolCallId: `c${request}`, toolName: 'clock', input: '{}' },
    { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
  ];
}

/** A model in the shape of those of `@ai-sdk/openai`, and the prompts that it was asked with. */
function modelAt(baseUrl: string, modelId: string) {
  const prompts: AiSdkPrompt[] = [];
  const model: AiSdkLanguageModel & { readonly config: object } = {
    specificationVersion: 'v3',
    provider: 'openai.responses',
    modelId,
    config: { url: ({ path }: { readonly path: string }) => `${baseUrl}${path}` },
    doGenerate: () => Promise.reject(new TypeError('streams are asked for')),
    doStream: async ({ prompt }) => {
      prompts.push(structuredClone(prompt));
      return { stream: new ReadableStream({ start: (out) => close(out, partsOf(prompts.length)) }) };
    },
  };
  return { model, prompts };
}

function close(out: ReadableStreamDefaultController<AiSdkStreamPart>, parts: readonly AiSdkStreamPart[]): void {
  for (const part of parts) out.enqueue(part);
  out.close();
}

interface MarkedBlock {
  /** Without the mark itself. */
  readonly bytes: string;
  readonly mark: unknown;
}

/** What can be marked, in the order of the prompt. */
function blocksOf(prompt: AiSdkPrompt): readonly MarkedBlock[] {
  return prompt.flatMap((message) => {
    const { role, content } = message;
    const parts = typeof content === 'string' ? [message] : content;
    return parts.map(({ providerOptions = {}, ...part }) => {
      const { openai: { promptCacheBreakpoint: mark, ...more } = {}, ...others } = providerOptions;
      return { bytes: JSON.stringify([role, part, more, others]), mark };
    });
  });
}

/** What stands up to each mark. */
function prefixesOf(prompt: AiSdkPrompt): readonly string[] {
  const blocks = blocksOf(prompt);
  const upTo = (end: number) => blocks.slice(0, end + 1).map(({ bytes }) => bytes);
  return blocks.flatMap(({ mark }, at) => (mark === undefined ? [] : upTo(at).join('\n')));
}

async function promptsOf(baseUrl: string, modelId: string, cache: object = {}): Promise<readonly AiSdkPrompt[]> {
  const palimpsest = await openQuiet(cache);
  await remember(palimpsest);
  const { model, prompts } = modelAt(baseUrl, modelId);
  const agent = cachedAgent(palimpsest, model);
  for (const turn of [1, 2, 3, 4]) {
    const { failure } = await runToEnd(agent, { message: `第${turn}问：杭州的天气，摄氏度多少？` });
    if (failure !== undefined) throw failure;
  }
  await palimpsest.close();
  expect(prompts).toHaveLength(4 * (steps + 1));
  return prompts;
}

const openAi = 'https://api.openai.com/v1';

describe('requests to OpenAI itself, as its package is given them', () => {
  it('are marked so that each finds what the one before was marked to', async () => {
    const prompts = await promptsOf(openAi, 'gpt-5.6');
    for (const [at, prompt] of prompts.slice(1).entries()) {
      const written = prefixesOf(prompts[at] ?? prompt);
      expect(prefixesOf(prompt)).toEqual(expect.arrayContaining([...written]));
    }
    // The instruction, and in each turn the question and two results; in the last one they stand behind what is recalled.
    expect(prefixesOf(prompts.at(-1) ?? [])).toHaveLength(1 + 3 * (1 + steps) + 1);
  });

  it('have no mark on what is recalled, nor behind it', async () => {
    for (const prompt of await promptsOf(openAi, 'gpt-6-astra')) {
      const blocks = blocksOf(prompt);
      const recalled = blocks.findIndex(({ bytes }) => bytes.includes('<recalled_memories>'));
      expect(recalled).toBeGreaterThan(0);
      expect(blocks.slice(recalled).filter(({ mark }) => mark !== undefined)).toEqual([]);
      expect(new Set(blocks.flatMap(({ mark }) => (mark === undefined ? [] : JSON.stringify(mark))))).toEqual(
        new Set(['{"mode":"explicit"}']),
      );
    }
  });

  it('are marked behind it too where more steps are told of', async () => {
    const prompts = await promptsOf(openAi, 'gpt-5.6', { cache: { moreSteps: true } });
    expect(prompts.map((prompt) => blocksOf(prompt).at(-1)?.mark)).toEqual(prompts.map(() => ({ mode: 'explicit' })));
  });

  it.each([
    ['a model before GPT-5.6', openAi, 'gpt-5.5', {}],
    ['a server of somebody else', 'http://127.0.0.1:9/v1', 'gpt-5.6', {}],
    ['cache: off', openAi, 'gpt-5.6', { cache: 'off' }],
  ])('have no mark with %s', async (_, baseUrl, modelId, cache) => {
    expect((await promptsOf(baseUrl, modelId, cache)).flatMap(prefixesOf)).toEqual([]);
  });
});
