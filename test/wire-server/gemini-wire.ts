import { argumentsObject, type ScriptedCall, type Step, stepsOf } from './reply-script.ts';
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

const payloads = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];
const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};
const pathForm = /\/models\/([^/:]+):(generateContent|streamGenerateContent|embedContent|batchEmbedContents)$/;

/** Google's Gemini API. */
export const geminiWire: Wire = {
  name: 'gemini',
  route(method, path) {
    const [, model = '', verb = ''] = pathForm.exec(path) ?? [];
    if (method !== 'POST' || verb === '') return undefined;
    const isStreaming = verb.startsWith('stream');
    return { kind: /embed/i.test(verb) ? 'embed' : 'generate', model, isStreaming };
  },
  keyOf: (headers) => textIn(headers['x-goog-api-key']) || undefined,
  refuses(body) {
    const contents = objectsIn(body.contents);
    if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified';
    return refusedContents(contents);
  },
  error: (status, message) => ({
    error: {
      code: status,
      message,
      status: statusNames[status] ?? (status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL'),
    },
  }),
  streamedError: (message) => eventLine(geminiWire.error(503, message)),
  whole: (answer) => frame(answer, stepsOf(answer.turn).flatMap(partsOf(answer)), true),
  stream: streamOf,
  textsOf: (body) =>
    ('requests' in body ? objectsIn(body.requests) : [body]).map(({ content }) =>
      isObject(content)
        ? objectsIn(content.parts)
            .map(({ text }) => textIn(text))
            .join('')
        : '',
    ),
  embeddings: (vectors, body) =>
    'requests' in body
      ? { embeddings: vectors.map((values) => ({ values })) }
      : { embedding: { values: vectors[0] ?? [] } },
};

function refusedContents(contents: readonly JsonObject[]): string | undefined {
  for (const [index, { role, parts }] of contents.entries()) {
    const at = `* GenerateContentRequest.contents[${index}]`;
    if (role !== undefined && role !== 'user' && role !== 'model') return `${at}.role: please use user or model`;
    if (objectsIn(parts).length === 0) return `${at}.parts: contents.parts must not be empty`;
    const empty = objectsIn(parts).findIndex(isEmpty);
    if (empty >= 0) return `${at}.parts[${empty}].data: required oneof field 'data' must have one initialized field`;
  }
  return refusedTurns(contents);
}

function isEmpty(part: JsonObject): boolean {
  if (part.thoughtSignature !== undefined) return false;
  return part.text === '' || !payloads.some((name) => part[name] !== undefined);
}

/** Responses stand right behind the turn with their calls, as many as those, and behind nothing else. */
function refusedTurns(contents: readonly JsonObject[]): string | undefined {
  const count = (index: number, name: string) =>
    objectsIn(contents[index]?.parts).filter((part) => part[name] !== undefined).length;
  for (const index of contents.keys()) {
    const calls = count(index, 'functionCall');
    if (calls > 0 && (contents[index]?.role !== 'model' || contents[index - 1]?.role === 'model'))
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
    if (count(index + 1, 'functionResponse') !== calls)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  }
  return count(0, 'functionResponse') > 0
    ? 'Please ensure that function response turn comes immediately after a function call turn.'
    : undefined;
}

function partsOf({ turn }: Answer): (step: Step, index: number) => readonly JsonObject[] {
  const first = stepsOf(turn).findIndex((step) => step.type !== 'thought');
  return (step, index) => {
    // A signature stands on what follows the thoughts; on the last of them if nothing does.
    const isSigned = index === (first < 0 ? stepsOf(turn).length - 1 : first);
    const signature =
      isSigned && turn.thoughtSignature !== undefined ? { thoughtSignature: turn.thoughtSignature } : {};
    if (step.type === 'text') return [{ text: step.text, ...signature }];
    if (step.type === 'thought') return [{ text: step.text, thought: true, ...signature }];
    return callPart(step.call, signature);
  };
}

function callPart({ thoughtSignature, ...call }: ScriptedCall, signature: object): readonly JsonObject[] {
  const args = argumentsObject(call);
  if (args === undefined) return [];
  const own = thoughtSignature === undefined ? signature : { thoughtSignature };
  return [{ functionCall: { ...(call.id === undefined ? {} : { id: call.id }), name: call.name, args }, ...own }];
}

function streamOf(answer: Answer): Stream {
  return {
    opening: [],
    steps: stepsOf(answer.turn)
      .map(partsOf(answer))
      .map((parts) => (parts.length === 0 ? [] : [eventLine(frame(answer, parts, false))])),
    // The last chunk has an empty text and the reason, as the service sends it.
    closing: [eventLine(frame(answer, [{ text: '' }], true))],
  };
}

function frame(answer: Answer, parts: readonly JsonObject[], isLast: boolean): JsonObject {
  const finish = isLast ? { finishReason: finishOf(answer) } : {};
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = answer.usage;
  const written = outputTokens - (reasoningTokens ?? 0);
  return {
    candidates: [{ content: { role: 'model', parts }, ...finish, index: 0 }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      ...(isLast ? { candidatesTokenCount: written } : {}),
      totalTokenCount: isLast ? inputTokens + outputTokens : inputTokens,
      ...(cacheReadTokens === undefined ? {} : { cachedContentTokenCount: cacheReadTokens }),
      ...(reasoningTokens === undefined ? {} : { thoughtsTokenCount: reasoningTokens }),
    },
    modelVersion: answer.model,
    responseId: `response-${answer.number}`,
  };
}

function finishOf({ turn }: Answer): string {
  const isMalformed = turn.calls?.some((call) => argumentsObject(call) === undefined);
  return turn.finish ?? (isMalformed ? 'MALFORMED_FUNCTION_CALL' : 'STOP');
}
