import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Content,
  functionCalls,
  type JsonMap,
  type ToolDeclaration,
  text,
  textOf,
} from '../../src/events/index.ts';
import type { ModelCall, ModelSettings } from '../../src/models/index.ts';
import { startWireServer, type Turn, type WireName, type WireServer } from '../wire-server/index.ts';
import { apiKey, modelAt, modelNames, outcomeOf, requestOf, textsOf, wireNames } from './provider-models.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer({ apiKey });
});
afterEach(() => server.clear());
afterAll(() => server.close());

const question = text('明天天气怎么样？ What will the weather be?');
const forecast: ToolDeclaration = {
  name: 'forecast',
  description: 'Tells the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** The call's outcome and the body that was sent for it. */
async function ask(wire: WireName, turn: Turn, call: Partial<ModelCall> = {}) {
  server.reply(turn);
  const outcome = await outcomeOf(modelAt(server, wire), { request: requestOf([question]), ...call });
  expect(outcome.error).toBeUndefined();
  return { ...outcome, sent: lastRequest() };
}

function lastRequest() {
  const sent = server.requests.at(-1);
  return sent ?? expect.unreachable('nothing was sent');
}

/** Answers every call of a content. */
function answersTo(content: Content): Content {
  const parts = functionCalls(content).map(({ id, name, args }) => ({
    functionResponse: { ...(id === undefined ? {} : { id }), name, response: { sunny: args?.city === '北京' } },
  }));
  return { role: 'user', parts };
}

describe.each(wireNames)('%s', (wire) => {
  it('streams text piece by piece, and says who answered', async () => {
    const outcome = await ask(wire, { text: ['晴，', '22', '°C 😀'] });
    expect(textsOf(outcome)).toEqual(['晴，', '22', '°C 😀']);
    expect(outcome.reply.content).toMatchObject({ role: 'model', parts: [{ text: '晴，22°C 😀' }] });
    expect(outcome.reply).toMatchObject({ finishReason: 'stop', isWhole: true });
    if (wire !== 'gemini') expect(outcome.reply.modelVersion).toBe(modelNames[wire]);
    expect(outcome.sent).toMatchObject({ isStreaming: true, model: modelNames[wire] });
  });

  it('answers in one go when it is not to stream', async () => {
    const { reply, pieces, sent } = await ask(wire, { text: ['晴，', '22°C'] }, { streaming: false });
    expect(sent.isStreaming).toBe(false);
    expect(textOf(reply.content).replace('\n', '')).toBe('晴，22°C');
    expect(pieces.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  it('sends instruction, tools and question', async () => {
    const { sent } = await ask(wire, { text: 'ok' }, { request: requestOf([question], [forecast]) });
    for (const said of ['你是一个助手。', 'Be brief.', '明天天气怎么样？', 'Tells the weather of a city.', '"city"'])
      expect(sent.bodyText).toContain(said);
    expect(JSON.parse(sent.bodyText)).toEqual(sent.body);
  });

  it.each([true, false])('takes a round trip with two calls in parallel, streaming: %s', async (streaming) => {
    const calls = [
      { name: 'forecast', args: { city: '北京' } },
      { name: 'forecast', args: { city: 'Oslo' } },
    ];
    const request = requestOf([question], [forecast]);
    const { reply } = await ask(wire, { text: 'I look it up.', calls }, { request, streaming });
    const said = reply.content ?? expect.unreachable('nothing was said');
    expect(functionCalls(said).map(({ name, args }) => ({ name, args }))).toEqual(calls);
    expect(new Set(functionCalls(said).map(({ id }) => id)).size).toBe(2);
    expect(reply.finishReason).toBe('tool-calls');
    // The server refuses answers that do not fit their calls.
    const next = requestOf([question, said, answersTo(said)], [forecast]);
    const { sent } = await ask(wire, { text: '北京晴' }, { request: next, streaming });
    expect(sent.bodyText.match(/sunny[\\"]*:true/g)).toHaveLength(1);
    expect(sent.bodyText.match(/sunny[\\"]*:false/g)).toHaveLength(1);
    expect(sent.bodyText).toContain('I look it up.');
  });

  it('passes on a call whose arguments are no JSON, without a crash', async () => {
    const calls = [{ name: 'forecast', rawArguments: '{"city":"北' }];
    const { reply } = await ask(wire, { calls }, { request: requestOf([question], [forecast]) });
    if (wire === 'gemini') expect(reply).toMatchObject({ finishReason: 'error', content: undefined });
    else expect(functionCalls(reply.content)).toMatchObject([{ name: 'forecast' }]);
  });

  it('takes an answer without anything in it', async () => {
    const { pieces, reply } = await ask(wire, {});
    expect(pieces.map(({ type }) => type)).toEqual(['finish']);
    expect([reply.content, reply.finishReason]).toEqual([undefined, 'stop']);
  });

  it.each([true, false])('gives thoughts back as they came, streaming: %s', async (streaming) => {
    const thoughtSignature = 'c2lnbmVkIGJ5IHRoZSBtb2RlbA==';
    const signed = wire === 'openai' ? {} : { thoughtSignature };
    const turn: Turn = { thought: ['想一想', '…'], ...signed, calls: [{ name: 'forecast', args: { city: '北京' } }] };
    const request = requestOf([question], [forecast]);
    const { reply } = await ask(wire, turn, { request, streaming });
    const said = reply.content ?? expect.unreachable('nothing was said');
    expect(said.parts[0]).toMatchObject({ thought: true, text: expect.stringContaining('想一想') });
    const next = requestOf([question, said, answersTo(said)], [forecast]);
    const { sent } = await ask(wire, { text: '晴' }, { request: next, streaming });
    expect(sent.bodyText).toContain('想一想');
    if (wire !== 'openai') expect(sent.bodyText.split(thoughtSignature)).toHaveLength(2);
  });
});

describe('usage', () => {
  const usage = {
    inputTokens: 1000,
    outputTokens: 50,
    cacheReadTokens: 800,
    cacheWriteTokens: 100,
    reasoningTokens: 20,
  };
  const counted = { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 800, reasoningTokens: 20 };

  it.each([
    ['openai', true],
    ['openai', false],
    ['gemini', true],
    ['gemini', false],
    ['anthropic', true],
    ['anthropic', false],
  ] as [WireName, boolean][])(
    '%s counts the whole prompt and its cached parts, streaming: %s',
    async (wire, streaming) => {
      const { reply } = await ask(wire, { thought: '…', thoughtSignature: 'c2ln', text: 'ok', usage }, { streaming });
      expect(reply.usage).toMatchObject(counted);
      // The other two do not say what they wrote to their cache.
      if (wire === 'anthropic') expect(reply.usage).toMatchObject({ cacheWriteTokens: 100 });
    },
  );
});

describe('what reaches the body', () => {
  const schema: JsonMap = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] };
  const numbers: ModelSettings = { temperature: 0.25, maxOutputTokens: 321, stopSequences: ['完'] };

  it.each([
    ['openai', { local: { reasoningEffort: 'low', user: '用户' } }, { reasoning_effort: 'low', user: '用户' }],
    [
      'gemini',
      { google: { thinkingConfig: { thinkingBudget: 7 } } },
      { generationConfig: { thinkingConfig: { thinkingBudget: 7 } } },
    ],
    ['anthropic', { anthropic: { cacheControl: { type: 'ephemeral' } } }, { cache_control: { type: 'ephemeral' } }],
  ] as [WireName, ModelSettings['providerOptions'], object][])(
    '%s: provider options',
    async (wire, given, expected) => {
      const settings = given === undefined ? {} : { providerOptions: given };
      expect((await ask(wire, { text: 'ok' }, { settings })).sent.body).toMatchObject(expected);
    },
  );

  it.each([
    ['openai', { temperature: 0.25, max_tokens: 321, stop: ['完'] }],
    ['gemini', { generationConfig: { temperature: 0.25, maxOutputTokens: 321, stopSequences: ['完'] } }],
    ['anthropic', { temperature: 0.25, max_tokens: 321, stop_sequences: ['完'] }],
  ] as [WireName, object][])('%s: settings, and headers beside it', async (wire, expected) => {
    const settings = { ...numbers, headers: { 'x-trace': 'abc' } };
    const { sent } = await ask(wire, { text: 'ok' }, { settings });
    expect(sent.body).toMatchObject(expected);
    expect(sent.headers['x-trace']).toBe('abc');
  });

  it.each([
    ['openai', { response_format: { type: 'json_schema', json_schema: { schema } } }],
    ['gemini', { generationConfig: { responseMimeType: 'application/json', responseSchema: schema } }],
    ['anthropic', { output_config: { format: { type: 'json_schema', schema } } }],
  ] as [WireName, object][])('%s: the schema of the answer', async (wire, expected) => {
    const { sent, reply } = await ask(wire, { text: '{"celsius":22}' }, { outputSchema: schema });
    expect(sent.body).toMatchObject(expected);
    expect(textOf(reply.content)).toBe('{"celsius":22}');
  });

  it.each([
    ['openai', { tool_choice: { type: 'function', function: { name: 'forecast' } } }],
    ['gemini', { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['forecast'] } } }],
    ['anthropic', { tool_choice: { type: 'tool', name: 'forecast' } }],
  ] as [WireName, object][])('%s: the choice of a tool', async (wire, expected) => {
    const request = requestOf([question], [forecast]);
    const settings = { toolChoice: { toolName: 'forecast' } };
    expect((await ask(wire, { text: 'ok' }, { request, settings })).sent.body).toMatchObject(expected);
  });
});
