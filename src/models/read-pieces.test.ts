import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import type { Part } from '../events/index.ts';
import type { AiSdkGenerateResult, AiSdkStreamPart, AiSdkUsage } from './ai-sdk-language-model.ts';
import { PieceReader, piecesOfResult } from './read-pieces.ts';
import { ReplyCollector } from './reply-collector.ts';

const usage: AiSdkUsage = {
  inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
  outputTokens: { total: 20, text: 12, reasoning: 8 },
  raw: { input_tokens: 30 },
};
const stop = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } } as const;

function collect(parts: readonly unknown[]): ReplyCollector {
  const reader = new PieceReader('m');
  const reply = new ReplyCollector();
  // What comes over a wire need not be what the types say.
  for (const part of parts) for (const piece of reader.read(part as AiSdkStreamPart)) reply.add(piece);
  for (const piece of reader.rest()) reply.add(piece);
  return reply;
}

const partsOf = (parts: readonly unknown[]): readonly Part[] | undefined => collect(parts).content?.parts;

const text = (id: string, ...deltas: string[]) => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];

describe('PieceReader', () => {
  it('reads thought, text, a call and the finish', () => {
    const reply = collect([
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r1', modelId: 'm-2026' },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: '先查' },
      { type: 'reasoning-delta', id: '0', delta: '天气' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { anthropic: { signature: 'c2ln' } } },
      { type: 'reasoning-end', id: '0' },
      ...text('1', '我', '看看。'),
      { type: 'tool-input-start', id: 'c1', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"city"' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"北京"}' },
      { ...stop, finishReason: { unified: 'tool-calls', raw: 'tool_use' } },
    ]);
    expect(reply.content).toEqual({
      role: 'model',
      parts: [
        {
          text: '先查天气',
          thought: true,
          thoughtSignature: 'c2ln',
          extensions: { aiSdk: { signedBy: { provider: 'anthropic', field: 'signature' } } },
        },
        { text: '我看看。' },
        { functionCall: { id: 'c1', name: 'weather', args: { city: '北京' } } },
      ],
    });
    expect(reply).toMatchObject({ isWhole: true, finishReason: 'tool-calls', modelVersion: 'm-2026' });
    expect(reply.usage).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 60,
      cacheWriteTokens: 10,
      reasoningTokens: 8,
      totalTokens: 120,
      raw: { input_tokens: 30 },
    });
  });

  it('keeps two texts apart, and one text whole that a call comes into', () => {
    expect(partsOf([...text('1', 'a'), ...text('2', 'b')])).toEqual([{ text: 'a' }, { text: 'b' }]);
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '' };
    expect(
      partsOf([
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'a', providerMetadata: { google: { thoughtSignature: 'AQ==' } } },
        call,
        { type: 'text-delta', id: '1', delta: 'b' },
        { type: 'text-end', id: '1' },
      ]),
    ).toMatchObject([
      { text: 'a', thoughtSignature: 'AQ==' },
      { functionCall: { name: 'f', args: {} } },
      { text: 'b' },
    ]);
  });

  it('keeps a thought of which only what the provider hid is there', () => {
    const providerMetadata = { anthropic: { redactedData: 'aGlk' } };
    expect(
      partsOf([
        { type: 'reasoning-start', id: '0', providerMetadata },
        { type: 'reasoning-end', id: '0' },
        ...text('1', 'x'),
      ]),
    ).toMatchObject([
      {
        text: '',
        thought: true,
        thoughtSignature: 'aGlk',
        extensions: { aiSdk: { signedBy: { field: 'redactedData' } } },
      },
      { text: 'x' },
    ]);
  });

  it('gives a character whole whose halves come apart', () => {
    const pieces = new PieceReader();
    const [high, low] = ['\ud83d', '\ude00'];
    expect(pieces.read({ type: 'text-delta', id: '1', delta: `a${high}` })).toEqual([{ type: 'text', text: 'a' }]);
    expect(pieces.read({ type: 'text-delta', id: '1', delta: `${low}b` })).toEqual([{ type: 'text', text: '😀b' }]);
    expect(partsOf(text('1', 'x', high, low))).toEqual([{ text: 'x😀' }]);
    expect(partsOf(text('1', 'x', high))).toEqual([{ text: `x${high}` }]);
  });

  it.each([
    ['text that is no JSON', '{"city": "Par'],
    ['a list', '[1]'],
    ['a text', '"x"'],
    ['what is nested beyond measure', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`],
  ])('notes arguments that are %s', (_, input) => {
    const [part] = partsOf([{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input }]) ?? [];
    expect(part).toEqual({
      functionCall: { id: 'c', name: 'f', args: {} },
      extensions: { invalidArguments: input.slice(0, 2_000) },
    });
  });

  it('cuts invalid arguments by code points', () => {
    const [part] = partsOf([{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '😀'.repeat(3_000) }]) ?? [];
    expect(part?.extensions?.invalidArguments).toBe('😀'.repeat(2_000));
  });

  it('keeps a key such as __proto__ in arguments', () => {
    const [part] =
      partsOf([{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{"__proto__":{"a":1}}' }]) ?? [];
    expect(Object.keys(part?.functionCall?.args ?? {})).toEqual(['__proto__']);
  });

  it('leaves out what the provider does by itself, and what it does not know', () => {
    const reply = collect([
      { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: [] },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://example.org' },
      { type: 'raw', rawValue: {} },
      { type: 'invented-tomorrow', id: 7 },
      stop,
    ]);
    expect([reply.content, reply.isWhole]).toEqual([undefined, true]);
  });

  it('takes no finish from a provider that never told one', () => {
    const reply = collect([...text('1', 'half'), { ...stop, finishReason: { unified: 'other', raw: undefined } }]);
    expect([reply.content?.parts, reply.isWhole]).toEqual([[{ text: 'half' }], false]);
    const other = collect([...text('1', 'x'), { ...stop, finishReason: { unified: 'other', raw: 'LANGUAGE' } }]);
    expect([other.isWhole, other.finishReason]).toEqual([true, 'other']);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'data: {}'],
    ['a part without a type', { delta: 'x' }],
    ['a delta that is no text', { type: 'text-delta', id: '1', delta: 7 }],
    ['a text without an id', { type: 'text-start' }],
    ['a call without a name', { type: 'tool-call', toolCallId: 'c', input: '{}' }],
    ['a file without data', { type: 'file', mediaType: 'image/png' }],
    ['an error', { type: 'error', error: { message: 'overloaded' } }],
  ])('fails on %s', (_, part) => {
    const failure = attempt(() => collect([part]));
    expect(isPalimpsestError(failure, 'MODEL_FAILED') && failure.details.model).toBe('m');
  });

  it('reads media, bytes as base64', () => {
    const file = { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) };
    expect(partsOf([file])).toEqual([{ inlineData: { mimeType: 'image/png', data: 'AQID' } }]);
  });

  it('leaves figures out that are none', () => {
    const odd = { inputTokens: { total: Number.NaN, cacheRead: -1 }, outputTokens: undefined, raw: [1] };
    expect(collect([{ ...stop, usage: odd }]).usage).toBeUndefined();
    const big = { ...usage, raw: { text: 'x'.repeat(20_000) } };
    expect(collect([{ ...stop, usage: big }]).usage).not.toHaveProperty('raw');
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const speech = fc.string({
  unit: fc.constantFrom('a', '好', '😀', '\ud83d', '\ude00', ' '),
  minLength: 1,
  maxLength: 8,
});

describe('stretches that come interleaved', () => {
  const stretches = fc.array(
    fc.record({ isThought: fc.boolean(), deltas: fc.array(speech, { minLength: 1, maxLength: 5 }) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  );

  it('come out whole, in the order in which they began', () => {
    fc.assert(
      fc.property(stretches, fc.infiniteStream(fc.nat(99)), (all, picks) => {
        const kindOf = (index: number) => (all[index]?.isThought ? 'reasoning' : 'text');
        const parts: unknown[] = all.map((_, index) => ({ type: `${kindOf(index)}-start`, id: String(index) }));
        const left = all.map(({ deltas }, index) => ({ index, deltas: [...deltas] }));
        while (left.length > 0) {
          const at = (picks.next().value ?? 0) % left.length;
          const { index, deltas } = left[at] ?? { index: 0, deltas: [] };
          const delta = deltas.shift();
          const id = String(index);
          if (delta === undefined) left.splice(at, 1);
          parts.push(
            delta === undefined ? { type: `${kindOf(index)}-end`, id } : { type: `${kindOf(index)}-delta`, id, delta },
          );
        }
        expect(partsOf(parts)).toEqual(
          all.map(({ isThought, deltas }) => ({ text: deltas.join(''), ...(isThought ? { thought: true } : {}) })),
        );
      }),
    );
  });

  it('lose nothing when the stream breaks off', () => {
    fc.assert(
      fc.property(stretches, (all) => {
        const rounds = Math.max(...all.map(({ deltas }) => deltas.length));
        const parts = Array.from({ length: rounds }).flatMap((_, round) =>
          all.flatMap(({ deltas }, index) =>
            deltas[round] === undefined ? [] : { type: 'text-delta', id: String(index), delta: deltas[round] },
          ),
        );
        expect(partsOf(parts)?.map((part) => part.text)).toEqual(all.map(({ deltas }) => deltas.join('')));
      }),
    );
  });
});

describe('piecesOfResult', () => {
  const result: AiSdkGenerateResult = {
    content: [
      { type: 'reasoning', text: '嗯', providerMetadata: { google: { thoughtSignature: 'AQ==' } } },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'source' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{"a":1}' },
    ],
    finishReason: { unified: 'stop', raw: 'STOP' },
    usage,
    response: { modelId: 'm-1' },
  };

  it('reads an answer that came in one go as one that was streamed', () => {
    const reply = new ReplyCollector();
    for (const piece of piecesOfResult(result)) reply.add(piece);
    expect(reply.content?.parts).toMatchObject([
      { text: '嗯', thought: true, thoughtSignature: 'AQ==' },
      { text: 'a' },
      { text: 'b' },
      { functionCall: { id: 'c', name: 'f', args: { a: 1 } } },
    ]);
    expect(reply).toMatchObject({ isWhole: true, finishReason: 'stop', modelVersion: 'm-1' });
  });

  it.each([undefined, {}, { content: 'x' }, { content: [7] }, { content: [{ type: 'text' }] }])(
    'fails on %j',
    (broken) => {
      const failure = attempt(() => piecesOfResult(broken as AiSdkGenerateResult, 'm'));
      expect(isPalimpsestError(failure, 'MODEL_FAILED')).toBe(true);
    },
  );
});
