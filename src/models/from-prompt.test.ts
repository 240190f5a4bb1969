import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Part, type Provider, prepareEvent } from '../events/index.ts';
import type { AiSdkMessage, AiSdkPrompt, AiSdkToolOutput } from './ai-sdk-language-model.ts';
import { fromPrompt } from './from-prompt.ts';
import { PieceReader } from './read-pieces.ts';
import { ReplyCollector } from './reply-collector.ts';
import { toPrompt } from './to-prompt.ts';

const contentsOf = (...messages: AiSdkMessage[]) => fromPrompt(messages).contents;
const partsOf = (message: AiSdkMessage) => contentsOf(message)[0]?.parts;

describe('fromPrompt', () => {
  it('tells instruction, user, model and tools apart', () => {
    const result = {
      type: 'tool-result',
      toolCallId: 'c',
      toolName: 'f',
      output: { type: 'text', value: '晴' },
    } as const;
    expect(
      fromPrompt([
        { role: 'system', content: '简短' },
        { role: 'user', content: [{ type: 'text', text: '天气?' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { city: '北京' } }],
        },
        { role: 'tool', content: [result] },
      ]),
    ).toEqual({
      instruction: ['简短'],
      contents: [
        { role: 'user', parts: [{ text: '天气?' }] },
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: { city: '北京' } } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: '晴' } }] },
      ],
    });
  });

  it.each<[AiSdkToolOutput, unknown]>([
    [{ type: 'text', value: 'x' }, 'x'],
    [{ type: 'json', value: { a: [1] } }, { a: [1] }],
    [{ type: 'json', value: 'x' }, 'x'],
    [{ type: 'error-text', value: '坏了' }, { error: '坏了' }],
    [{ type: 'error-json', value: { code: 7 } }, { error: { code: 7 } }],
    [{ type: 'execution-denied', reason: '不行' }, { denied: '不行' }],
    [{ type: 'execution-denied' }, { denied: 'The call was not allowed.' }],
    [{ type: 'content', value: [{ type: 'text', text: 'x' }] }, { content: [{ type: 'text', text: 'x' }] }],
  ])('reads the result %j', (output, response) => {
    const parts = partsOf({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'f', output }] });
    expect(parts).toMatchObject([{ functionResponse: { id: 'c', name: 'f', response } }]);
  });

  it('refuses a result that JSON cannot hold, naming the place', () => {
    const output = { type: 'json', value: { at: new Date(0) } };
    const message = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'f', output }] };
    expect(() => fromPrompt([message as never])).toThrow(/prompt\[0\]\.content\[0\]\.output\.value\.at is an instance/);
  });

  it.each([
    [new Uint8Array([1, 2, 3]), { inlineData: { mimeType: 'image/png', data: 'AQID', displayName: 'a' } }],
    ['AQID', { inlineData: { mimeType: 'image/png', data: 'AQID', displayName: 'a' } }],
    ['data:image/png;base64,AQID', { inlineData: { mimeType: 'image/png', data: 'AQID', displayName: 'a' } }],
    [
      new URL('https://example.org/a'),
      { fileData: { fileUri: 'https://example.org/a', mimeType: 'image/png', displayName: 'a' } },
    ],
    ...['artifact:图 1.png', 'artifact:100%.png', 'artifact:a%41', 'artifact:a?b#c'].map((fileUri): [URL, Part] => [
      new URL(fileUri),
      { fileData: { fileUri, mimeType: 'image/png', displayName: 'a' } },
    ]),
    ['gs://b/a', { fileData: { fileUri: 'gs://b/a', mimeType: 'image/png', displayName: 'a' } }],
  ])('reads a file given as %s', (data, part) => {
    const content = [{ type: 'file' as const, mediaType: 'image/png', data, filename: 'a' }];
    expect(partsOf({ role: 'user', content })).toEqual([part]);
  });

  it('keeps cache marks out of the log, and other options in it', () => {
    const cacheControl = { type: 'ephemeral' };
    const promptCacheBreakpoint = { mode: 'explicit' };
    const message: AiSdkMessage = {
      role: 'user',
      content: [
        {
          type: 'text',
          text: 'a',
          providerOptions: { anthropic: { cacheControl }, openai: { promptCacheBreakpoint } },
        },
        { type: 'text', text: 'b', providerOptions: { anthropic: { cacheControl, citations: { enabled: true } } } },
      ],
      providerOptions: { anthropic: { cacheControl }, openaiCompatible: { name: '小明' } },
    };
    expect(partsOf(message)).toEqual([
      { text: 'a' },
      {
        text: 'b',
        extensions: {
          aiSdk: {
            providerOptions: { anthropic: { citations: { enabled: true } } },
            messageOptions: { openaiCompatible: { name: '小明' } },
          },
        },
      },
    ]);
  });

  it('leaves out what the provider ran by itself, words on leave, and messages of nothing else', () => {
    const call = { type: 'tool-call', toolCallId: 's', toolName: 'search', input: {}, providerExecuted: true } as const;
    const output: AiSdkToolOutput = { type: 'json', value: [] };
    expect(
      contentsOf(
        { role: 'assistant', content: [call, { type: 'tool-result', toolCallId: 's', toolName: 'search', output }] },
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
        { role: 'user', content: [] },
      ),
    ).toEqual([]);
  });

  it('reads an answer that comes back in a prompt as it was read from the model', () => {
    const reader = new PieceReader();
    const reply = new ReplyCollector();
    const thought = { anthropic: { signature: 'c2ln' } };
    const called = { google: { thoughtSignature: 'AQ==' } };
    for (const part of [
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: '想' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: thought },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-delta', id: '1', delta: '好' },
      { type: 'text-end', id: '1' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{"a":1}', providerMetadata: called },
    ] as const) {
      for (const piece of reader.read(part)) reply.add(piece);
    }
    const content = contentsOf({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '想', providerOptions: thought },
        { type: 'text', text: '好' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { a: 1 }, providerOptions: called },
      ],
    });
    expect(content).toEqual([reply.content]);
  });
});

const word = fc.constantFrom('a', '好', '😀 b', ' ', '__proto__');
const base64 = fc.constantFrom('AQID', 'AQ==', '-_8=');
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));
const optional = <T extends object>(name: string, value: fc.Arbitrary<unknown>, base: fc.Arbitrary<T>) =>
  fc
    .tuple(base, fc.option(value, { nil: undefined }))
    .map(([fields, more]) => (more === undefined ? fields : { ...fields, [name]: more }));
const withOptions = <T extends object>(base: fc.Arbitrary<T>) =>
  optional(
    'providerOptions',
    fc.oneof(
      base64.map((signature) => ({ anthropic: { signature } })),
      base64.map((redactedData) => ({ anthropic: { redactedData, more: [1, { a: '好' }] } })),
      fc.constant({ anthropic: { citations: [{ title: '书' }] }, custom: { a: 1 } }),
    ),
    base,
  );

const textPart = withOptions(fc.record({ type: fc.constant('text'), text: word }));
const filePart = optional(
  'filename',
  word,
  fc.record({
    type: fc.constant('file'),
    mediaType: fc.constantFrom('image/png', 'application/pdf'),
    data: base64,
  }),
);
const urlPart = fc.constant({ type: 'file', mediaType: 'image/*', data: new URL('https://example.org/图') });
const callPart = withOptions(
  fc.record({
    type: fc.constant('tool-call'),
    toolCallId: fc.constantFrom('c1', 'c2'),
    toolName: fc.constantFrom('f', 'g'),
    input: fc.dictionary(fc.constantFrom('a', '城市'), json),
  }),
);
const reasoningPart = withOptions(fc.record({ type: fc.constant('reasoning'), text: fc.constantFrom('', '想') }));
const output = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'error-text'), value: word }),
  fc.record({ type: fc.constantFrom('json', 'error-json'), value: json }),
  fc.record({ type: fc.constant('execution-denied'), reason: word }),
  fc.record({
    type: fc.constant('content'),
    value: fc.array(
      fc.constantFrom({ type: 'text', text: '好' }, { type: 'image-data', data: 'AQ==', mediaType: 'image/png' }),
    ),
  }),
);
const resultPart = withOptions(
  fc.record({ type: fc.constant('tool-result'), toolCallId: word, toolName: fc.constantFrom('f', 'g'), output }),
);
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.array(fc.oneof(textPart, filePart, urlPart), { minLength: 1 }) }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.array(fc.oneof(textPart, reasoningPart, filePart, callPart), { minLength: 1 }),
  }),
  fc.record({ role: fc.constant('tool'), content: fc.array(resultPart, { minLength: 1 }) }),
);
const prompts = fc
  .tuple(
    fc.array(word.map((content) => ({ role: 'system', content }))),
    fc.array(optional('providerOptions', fc.constant({ custom: { b: 2 } }), message)),
  )
  .map(([system, rest]) => [...system, ...rest] as AiSdkPrompt);

function again(prompt: AiSdkPrompt, provider: Provider): AiSdkPrompt {
  const { instruction, contents } = fromPrompt(prompt);
  return toPrompt({ instruction, contents, tools: [], transient: [] }, provider);
}

describe('a prompt that went through the log', () => {
  it('is the prompt it was, for the provider whose it is', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        expect(JSON.parse(JSON.stringify(again(prompt, 'anthropic')))).toEqual(JSON.parse(JSON.stringify(prompt)));
      }),
    );
  });

  it('can be stored, whatever it holds', () => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        for (const content of fromPrompt(prompt).contents) {
          const { draft } = prepareEvent({ author: content.role === 'user' ? 'user' : 'a', content }, 'event');
          expect(draft.content).toEqual(content);
        }
      }),
    );
  });
});
