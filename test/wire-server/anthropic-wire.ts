import { argumentsObject, argumentsText, joined, type Step, stepsOf } from './reply-script.ts';
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

const mostCacheBreakpoints = 4;
const wellFormedName = /^[a-zA-Z0-9_-]{1,128}$/;
const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  route: (method, path, body) =>
    method === 'POST' && path.endsWith('/messages')
      ? { kind: 'generate', model: textIn(body.model), isStreaming: body.stream === true }
      : undefined,
  keyOf: (headers) => textIn(headers['x-api-key']) || undefined,
  refuses(body, headers) {
    if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
    if (textIn(body.model) === '') return 'model: Field required';
    if (typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
    const messages = merged(objectsIn(body.messages));
    if (messages.length === 0) return 'messages: at least one message is required';
    return refusedMessages(messages) ?? refusedRest(body, messages);
  },
  error: (status, message) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
  }),
  streamedError: (message) => eventLine(anthropicWire.error(529, message), 'error'),
  whole: (answer) => ({
    ...frame(answer),
    content: wholeBlocks(answer),
    stop_reason: finishOf(answer),
    usage: usageOf(answer),
  }),
  stream: streamOf,
  textsOf: () => [],
  embeddings: () => ({}),
};

interface Message {
  readonly role: string;
  readonly blocks: readonly JsonObject[];
}

/** The messages as the service reads them: neighbours of one role are one. */
function merged(messages: readonly JsonObject[]): readonly Message[] {
  const all: { role: string; blocks: JsonObject[] }[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
    const last = all.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks);
    else all.push({ role: textIn(role), blocks: [...blocks] });
  }
  return all;
}

function refusedMessages(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  let uses: readonly string[] = [];
  for (const [index, { role, blocks }] of messages.entries()) {
    const at = `messages.${index}`;
    if (role !== 'user' && role !== 'assistant') return `${at}.role: Input should be 'user' or 'assistant'`;
    const unfit = refusedBlocks(blocks, at);
    if (unfit !== undefined) return unfit;
    const wrong = refusedResults(blocks, uses, at);
    if (wrong !== undefined) return wrong;
    uses = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => textIn(id));
    if (new Set(uses).size < uses.length) return `${at}: \`tool_use\` ids must be unique`;
  }
  return uses.length > 0 ? unanswered(uses, messages.length) : undefined;
}

function refusedBlocks(blocks: readonly JsonObject[], at: string): string | undefined {
  if (blocks.length === 0) return `${at}: all messages must have non-empty content`;
  for (const [index, { type, text, signature }] of blocks.entries()) {
    if (type === 'text' && textIn(text).trim() === '')
      return `${at}.content.${index}: text content blocks must be non-empty and contain non-whitespace text`;
    if (type === 'thinking' && textIn(signature) === '') return `${at}.content.${index}.signature: Field required`;
  }
  return undefined;
}

/** Results stand first in the message right behind their uses, one for each. */
function refusedResults(blocks: readonly JsonObject[], uses: readonly string[], at: string): string | undefined {
  const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => textIn(block.tool_use_id));
  const stray = results.find((id) => !uses.includes(id));
  if (stray !== undefined) return `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
  const missing = uses.filter((id) => !results.includes(id));
  if (missing.length > 0) return unanswered(missing, at);
  const isFirst = blocks.slice(0, results.length).every(({ type }) => type === 'tool_result');
  return isFirst ? undefined : `${at}: \`tool_result\` blocks must come before other content`;
}

function unanswered(ids: readonly string[], at: string | number): string {
  return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}`;
}

function refusedRest(body: JsonObject, messages: readonly Message[]): string | undefined {
  const names = objectsIn(body.tools).map(({ name }) => textIn(name));
  const unfit = names.find((name) => !wellFormedName.test(name));
  if (unfit !== undefined) return `tools: '${unfit}' does not match ${wellFormedName.source}`;
  const system = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : objectsIn(body.system);
  if (system.some(({ text }) => textIn(text).trim() === '')) return 'system: text content blocks must be non-empty';
  const blocks = [...objectsIn(body.tools), ...system, ...messages.flatMap((message) => message.blocks)];
  const marked = blocks.filter((block) => isObject(block.cache_control)).length;
  return marked > mostCacheBreakpoints
    ? `A maximum of ${mostCacheBreakpoints} blocks with cache_control may be provided. Found ${marked}.`
    : undefined;
}

function frame({ model, number }: Answer): JsonObject {
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function callId(answer: Answer, index: number, id: string | undefined): string {
  return id ?? `toolu_${answer.number}_${index}`;
}

function wholeBlocks(answer: Answer): readonly JsonObject[] {
  const { thought, thoughtSignature = '', text, calls = [] } = answer.turn;
  return [
    ...(thought === undefined ? [] : [{ type: 'thinking', thinking: joined(thought), signature: thoughtSignature }]),
    ...(text === undefined ? [] : [{ type: 'text', text: joined(text) }]),
    ...calls.map((call, index) => ({
      type: 'tool_use',
      id: callId(answer, index, call.id),
      name: call.name,
      // The service itself parses what its model wrote, and never hands on what is no object.
      input: argumentsObject(call) ?? {},
    })),
  ];
}

/** Blocks have numbers; steps of one kind in a row are deltas of one block, except calls. */
function streamOf(answer: Answer): Stream {
  const steps = stepsOf(answer.turn);
  let block = -1;
  let calls = 0;
  const lines = steps.map((step, index): readonly string[] => {
    const isNew = step.type === 'call' || steps[index - 1]?.type !== step.type;
    const isLast = step.type === 'call' || steps[index + 1]?.type !== step.type;
    if (isNew) block++;
    const number = step.type === 'call' ? calls++ : 0;
    return [
      ...(isNew ? [event('content_block_start', { index: block, content_block: blockOf(answer, step, number) })] : []),
      ...deltasOf(answer, step, isLast).map((delta) => event('content_block_delta', { index: block, delta })),
      ...(isLast ? [event('content_block_stop', { index: block })] : []),
    ];
  });
  const { input_tokens, ...output } = usageOf(answer);
  return {
    opening: [
      event('message_start', { message: { ...frame(answer), usage: { ...output, input_tokens, output_tokens: 1 } } }),
      event('ping', {}),
    ],
    steps: lines,
    closing: [
      event('message_delta', {
        delta: { stop_reason: finishOf(answer), stop_sequence: null },
        usage: output,
      }),
      event('message_stop', {}),
    ],
  };
}

function event(type: string, fields: JsonObject): string {
  return eventLine({ type, ...fields }, type);
}

function blockOf(answer: Answer, step: Step, number: number): JsonObject {
  if (step.type === 'text') return { type: 'text', text: '' };
  if (step.type === 'thought') return { type: 'thinking', thinking: '', signature: '' };
  return { type: 'tool_use', id: callId(answer, number, step.call.id), name: step.call.name, input: {} };
}

function deltasOf({ turn }: Answer, step: Step, isLast: boolean): readonly JsonObject[] {
  if (step.type === 'text') return [{ type: 'text_delta', text: step.text }];
  if (step.type === 'call') {
    const text = argumentsText(step.call);
    const half = Math.floor(text.length / 2);
    const parts = ['', text.slice(0, half), text.slice(half)];
    return parts.map((part) => ({ type: 'input_json_delta', partial_json: part }));
  }
  const { thoughtSignature } = turn;
  const signature =
    isLast && thoughtSignature !== undefined ? [{ type: 'signature_delta', signature: thoughtSignature }] : [];
  return [{ type: 'thinking_delta', thinking: step.text }, ...signature];
}

function finishOf({ turn }: Answer): string {
  return turn.finish ?? (turn.calls?.length ? 'tool_use' : 'end_turn');
}

/** The service counts cached parts beside the others, not among them. */
function usageOf({ usage }: Answer) {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
    ...(reasoningTokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  };
}
