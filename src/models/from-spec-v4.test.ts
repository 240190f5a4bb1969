import { describe, expect, it } from 'vitest';
import type { Part } from '../events/index.ts';
import type { AiSdkLanguageModelV4, AiSdkPrompt } from './ai-sdk-language-model.ts';
import { fromPrompt } from './from-prompt.ts';
import { fromSpecV4 } from './from-spec-v4.ts';
import { languageModel } from './language-model-of.ts';
import { ReplyCollector } from './reply-collector.ts';

const usage = { inputTokens: { total: 2 }, outputTokens: { total: 1 } };
const finish = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'STOP' } };

function scripted(...parts: unknown[]) {
  const asked: unknown[] = [];
  const model: AiSdkLanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'google.generative-ai',
    modelId: 'gemini-4',
    doGenerate: (options) => {
      asked.push(options);
      return Promise.resolve({ content: parts, usage, finishReason: finish.finishReason });
    },
    doStream: (options) => {
      asked.push(options);
      const stream = new ReadableStream<unknown>({
        start(controller) {
          for (const part of [...parts, finish]) controller.enqueue(part);
          controller.close();
        },
      });
      return Promise.resolve({ stream });
    },
  };
  return { model, asked };
}

const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } };
const sketch = {
  type: 'reasoning-file',
  mediaType: 'image/png',
  data: { type: 'url', url: new URL('https://example.org/a') },
};
const given: readonly Part[] = [
  { inlineData: { mimeType: 'image/png', data: 'AQID' } },
  { fileData: { fileUri: 'https://example.org/a', mimeType: 'image/png' }, thought: true },
];

describe('a model of specification v4', () => {
  it.each([true, false])('gives what one of v3 gives, files told its way (streaming: %s)', async (streaming) => {
    const { model } = scripted(image, sketch, { type: 'custom', kind: 'a.b' });
    const reply = new ReplyCollector();
    const request = { instruction: [], tools: [], contents: [], transient: [] };
    for await (const piece of languageModel(model).call({ request, streaming })) reply.add(piece);
    expect(reply.content?.parts).toEqual(given);
    expect(reply).toMatchObject({ isWhole: true, usage: { inputTokens: 2, outputTokens: 1, totalTokens: 3 } });
  });

  it('is given files its way, and all else as it is', async () => {
    const url = new URL('https://example.org/图');
    const result = { type: 'tool-result', toolCallId: 'c', toolName: 'f' } as const;
    const json = { ...result, output: { type: 'json' as const, value: { a: 1 } } };
    const text = { type: 'text' as const, text: '好' };
    const prompt: AiSdkPrompt = [
      { role: 'system', content: '简短' },
      { role: 'user', content: [text, { type: 'file', mediaType: 'image/png', data: 'AQID', filename: 'a' }] },
      { role: 'user', content: [{ type: 'file', mediaType: 'image/*', data: url }] },
      {
        role: 'tool',
        content: [
          json,
          {
            ...result,
            output: {
              type: 'content',
              value: [
                text,
                { type: 'image-data', data: 'AQID', mediaType: 'image/png' },
                { type: 'file-url', url: url.href },
                { type: 'file-id', fileId: 'f1' },
              ],
            },
          },
        ],
      },
    ];
    const { model, asked } = scripted();
    await fromSpecV4(model).doStream({ prompt, temperature: 1 });
    const data = { type: 'data', data: 'AQID' };
    expect(asked).toEqual([
      {
        temperature: 1,
        prompt: [
          prompt[0],
          { role: 'user', content: [text, { type: 'file', mediaType: 'image/png', data, filename: 'a' }] },
          { role: 'user', content: [{ type: 'file', mediaType: 'image/*', data: { type: 'url', url } }] },
          {
            role: 'tool',
            content: [
              json,
              {
                ...result,
                output: {
                  type: 'content',
                  value: [
                    text,
                    { type: 'file', mediaType: 'image/png', data },
                    { type: 'file', mediaType: 'application/octet-stream', data: { type: 'url', url } },
                    { type: 'text', text: '[file "f1"]' },
                  ],
                },
              },
            ],
          },
        ],
      },
    ]);
  });

  it('has prompts that are read as those of v3', () => {
    const files = [
      image.data,
      { type: 'text', text: '好' },
      { type: 'reference', reference: { openai: 'file-1' } },
      { type: 'odd' },
    ];
    const content = files.map((data) => ({ type: 'file', mediaType: 'a/b', data }));
    // What ai 7 hands to a middleware is not among the types written out here.
    expect(fromPrompt([{ role: 'user', content } as never]).contents[0]?.parts).toEqual([
      { inlineData: { mimeType: 'a/b', data: 'AQID' } },
      { inlineData: { mimeType: 'a/b', data: '5aW9' } },
      { fileData: { fileUri: 'file-1', mimeType: 'a/b' } },
      { text: '[file a/b, which cannot be read]' },
    ]);
  });
});
