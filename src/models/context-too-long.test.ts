import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { text } from '../events/index.ts';
import { isContextTooLong } from './context-too-long.ts';
import type { LanguageModel } from './language-model.ts';
import { mayRepeat, modelFailure } from './model-failure.ts';
import { overflowSayings } from './overflow-sayings.ts';
import { withRetries } from './with-retries.ts';

function answered(statusCode: number, body: object | string, message = 'Bad Request'): APICallError {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  return new APICallError({ message, url: 'http://x/v1', requestBodyValues: {}, statusCode, responseBody });
}

function detailsOf(error: unknown): PalimpsestError<'MODEL_FAILED'>['details'] {
  const failure = modelFailure(error, '模型');
  if (!isPalimpsestError(failure, 'MODEL_FAILED')) return expect.unreachable(`is ${failure.code}`);
  return failure.details;
}

/** What services answer, and how many tokens of a prompt they say that they take. */
const refusals: readonly (readonly [string, string, number | undefined])[] = [
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.",
    8192,
  ],
  [
    'OpenAI, with an answer set aside',
    "This model's maximum context length is 16384 tokens. However, you requested 17000 tokens (13000 in the messages, 4000 in the completion).",
    12_384,
  ],
  ['OpenAI responses', 'Your input exceeds the context window of this model. Please adjust your input.', undefined],
  ['OpenAI, GPT-5', 'Input tokens exceed the configured limit of 272000 tokens. Yours are 305127 tokens.', 272_000],
  ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', 200_000],
  [
    'Anthropic, with an answer set aside',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    178_667,
  ],
  ['Gemini', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).', 1_048_575],
  ['Vertex', 'The input token count exceeds the maximum number of tokens allowed 1048576.', 1_048_576],
  ['Bedrock', 'Input is too long for requested model.', undefined],
  ['Mistral', 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 32_768],
  ['Groq', 'Please reduce the length of the messages or completion.', undefined],
  [
    'DeepSeek',
    "This model's maximum context length is 65536 tokens. However, you requested 69648 tokens (61456 in the messages, 8192 in the completion).",
    57_344,
  ],
  [
    'vLLM, max_tokens',
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 10694 input tokens (32000 > 32768 - 10694). None",
    768,
  ],
  [
    'vLLM, both',
    "You passed 99073 input tokens and requested 32000 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 99072 tokens.",
    99_072,
  ],
  ['vLLM, prompt', 'The decoder prompt (length 5951) is longer than the maximum model length of 4096.', 4096],
  ['vLLM, media', 'The prompt (total length 25938) is too long to fit into the model (context length 4096).', 4096],
  ['SGLang', "The input (516368 tokens) is longer than the model's context length (262144 tokens).", 262_144],
  ['SGLang, memory', 'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).', 59_862],
  ['a gateway', "Input length (265330) exceeds model's maximum context length (262144).", 262_144],
  ['llama.cpp', 'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it', 8192],
  ['llama.cpp, older', 'the request exceeds the available context size. try increasing the context size', undefined],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 128000 tokens. However, you requested about 140000 tokens (136000 of text input, 4000 in the output).",
    124_000,
  ],
  ['Qwen', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]', 30_720],
  ['Doubao', 'Input length 203743 exceeds the maximum length 202752', 202_752],
  ['Doubao, images', 'Total tokens of image and text exceed max message tokens. Request id: 0217', undefined],
  ['Kimi', 'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)', 262_144],
  ['MiniMax', 'invalid params, context window exceeds limit (2013)', undefined],
  ['Z.ai', 'model_context_window_exceeded', undefined],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens", 131_072],
  ['Copilot', 'prompt token count of 200000 exceeds the limit of 128000', 128_000],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.', undefined],
  [
    'vLLM, an answer',
    "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    134_144,
  ],
  [
    'Azure OpenAI',
    "This model's maximum context length is 32768 tokens. However, you requested 35969 tokens (9969 in the messages, 26000 in the completion). Please reduce the length of the messages or completion.",
    6768,
  ],
  ['Fireworks', 'The prompt is too long: 40177, model maximum context length: 32767', 32_767],
  [
    'Nova',
    'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
    undefined,
  ],
  [
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
    40_000,
  ],
  [
    'Cohere',
    'too many tokens: size limit exceeded by 168512 tokens. Try using shorter or fewer inputs. The limit for this model is 132000 tokens.',
    132_000,
  ],
  [
    'Cohere, older',
    "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or setting prompt_truncation='AUTO'.",
    undefined,
  ],
  [
    'Cohere generate',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.',
    4081,
  ],
  [
    'Together',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3997 `inputs` tokens and 100 `max_new_tokens`',
    3996,
  ],
  ['Hugging Face', 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000', 4095],
  ['Zhipu', 'Prompt exceeds max length', undefined],
  ['SiliconFlow', 'length of prompt_tokens (68957) must be less than max_seq_len (65536).', 65_536],
  ['SiliconFlow, both', 'max_total_tokens (172191) must be less than or equal to max_seq_len (131072)', 131_072],
  ['Baidu', 'Prompt tokens too long', undefined],
  ['numbers with commas', 'prompt is too long: 1,213,462 tokens > 1,000,000 maximum', 1_000_000],
  ['Ollama', 'prompt too long; exceeded max context length by 4096 tokens', undefined],
];

describe('a refusal since the request is too long', () => {
  it.each(refusals)('is told from the words of %s', (_service, message, maximumTokens) => {
    const expected = { contextTooLong: true, ...(maximumTokens === undefined ? {} : { maximumTokens }) };
    const inBody = answered(400, { error: { message, type: 'invalid_request_error' } });
    const inStream = { type: 'error', message };
    const failed = { type: 'response.failed', response: { error: { code: 'invalid_prompt', message } } };
    const inCause = new Error('调用失败', { cause: new Error('gateway', { cause: inBody }) });
    for (const error of [inBody, inStream, failed, inCause, new Error(message), message]) {
      expect(detailsOf(error)).toMatchObject(expected);
      expect(detailsOf(error).maximumTokens).toBe(maximumTokens);
      expect(isContextTooLong(error)).toBe(true);
      expect(mayRepeat(error)).toBe(false);
      expect(mayRepeat(modelFailure(error, 'm'))).toBe(false);
    }
  });

  it.each([
    [
      'OpenAI and Groq',
      { error: { message: '请求太长', type: 'invalid_request_error', code: 'context_length_exceeded' } },
    ],
    ['llama.cpp', { error: { code: 400, message: '请求太长', type: 'exceed_context_size_error' } }],
    ['Anthropic, of bytes', { type: 'error', error: { type: 'request_too_large', message: '请求太长' } }],
  ])('is told from the code of %s alone', (_service, body) => {
    expect(isContextTooLong(answered(400, body))).toBe(true);
    expect(isContextTooLong(body)).toBe(true);
  });

  it.each([
    ['of Baidu', { code: 'tokens_too_long', message: '太长', type: 'invalid_request_error' }],
    ['of SiliconFlow', { code: 20015, message: 'length of prompt_tokens (9) must be less than max_seq_len (8).' }],
    [
      'of Gemini, in a list',
      [{ error: { code: 400, message: 'The input token count exceeds the maximum number of tokens allowed 8.' } }],
    ],
    ['of FastAPI', { detail: 'prompt is too long: 9 tokens > 8 maximum' }],
    [
      'of OpenRouter, of the service behind it',
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: {
            raw: JSON.stringify({ error: { message: 'prompt is too long: 9 tokens > 8 maximum' } }),
            provider_name: 'Google',
          },
        },
      },
    ],
    [
      'that quotes before it says',
      { detail: [{ input: ['你好'], reason: 'prompt is too long: 9 tokens > 8 maximum' }] },
    ],
    ['that is a text', 'prompt is too long: 9 tokens > 8 maximum'],
    ['that broke off', '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","type":"inv'],
  ])('is told from a body %s', (_form, body) => {
    expect(isContextTooLong(answered(400, body))).toBe(true);
  });

  it('is told from an error in a stream whose shape its package does not know', () => {
    const message = 'Prompt exceeds max length';
    for (const value of [{ error: message }, { error: { message } }, { object: 'error', message, code: 400 }]) {
      const error = new TypeValidationError({ value, cause: new Error('no choices') });
      expect(isContextTooLong(error)).toBe(true);
    }
  });

  it('has a sentence of a service for each row of the table', () => {
    const said = [...refusals.map(([, message]) => message), 'context_length_exceeded', 'request_too_large'];
    for (const { says, source, date } of overflowSayings) {
      expect(
        said.some((message) => says.test(message)),
        source,
      ).toBe(true);
      expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  it('is told from an error of ours, also one that crossed a wire or was wrapped', () => {
    const details = { model: 'm', reason: '太长', attempts: 1, contextTooLong: true as const, maximumTokens: 900 };
    const failure = new PalimpsestError('MODEL_FAILED', details);
    expect(isContextTooLong(failure)).toBe(true);
    const wrapped = new Error('outer', { cause: failure });
    expect(detailsOf(wrapped)).toMatchObject({ contextTooLong: true, maximumTokens: 900 });
    expect(mayRepeat(failure)).toBe(false);
  });
});

describe('a request that is too long', () => {
  const message = 'prompt is too long: 213462 tokens > 200000 maximum';
  const call = { request: { instruction: [], tools: [], contents: [text('你好')], transient: [] } };

  function refusing(failure: unknown): LanguageModel & { calls: number } {
    const model = {
      name: '模型',
      vendor: 'v',
      provider: 'anthropic' as const,
      calls: 0,
      // biome-ignore lint/correctness/useYield: it fails before it says anything
      call: async function* () {
        model.calls++;
        throw failure;
      },
    };
    return model;
  }

  it.each([answered(500, { error: { message } }), { type: 'overloaded_error', message }])(
    'is not sent once more, whatever the status says and the package would do: %j',
    async (failure) => {
      const model = refusing(failure);
      const pieces = withRetries(model, { retries: 3, firstDelayMs: 0 }).call(call)[Symbol.asyncIterator]();
      await expect(pieces.next()).rejects.toMatchObject({ details: { contextTooLong: true, attempts: 1 } });
      expect(model.calls).toBe(1);
    },
  );

  it('is put to the fallback, which may take more', async () => {
    const model = refusing(answered(400, { error: { message } }));
    const finish = { type: 'finish', finishReason: 'stop' } as const;
    const fallback: LanguageModel = {
      name: '备用',
      vendor: 'v',
      provider: 'anthropic',
      call: async function* () {
        yield finish;
      },
    };
    const options = { retries: 3, firstDelayMs: 0 };
    const pieces: unknown[] = [];
    for await (const piece of withRetries(model, { ...options, fallback }).call(call)) pieces.push(piece);
    expect([pieces, model.calls]).toEqual([[{ ...finish, modelVersion: '备用' }], 1]);
    const second = refusing(answered(400, { error: { message: 'Prompt exceeds max length' } }));
    const both = withRetries(model, { ...options, fallback: second })
      .call(call)
      [Symbol.asyncIterator]();
    const details = { contextTooLong: true, maximumTokens: 200_000 };
    await expect(both.next()).rejects.toMatchObject({ details });
    expect([model.calls, second.calls]).toEqual([2, 1]);
  });
});

describe('another failure', () => {
  it.each([
    [
      'tokens a minute, OpenAI',
      answered(429, {
        error: {
          message: 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. Reduce it.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      }),
    ],
    [
      'tokens a minute, Groq with 413',
      answered(413, {
        error: {
          message:
            'Request too large for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Requested 7200, please reduce your message size and try again.',
          type: 'tokens',
          code: 'rate_limit_exceeded',
        },
      }),
    ],
    [
      'tokens a minute, in words of both',
      answered(413, {
        error: { message: 'Limit 6000 tokens per minute. Please reduce the length of the messages or completion.' },
      }),
    ],
    [
      'tokens a minute, Anthropic',
      {
        type: 'rate_limit_error',
        message: 'This request would exceed your rate limit of 40,000 input tokens per minute',
      },
    ],
    [
      'too many requests that quote a length',
      answered(429, { error: { message: 'prompt is too long: 2 tokens > 1 maximum' } }),
    ],
    [
      'an answer that is to be too long, Cohere',
      answered(400, {
        message:
          'too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received 8192.',
      }),
    ],
    ['an answer that is to be too long', new Error('max_tokens: 128000 > 64000, which is the maximum allowed')],
    ['a text that is too long', new Error('tools.0.description: String should have at most 1024 characters')],
    [
      'a page of a proxy',
      answered(413, '<html><h1>413 Request Entity Too Large</h1>nginx</html>', 'Payload Too Large'),
    ],
    ['nothing', undefined],
    ['another error of ours', new PalimpsestError('INVALID_ARGUMENT', { argument: 'a', reason: '不对' })],
  ])('is not taken for it: %s', (_name, error) => {
    expect(isContextTooLong(error)).toBe(false);
    expect(modelFailure(error, 'm').details).not.toHaveProperty('contextTooLong');
  });

  const said = '为什么会有 prompt is too long: 9 tokens > 8 maximum，还有 context_length_exceeded？';

  it.each([
    [
      'a call that cannot be read, Groq',
      answered(400, {
        error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: said },
      }),
    ],
    ['a call that cannot be read, in a body that broke off', answered(400, `{"error":{"failed_generation":"${said}`)],
    [
      'a message that it does not take, FastAPI',
      answered(
        422,
        `{"detail":[{"type":"string_type","loc":["body",0],"msg":"must be a string","input":["${said}"]}]}`,
      ),
    ],
    [
      'a message that it does not take, vLLM',
      answered(400, {
        object: 'error',
        message: `[{'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required', 'input': {'content': '${said}'}}]`,
      }),
    ],
    [
      'a message that it does not take, in a text of Pydantic',
      new Error(`1 validation error: must be a string [type=string_type, input_value='${said}', input_type=str]`),
    ],
    ['a piece that is no JSON', new JSONParseError({ text: `{"delta":"${said}`, cause: new SyntaxError('不完整') })],
    [
      'a piece of a shape that is not known',
      new TypeValidationError({ value: { choices: [{ delta: { content: said } }] }, cause: new Error('形状不对') }),
    ],
    [
      'a broken answer',
      new APICallError({
        message: 'Invalid JSON response',
        url: 'http://x/v1',
        requestBodyValues: { messages: [{ role: 'user', content: said }] },
        statusCode: 200,
        cause: new JSONParseError({ text: said, cause: new SyntaxError('不完整') }),
      }),
    ],
  ])('is not taken for it for what it quotes: %s', (_name, error) => {
    expect(isContextTooLong(error)).toBe(false);
    expect(modelFailure(error, 'm').details).not.toHaveProperty('contextTooLong');
    expect(isContextTooLong(modelFailure(error, 'm'))).toBe(false);
  });

  it('takes whatever there is to throw', () => {
    fc.assert(fc.property(fc.anything(), (thrown) => typeof isContextTooLong(thrown) === 'boolean'));
  });

  it('names no more tokens than the model takes, and at least one', () => {
    fc.assert(
      fc.property(fc.nat(3_000_000), fc.nat(3_000_000), (answer, most) => {
        const message = `input length and \`max_tokens\` exceed context limit: 1 + ${answer} > ${most}`;
        const { maximumTokens } = detailsOf(new Error(message));
        expect(maximumTokens).toBe(most > answer ? most - answer : undefined);
      }),
    );
  });
});
