import { argumentsText, joined, type ScriptedCall, type Step, stepsOf } from './reply-script.ts';
import {
  type Answer,
  eventLine,
  isObject,
  type JsonObject,
  objectsIn,
  type Stream,
  textIn,
  type Wire,
} from './wire.ts';

const roles = ['system', 'developer', 'user', 'assistant', 'tool'];
const wellFormedName = /^[a-zA-Z0-9_-]{1,64}$/;

/** OpenAI's chat completions, as its many compatible servers speak them. */
export const openAiWire: Wire = {
  name: 'openai',
  route(method, path, body) {
    const asked = { model: textIn(body.model), isStreaming: body.stream === true };
    if (method === 'GET' && path.endsWith('/models')) return { ...asked, kind: 'models' };
    if (method !== 'POST') return undefined;
    if (path.endsWith('/chat/completions')) return { ...asked, kind: 'generate' };
    return path.endsWith('/embeddings') ? { ...asked, kind: 'embed' } : undefined;
  },
  keyOf: (headers) => /^Bearer (.+)$/.exec(textIn(headers.authorization))?.[1],
  refuses(body) {
    if (textIn(body.model) === '') return 'you must provide a model parameter';
    if (objectsIn(body.messages).length === 0) return "[] is too short - 'messages'";
    return refusedMessages(objectsIn(body.messages)) ?? refusedTools(body);
  },
  error: (status, message) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: null },
  }),
  streamedError: (message) => eventLine(openAiWire.error(500, message)),
  whole: (answer) => ({
    ...frame(answer, 'chat.completion'),
    choices: [{ index: 0, message: wholeMessage(answer), finish_reason: finishOf(answer) }],
    usage: usageOf(answer),
  }),
  stream: streamOf,
  textsOf: ({ input }) => (Array.isArray(input) ? input.map(textIn) : [textIn(input)]),
  embeddings: (vectors, body) => ({
    object: 'list',
    model: body.model,
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: vectors.length, total_tokens: vectors.length },
  }),
};

/** Each tool message answers a call of the assistant message before it, and each call is answered before anything else. */
function refusedMessages(messages: readonly JsonObject[]): string | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`;
    const role = textIn(message.role);
    if (!roles.includes(role)) return `${at}.role: '${role}' is not one of ${roles.join(', ')}`;
    if (role === 'tool') {
      if (!open.delete(textIn(message.tool_call_id)))
        return `${at}: messages with role 'tool' must answer a preceding message with 'tool_calls'`;
      continue;
    }
    if (open.size > 0) return `${at}: tool_call_ids without a tool message: ${[...open].join(', ')}`;
    const calls = role === 'assistant' ? objectsIn(message.tool_calls) : [];
    if (!hasContent(message.content) && calls.length === 0) return `${at}.content: expected content, got nothing`;
    open = new Set(calls.map(({ id }) => textIn(id)));
    if (open.size < calls.length || open.has('')) return `${at}.tool_calls: ids must be there and differ`;
  }
  return open.size > 0 ? `tool_call_ids without a tool message: ${[...open].join(', ')}` : undefined;
}

function hasContent(content: unknown): boolean {
  return typeof content === 'string' || (Array.isArray(content) && content.length > 0);
}

function refusedTools({ tools }: JsonObject): string | undefined {
  const names = objectsIn(tools).map((tool) => (isObject(tool.function) ? textIn(tool.function.name) : ''));
  const unfit = names.find((name) => !wellFormedName.test(name));
  return unfit === undefined ? undefined : `tools: '${unfit}' does not match ${wellFormedName.source}`;
}

function frame({ model, number }: Answer, object: string): JsonObject {
  return { id: `chatcmpl-${number}`, object, created: 1_700_000_000 + number, model };
}

function wholeMessage({ turn, number }: Answer): JsonObject {
  const { text, thought, calls = [] } = turn;
  return {
    role: 'assistant',
    content: text === undefined ? null : joined(text),
    ...(thought === undefined ? {} : { reasoning_content: joined(thought) }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, index) => toolCall(call, index, number)) }),
  };
}

function toolCall(call: ScriptedCall, index: number, number: number) {
  const { id = `call_${number}_${index}`, name, thoughtSignature } = call;
  const extra = { extra_content: { google: { thought_signature: thoughtSignature } } };
  const whole = { id, type: 'function', function: { name, arguments: argumentsText(call) } };
  return thoughtSignature === undefined ? whole : { ...whole, ...extra };
}

function streamOf(answer: Answer): Stream {
  let calls = 0;
  const line = (delta: JsonObject, finish: string | null = null) =>
    eventLine({
      ...frame(answer, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const linesOf = (step: Step): readonly string[] => {
    if (step.type === 'text') return [line({ content: step.text })];
    if (step.type === 'thought') return [line({ reasoning_content: step.text })];
    const index = calls++;
    const whole = toolCall(step.call, index, answer.number);
    const { name, arguments: text } = whole.function;
    const half = Math.floor(text.length / 2);
    return [
      line({ tool_calls: [{ ...whole, index, function: { name, arguments: '' } }] }),
      ...[text.slice(0, half), text.slice(half)].map((part) =>
        line({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ];
  };
  const options = answer.body.stream_options;
  const wantsUsage = isObject(options) && options.include_usage === true;
  const usage = { ...frame(answer, 'chat.completion.chunk'), choices: [], usage: usageOf(answer) };
  return {
    opening: [line({ role: 'assistant', content: '' })],
    steps: stepsOf(answer.turn).map(linesOf),
    closing: [line({}, finishOf(answer)), ...(wantsUsage ? [eventLine(usage)] : []), eventLine('[DONE]')],
  };
}

function finishOf({ turn }: Answer): string {
  return turn.finish ?? (turn.calls?.length ? 'tool_calls' : 'stop');
}

function usageOf({ usage }: Answer): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(cacheReadTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cacheReadTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
