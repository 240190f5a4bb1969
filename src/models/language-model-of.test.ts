import type { UnderlyingSource } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import { type ModelRequest, text } from '../events/index.ts';
import type {
  AiSdkCallOptions,
  AiSdkGenerateResult,
  AiSdkLanguageModel,
  AiSdkStreamPart,
} from './ai-sdk-language-model.ts';
import type { LanguageModel, ModelCall, ModelPiece } from './language-model.ts';
import { asLanguageModel, languageModel, providerOf } from './language-model-of.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finish: AiSdkStreamPart = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } };
const said = (delta: string): AiSdkStreamPart => ({ type: 'text-delta', id: '1', delta });
const request: ModelRequest = { instruction: [], tools: [], contents: [text('你好')], transient: [] };

type Source = UnderlyingSource<AiSdkStreamPart>;

/** A model of hand-made streams, and what was asked of it. */
function scripted(source: Source, result?: AiSdkGenerateResult) {
  const asked: AiSdkCallOptions[] = [];
  const model: AiSdkLanguageModel = {
    specificationVersion: 'v3',
    provider: 'hand.chat',
    modelId: 'made-1',
    async doGenerate(options) {
      asked.push(options);
      return result ?? { content: [], finishReason: { unified: 'stop', raw: 'stop' }, usage };
    },
    async doStream(options) {
      asked.push(options);
      return { stream: new ReadableStream<AiSdkStreamPart>(source) };
    },
  };
  return { model: languageModel(model), asked };
}

const ending = (...parts: AiSdkStreamPart[]): Source => ({
  start(controller) {
    for (const part of parts) controller.enqueue(part);
    controller.close();
  },
});

const streaming = (...parts: AiSdkStreamPart[]) => scripted(ending(...parts));

async function drain(model: LanguageModel, call: Partial<ModelCall> = {}) {
  const pieces: ModelPiece[] = [];
  try {
    for await (const piece of model.call({ request, ...call })) pieces.push(piece);
  } catch (error) {
    return { pieces, error };
  }
  return { pieces, error: undefined };
}

const texts = (pieces: readonly ModelPiece[]) =>
  pieces.map((piece) => (piece.type === 'text' ? piece.text : piece.type));

describe('a call of an AI SDK model', () => {
  it('yields pieces as they come, to the finish', async () => {
    const { pieces, error } = await drain(streaming(said('你'), said('好'), finish).model);
    expect(error).toBeUndefined();
    expect(texts(pieces)).toEqual(['你', '好', 'end', 'finish']);
  });

  it('may ask for the answer in one go', async () => {
    const content = [{ type: 'text' as const, text: '好' }];
    const { model } = scripted({}, { content, finishReason: { unified: 'stop', raw: 'stop' }, usage });
    const { pieces } = await drain(model, { streaming: false });
    expect(texts(pieces)).toEqual(['好', 'end', 'finish']);
  });

  it('passes settings, tools, schema and signal on', async () => {
    const { model, asked } = streaming(finish);
    const signal = new AbortController().signal;
    const tools = [
      { name: 'now', description: 'Time' },
      { name: 'f', description: 'F', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
    ];
    const settings = {
      temperature: 0,
      maxOutputTokens: 9,
      stopSequences: ['。'],
      toolChoice: { toolName: 'f' },
      providerOptions: { google: { thinkingConfig: { thinkingBudget: 0 } } },
      headers: { 'x-a': '1' },
    };
    await drain(model, { request: { ...request, tools }, settings, outputSchema: { type: 'object' }, signal });
    expect(asked).toEqual([
      {
        prompt: [{ role: 'user', content: [{ type: 'text', text: '你好' }] }],
        temperature: 0,
        maxOutputTokens: 9,
        stopSequences: ['。'],
        providerOptions: settings.providerOptions,
        headers: settings.headers,
        tools: [
          { type: 'function', name: 'now', description: 'Time', inputSchema: { type: 'object', properties: {} } },
          { type: 'function', name: 'f', description: 'F', inputSchema: tools[1]?.parameters },
        ],
        toolChoice: { type: 'tool', toolName: 'f' },
        responseFormat: { type: 'json', schema: { type: 'object' } },
        abortSignal: signal,
      },
    ]);
    await drain(model, { settings: { toolChoice: 'required' } });
    expect(asked[1]).not.toHaveProperty('toolChoice');
  });

  it.each<[string, Source, RegExp]>([
    ['is cut', ending(said('a')), /cut/],
    ['is cut in the middle of a character', ending(said('a\ud83d')), /cut/],
    ['holds an error', ending(said('a'), { type: 'error', error: new Error('overloaded') }), /overloaded/],
    [
      'breaks',
      {
        pull: (controller) => controller.error(new Error('socket hang up')),
        start: (controller) => controller.enqueue(said('a')),
      },
      /socket hang up/,
    ],
    ['holds garbage', ending(said('a'), JSON.parse('{"delta":7}')), /no part/],
  ])('gives what came and then fails when the stream %s', async (_, source, reason) => {
    const { pieces, error } = await drain(scripted(source).model);
    if (!isPalimpsestError(error, 'MODEL_FAILED')) return expect.unreachable(String(error));
    expect(error.details).toMatchObject({ model: 'made-1', reason: expect.stringMatching(reason), attempts: 1 });
    expect(texts(pieces)[0]).toBe('a');
    expect(texts(pieces)).not.toContain('finish');
  });

  it.each([
    ['cut', []],
    ['broken', [{ type: 'error', error: 'overloaded' } as const]],
  ])('gives what was still waiting for its turn when a stream is %s', async (_, last) => {
    const { pieces, error } = await drain(
      streaming(said('好'), { ...said('b'), id: '2' } as AiSdkStreamPart, ...last).model,
    );
    expect(texts(pieces)).toEqual(['好', 'end', 'b', 'end']);
    expect(isPalimpsestError(error, 'MODEL_FAILED')).toBe(true);
  });

  it.each([true, false])('fails when the model rejects (streaming: %s)', async (isStreaming) => {
    const failing: AiSdkLanguageModel = {
      specificationVersion: 'v3',
      provider: 'p',
      modelId: 'm',
      doGenerate: () => Promise.reject(new Error('no key')),
      doStream: () => Promise.reject(new Error('no key')),
    };
    const { error } = await drain(languageModel(failing), { streaming: isStreaming });
    expect(isPalimpsestError(error, 'MODEL_FAILED') && error.details.reason).toContain('no key');
  });

  it('is whole once it has finished, whatever the stream does then', async () => {
    let pulls = 0;
    const { model } = scripted({
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(finish);
        else controller.error(new Error('reset'));
      },
    });
    const { pieces, error } = await drain(model);
    expect([texts(pieces), error]).toEqual([['finish'], undefined]);
  });

  it('cancels the stream when its reader stops', async () => {
    let cancelled = false;
    const { model } = scripted({
      pull: (controller) => controller.enqueue(said('x')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const piece of model.call({ request })) if (piece.type === 'text') break;
    expect(cancelled).toBe(true);
  });
});

describe('a call that is aborted', () => {
  it('is not made if that was so before', async () => {
    const { model, asked } = streaming(finish);
    const { error } = await drain(model, { signal: AbortSignal.abort() });
    expect([isPalimpsestError(error, 'ABORTED'), asked.length]).toEqual([true, 0]);
  });

  it('ends at once in a silent stream, which is cancelled', async () => {
    const stopping = new AbortController();
    let cancelled = false;
    const { model } = scripted({
      start: (controller) => controller.enqueue(said('a')),
      cancel: () => {
        cancelled = true;
      },
    });
    const pieces: ModelPiece[] = [];
    const run = (async () => {
      for await (const piece of model.call({ request, signal: stopping.signal })) {
        pieces.push(piece);
        stopping.abort();
      }
    })();
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' });
    expect([texts(pieces)[0], cancelled]).toEqual(['a', true]);
  });

  it('cancels a stream that opens too late', async () => {
    const stopping = new AbortController();
    let open: (opened: { stream: ReadableStream<AiSdkStreamPart> }) => void = () => undefined;
    const late = new Promise<{ stream: ReadableStream<AiSdkStreamPart> }>((resolve) => {
      open = resolve;
    });
    const slow: AiSdkLanguageModel = {
      specificationVersion: 'v3',
      provider: 'p',
      modelId: 'm',
      doGenerate: () => new Promise(() => undefined),
      doStream: () => late,
    };
    const run = drain(languageModel(slow), { signal: stopping.signal });
    stopping.abort();
    expect((await run).error).toMatchObject({ code: 'ABORTED' });
    const cancelled = new Promise<boolean>((resolve) => {
      open({ stream: new ReadableStream({ cancel: () => resolve(true) }) });
    });
    expect(await cancelled).toBe(true);
  });
});

describe('languageModel', () => {
  it('takes its names from the model, or as they are given', () => {
    const { model } = streaming(finish);
    expect(model).toMatchObject({ name: 'made-1', vendor: 'hand.chat', provider: 'openai' });
    const base: AiSdkLanguageModel = {
      specificationVersion: 'v3',
      provider: 'google.generative-ai',
      modelId: 'gemini-2.5-flash',
      doGenerate: () => Promise.reject(),
      doStream: () => Promise.reject(),
    };
    expect(languageModel(base)).toMatchObject({ name: 'gemini-2.5-flash', provider: 'gemini' });
    expect(languageModel(base, { name: 'fast', provider: 'openai' })).toMatchObject({
      name: 'fast',
      provider: 'openai',
    });
    expect(languageModel(model)).toBe(model);
  });

  it.each([
    ['a text', 'openai/gpt-5', /"openai\/gpt-5"/],
    ['nothing', undefined, /undefined/],
    ['something else', {}, /no model/],
    ['the provider, not a model of it', () => undefined, /function/],
    ['specification v2', { specificationVersion: 'v2', provider: 'p', modelId: 'm' }, /v2.*v3/],
    ['an embedding model', { specificationVersion: 'v3', provider: 'p', modelId: 'm', doEmbed: String }, /doStream/],
  ])('refuses %s', (_, given, reason) => {
    try {
      languageModel(given as LanguageModel);
      expect.unreachable();
    } catch (error) {
      if (!isPalimpsestError(error, 'INVALID_ARGUMENT')) throw error;
      expect(error.details).toEqual({ argument: 'model', reason: expect.stringMatching(reason) });
    }
  });
});

describe('asLanguageModel', () => {
  const shape = {
    provider: 'anthropic.messages',
    modelId: 'claude-sonnet-5',
    doGenerate: () => Promise.reject(),
    doStream: () => Promise.reject(),
  };

  it('is the model itself where it is one of ours', () => {
    const { model } = streaming(finish);
    expect(asLanguageModel(model)).toBe(model);
  });

  it.each(['v3', 'v4'])('makes one of an AI SDK model of specification %s', (specificationVersion) => {
    const model = asLanguageModel({ specificationVersion, ...shape });
    expect(model).toMatchObject({ name: 'claude-sonnet-5', vendor: 'anthropic.messages', provider: 'anthropic' });
  });

  it.each([
    ['a name', 'openai/gpt-5'],
    ['nothing', undefined],
    ['null', null],
    ['something else', { name: '模型' }],
    ['a model without a specification', shape],
    ['a specification that ai 6 and 7 turn into v3 before it comes here', { specificationVersion: 'v2', ...shape }],
    ['a specification to come', { specificationVersion: 'v5', ...shape }],
    ['an embedding model', { specificationVersion: 'v3', provider: 'p', modelId: 'm', doEmbed: String }],
  ])('is undefined for %s, which languageModel() refuses', (_, given) => {
    expect(asLanguageModel(given)).toBeUndefined();
    expect(() => languageModel(given as LanguageModel)).toThrow('model');
  });
});

describe('providerOf', () => {
  it.each([
    ['google.generative-ai', 'gemini-2.5-flash', 'gemini'],
    ['google.vertex.chat', 'gemini-3-pro', 'gemini'],
    ['gateway', 'google/gemini-2.5-pro', 'gemini'],
    ['google.chat', 'gemini-2.5-flash', 'openai'],
    ['anthropic.messages', 'claude-sonnet-4-5', 'anthropic'],
    ['vertex.anthropic.messages', 'claude-opus-4', 'anthropic'],
    ['amazon-bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 'anthropic'],
    ['openrouter', 'anthropic/claude-3.7-sonnet', 'anthropic'],
    ['openai.responses', 'gpt-5', 'openai'],
    ['ollama.chat', 'qwen3:8b', 'openai'],
    ['', '', 'openai'],
  ] as const)('tells for %s and %s: %s', (vendor, modelId, provider) => {
    expect(providerOf(vendor, modelId)).toBe(provider);
  });
});
