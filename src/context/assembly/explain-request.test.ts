import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildLog, type LoggedInput } from '../../../test/logs/log-builder.ts';
import { randomLog } from '../../../test/logs/random-log.ts';
import {
  type Block,
  type CountTokens,
  type Event,
  type ModelRequest,
  modelText,
  type Part,
  type Provider,
  type ToolDeclaration,
  text,
} from '../../events/index.ts';
import { assemble } from './assemble.ts';
import { buildRequest } from './build-request.ts';
import { estimateRequest } from './estimate-request.ts';
import { type BlockExplanation, explainRequest, type RequestExplanation } from './explain-request.ts';

const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];
const characters: CountTokens = { name: 'characters', count: (value) => [...value].length };
const tools: readonly ToolDeclaration[] = [{ name: 'search', description: '查找' }];

interface Given {
  readonly provider: Provider;
  readonly blocks: readonly Block[];
  readonly tools?: readonly ToolDeclaration[];
  /** What is added behind a request that would end with the model's words. */
  readonly closing?: string;
}

function explain(
  events: readonly Event[],
  given: Given,
): { readonly request: ModelRequest; readonly told: RequestExplanation } {
  const { provider, blocks, closing } = given;
  const assembly = assemble(events, { agentName: 'assistant', history: 'full', provider });
  const built = buildRequest({ instruction: blocks, tools: given.tools ?? [], assembly, transient: [] }, provider);
  const request = closing === undefined ? built : closed(built, closing);
  const tokens = estimateRequest(request, { provider, blocks, events, counter: characters });
  const told = explainRequest({ request, provider, blocks, assembly, tokens, events, counter: characters });
  return { request, told };
}

function closed(request: ModelRequest, value: string): ModelRequest {
  const { contents, transient } = request;
  return { ...request, contents: [...contents, text(value)], transient: [...transient, contents.length] };
}

const sumOf = (blocks: readonly BlockExplanation[]) => blocks.reduce((sum, { tokens }) => sum + tokens, 0);
const outline = ({ kind, stable, tokens, contents }: BlockExplanation) =>
  `${stable ? '' : '~'}${kind} ${tokens} in ${contents}`;

const block = (kind: Block['kind'], content: string | Block['content'], stable = true): Block => ({
  kind,
  stable,
  content: typeof content === 'string' ? text(content) : content,
});
const memory = block('memory', '爱猫。', false);

/** A part of its own each time: the estimate tells blocks apart by their parts. */
const randomPart = fc
  .constantFrom<Part>(
    { text: '' },
    { text: '手册：先看这里。' },
    { text: 'Prefers tea 🍵' },
    { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
  )
  .map((part) => ({ ...part }));
const randomBlock: fc.Arbitrary<Block> = fc.record({
  kind: fc.constantFrom<Block['kind']>('instruction', 'example', 'profile', 'document', 'memory', 'state'),
  stable: fc.boolean(),
  content: fc.record({ role: fc.constantFrom('user', 'model'), parts: fc.array(randomPart, { maxLength: 3 }) }),
});
const counted: fc.Arbitrary<readonly LoggedInput[]> = fc
  .tuple(randomLog, fc.infiniteStream(fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined })))
  .map(([log, counts]) =>
    log.map((input) => {
      const n = counts.next().value;
      return n === undefined ? input : { ...input, tokens: { n, by: 'characters' } };
    }),
  );
const randomGiven: fc.Arbitrary<Given> = fc.record(
  {
    provider: fc.constantFrom(...providers),
    blocks: fc.array(randomBlock, { maxLength: 6 }),
    tools: fc.constant(tools),
    closing: fc.constant('(接着说。)'),
  },
  { requiredKeys: ['provider', 'blocks'] },
);

/** What the provider would be sent of a block, counted on its own. */
function tokensAlone({ kind, stable, content }: Block, provider: Provider): number {
  const isInstruction = kind === 'instruction' && stable;
  const assembly = assemble([], { agentName: 'assistant', history: 'full', provider });
  const one: Block = { kind, stable, content: isInstruction ? content : { ...content, role: 'user' } };
  const request = buildRequest({ instruction: [one], tools: [], assembly, transient: [] }, provider);
  const { unscaled, parts } = estimateRequest(request, { provider, counter: characters });
  return unscaled - (parts.framing ?? 0);
}

describe('explainRequest', () => {
  it('has pieces that with the marks add up to the request, each kind to what the estimate has of it', () => {
    fc.assert(
      fc.property(counted, randomGiven, (inputs, given) => {
        const { request, told } = explain(buildLog(inputs), given);
        const { framing = 0, ...kinds } = told.tokens.parts;
        // Fractions are summed in another order than in the estimate, so that a kind may be rounded the other way.
        const met = new Set([...told.blocks.map(({ kind }) => kind), ...Object.keys(kinds)]);
        for (const kind of met) {
          const has = sumOf(told.blocks.filter((piece) => piece.kind === kind));
          expect(Math.abs(has - (told.tokens.parts[kind as BlockExplanation['kind']] ?? 0))).toBeLessThanOrEqual(1);
        }
        expect(Math.abs(sumOf(told.blocks) + framing - told.tokens.unscaled)).toBeLessThanOrEqual(met.size);
        expect(told.stableTokens + told.transientTokens).toBe(sumOf(told.blocks));
        expect(told.blocks.filter(({ kind }) => kind === 'tools')).toHaveLength(request.tools.length);
        const isTransient = request.transient.length > 0 || request.transientParts !== undefined;
        expect(told.blocks.some(({ stable, contents }) => !stable && contents > 0)).toBe(isTransient);
      }),
    );
  });

  it('adds up exactly where no stored count is shared', () => {
    const words = fc.array(fc.record({ isUser: fc.boolean(), said: fc.constantFrom('你好', 'Tea? 🍵', '嗯') }));
    fc.assert(
      fc.property(words, randomGiven, (said, given) => {
        const inputs = said.map((one, at) => ({
          seq: at + 1,
          author: one.isUser ? 'user' : 'assistant',
          content: one.said,
          tokens: { n: at + 7, by: 'characters' },
        }));
        const { told } = explain(buildLog(inputs), given);
        expect(sumOf(told.blocks) + (told.tokens.parts.framing ?? 0)).toBe(told.tokens.unscaled);
      }),
    );
  });

  it('tells of every block what it counts on its own, in the order in which blocks are placed', () => {
    fc.assert(
      fc.property(counted, randomGiven, (inputs, given) => {
        const { told } = explain(buildLog(inputs), given);
        const isInstruction = ({ kind, stable }: Block) => kind === 'instruction' && stable;
        const contents = given.blocks.filter((one) => !isInstruction(one));
        const placed = [
          ...given.blocks.filter(isInstruction),
          ...contents.filter(({ stable }) => stable),
          ...contents.filter(({ stable }) => !stable),
        ];
        const pieces = told.blocks.filter(({ kind }) => kind !== 'tools' && kind !== 'conversation');
        expect(pieces.map(({ kind, stable }) => [kind, stable])).toEqual(
          placed.map(({ kind, stable }) => [kind, stable]),
        );
        expect(pieces.map(({ tokens }) => tokens)).toEqual(placed.map((one) => tokensAlone(one, given.provider)));
      }),
    );
  });

  const log = buildLog([
    { seq: 1, author: 'user', content: '早' },
    { seq: 2, author: 'assistant', content: '您早！' },
    { seq: 3, author: 'user', content: '天气？🌧', tokens: { n: 40, by: 'characters' } },
    { seq: 4, author: 'assistant', content: { parts: [{ functionCall: { id: 'c', name: 'search' } }] } },
    {
      seq: 5,
      author: 'search',
      content: { parts: [{ functionResponse: { id: 'c', name: 'search', response: '雨' } }] },
    },
  ]);
  const blocks = [block('instruction', '简短。'), block('profile', '喝茶'), memory, block('state', 'Friday', false)];

  it.each<[Provider, number]>([
    ['openai', 15],
    ['gemini', 28], // It wants an object for a response.
    ['anthropic', 15],
  ])('tells for %s the pieces where they stand, also those that share a content', (provider, behind) => {
    const { told, request } = explain(log, { provider, blocks, tools });
    expect(told.blocks.map(outline)).toEqual([
      'instruction 3 in 0',
      'tools 28 in 0',
      'profile 2 in 1',
      'conversation 44 in 3',
      '~memory 3 in 1',
      '~state 6 in 1',
      `conversation ${behind} in 2`,
    ]);
    // The profile and the first words share a content then, and the question and the memories another.
    expect(request.contents).toHaveLength(provider === 'anthropic' ? 5 : 8);
    expect(told).toMatchObject({ stableTokens: 3 + 28 + 2 + 44 + behind, transientTokens: 9 });
    expect(told.counts.events).toBe(5);
  });

  it('takes the constant opening for the conversation, and what closes the request for this one only', () => {
    const spoken = buildLog([{ seq: 1, author: 'assistant', content: '喂？' }]);
    const { told, request } = explain(spoken, { provider: 'gemini', blocks: [], closing: '(接着说。)' });
    expect(request.contents).toHaveLength(3);
    expect(told.blocks.map(outline)).toEqual(['conversation 28 in 2', '~conversation 6 in 1']);
  });

  it('takes a constant opening in front of an example for the conversation', () => {
    const example = block('example', modelText('例'));
    const { told } = explain(log.slice(0, 1), { provider: 'openai', blocks: [example] });
    expect(told.blocks.map(outline)).toEqual(['example 1 in 1', 'conversation 27 in 2']);
  });

  it('tells a block that is given twice twice, and one that says nothing as nothing', () => {
    const document = block('document', '手册');
    const given = [document, document, block('instruction', ' \n'), block('state', '', false)];
    const { told } = explain(log.slice(0, 1), { provider: 'anthropic', blocks: given });
    expect(told.blocks.map(outline)).toEqual([
      'instruction 0 in 0',
      'document 2 in 1',
      'document 2 in 1',
      'conversation 1 in 1',
      '~state 0 in 0',
    ]);
  });

  it('rounds what a kind has in all, not each piece of it', () => {
    const half = (seq: number, value: string): LoggedInput => ({
      seq,
      author: 'assistant',
      content: { parts: [{ text: '嗯', thought: true }, { text: value }] },
      tokens: { n: 3, by: 'characters' },
    });
    const halves = buildLog([half(1, '早'), { seq: 2, author: 'user', content: '?' }, half(3, '好')]);
    const { told } = explain(halves, { provider: 'openai', blocks: [] });
    expect(told.tokens.parts.conversation).toBe(30);
    expect(told.blocks.map(outline)).toEqual(['conversation 29 in 3', 'conversation 1 in 1']);
  });

  it('tells what was said from a block that repeats it', () => {
    const [asked] = log;
    const repeated = block('document', asked?.content ?? '', false);
    const { told } = explain(log.slice(0, 1), { provider: 'openai', blocks: [repeated] });
    expect(told.blocks.map(outline)).toEqual(['conversation 1 in 1', '~document 1 in 1']);
  });

  it('tells a part that stands twice from itself where the question ends between', () => {
    const assembly = assemble(log.slice(0, 1), { agentName: 'assistant', history: 'full', provider: 'openai' });
    const [said = text('')] = assembly.contents;
    const twice = { ...assembly, contents: [{ ...said, parts: [...said.parts, ...said.parts] }] };
    const request = buildRequest({ instruction: [], tools: [], assembly: twice, transient: [] }, 'openai');
    const tokens = estimateRequest(request, { provider: 'openai' });
    const given = { request, provider: 'openai', blocks: [], assembly: twice, tokens, events: [] } as const;
    expect(explainRequest(given).blocks.map(({ kind, contents }) => [kind, contents])).toEqual([
      ['conversation', 1],
      ['conversation', 1],
    ]);
  });

  it('says where a block comes from, and what media count for', () => {
    const source = [{ kind: 'direct', source: 'form', id: 'm1', at: '2026-01-01T00:00:00.000Z' }] as const;
    const image: Part = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };
    const given = [{ ...memory, content: { role: 'user', parts: [{ text: '图' }, image] }, source }] as const;
    const { told } = explain(log.slice(0, 1), { provider: 'gemini', blocks: given });
    expect(told.blocks[1]).toEqual({ kind: 'memory', stable: false, tokens: 1 + 258, contents: 1, source });
  });
});
