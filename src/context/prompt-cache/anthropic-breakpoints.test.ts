import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, type ModelRequest, modelText, text } from '../../events/index.ts';
import { sha256 } from '../../internal/index.ts';
import { type AnthropicInput, anthropicBreakpoints } from './anthropic-breakpoints.ts';
import type { Breakpoint } from './breakpoint.ts';
import { cacheRulesFor } from './cache-rules.ts';
import { planOf, requestsOf, type SampleInvocation, sampleTools, tokensPerPart } from './sample-conversation.ts';

const rules = cacheRulesFor({ provider: 'anthropic', model: 'claude-sonnet-5' });
const lookBack = 20;

/** What such a provider does with marked requests: it looks back from each mark, and keeps what stands up to each. */
class AnthropicServer {
  readonly #kept = new Set<string>();
  readonly #minimum: number;

  constructor(minimum: number) {
    this.#minimum = minimum;
  }

  /** How many blocks of the request were found. */
  send(request: ModelRequest, marks: readonly Breakpoint[], headTokens = 4000): number {
    const prefixes = prefixesOf(request);
    const ends = marks.map((mark) => blocksThrough(request, mark));
    const isLong = (blocks: number) => headTokens + (blocks - 2) * tokensPerPart >= this.#minimum;
    const seen = ends.flatMap((end) => Array.from({ length: Math.min(lookBack, end) }, (_, back) => end - back));
    const found = seen.filter((blocks) => this.#kept.has(prefixes[blocks - 1] ?? ''));
    for (const end of ends) if (end <= 2 || isLong(end)) this.#kept.add(prefixes[end - 1] ?? '');
    return Math.max(0, ...found);
  }
}

function prefixesOf({ instruction, tools, contents }: ModelRequest): readonly string[] {
  const blocks = [JSON.stringify(tools), JSON.stringify(instruction)];
  for (const { role, parts } of contents) for (const part of parts) blocks.push(role + JSON.stringify(part));
  let prefix = '';
  return blocks.map((block) => {
    prefix = sha256(`${prefix}\n${block}`);
    return prefix;
  });
}

function blocksThrough({ contents }: ModelRequest, mark: Breakpoint): number {
  if (mark.at !== 'content') return mark.at === 'tools' ? 1 : 2;
  return contents.slice(0, mark.content).reduce((count, { parts }) => count + parts.length, 2) + mark.part + 1;
}

function decide(
  request: ModelRequest,
  more: Partial<AnthropicInput> & { readonly head?: { tools: number; instruction: number } } = {},
) {
  return anthropicBreakpoints({ plan: planOf(request, more.head), request, rules, ...more });
}

const requestOf = (contents: readonly Content[]): ModelRequest => {
  return { instruction: ['你是助手。'], tools: sampleTools, contents, transient: [] };
};

const many = (count: number): readonly Content[] =>
  Array.from({ length: count }, (_, at) => (at % 2 === 0 ? text(`第${at}`) : modelText(`${at}`)));

const conversations = fc.array(
  fc.record<SampleInvocation>({
    parts: fc.integer({ min: 1, max: 30 }),
    recalls: fc.boolean(),
    calls: fc.array(fc.integer({ min: 1, max: 24 }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('anthropicBreakpoints', () => {
  it('marks the last part, the instruction and the tools', () => {
    expect(decide(requestOf(many(3)))).toEqual({
      reason: 'marked',
      breakpoints: [
        { at: 'tools', ttlSeconds: 300 },
        { at: 'instruction', ttlSeconds: 300 },
        { at: 'content', content: 2, part: 0, ttlSeconds: 300 },
      ],
    });
  });

  it('marks no stretch that is shorter than the model caches', () => {
    const small = { tools: 300, instruction: 300 };
    expect(decide(requestOf(many(4)), { head: small })).toEqual({ reason: 'tooSmall', breakpoints: [] });
    expect(decide(requestOf(many(5)), { head: small }).breakpoints).toMatchObject([{ at: 'content', content: 4 }]);
    expect(decide(requestOf(many(1)), { head: { tools: 900, instruction: 300 } }).breakpoints).toMatchObject([
      { at: 'instruction' },
      { at: 'content' },
    ]);
  });

  it('counts nothing of a content that is marked within', () => {
    const last = { role: 'user', parts: [{ text: '问' }, { text: '[recalled]' }] } as const;
    const request = { ...requestOf([...many(4), last]), transientParts: { content: 4, from: 1, to: 2 } };
    expect(decide(request, { head: { tools: 300, instruction: 300 } }).reason).toBe('tooSmall');
    expect(decide(request, { head: { tools: 300, instruction: 324 } }).breakpoints).toMatchObject([
      { content: 4, part: 0 },
    ]);
  });

  it('sends no marks to a model that it does not know', () => {
    const unknown = cacheRulesFor({ provider: 'anthropic', model: 'MiniMax-M2' });
    expect(decide(requestOf(many(3)), { rules: unknown })).toEqual({ reason: 'unknownModel', breakpoints: [] });
    const other = cacheRulesFor({ provider: 'gemini', model: 'gemini-2.5-pro' });
    expect(decide(requestOf(many(3)), { rules: other }).reason).toBe('notSupported');
  });

  it('marks neither thoughts nor texts that say nothing', () => {
    const thought: Content = { role: 'model', parts: [{ text: 'hm', thought: true }, { text: ' ' }] };
    expect(decide(requestOf([...many(3), thought])).breakpoints.at(-1)).toMatchObject({ content: 2, part: 0 });
  });

  it('keeps what is kept longer before what is not', () => {
    const ttlOf = (ttlSeconds: AnthropicInput['ttlSeconds']) =>
      decide(requestOf(many(3)), ttlSeconds && { ttlSeconds }).breakpoints.map((mark) => mark.ttlSeconds);
    expect(ttlOf({ head: 3600 })).toEqual([3600, 3600, 300]);
    expect(ttlOf({ conversation: 3600 })).toEqual([3600, 3600, 3600]);
    expect(ttlOf({ head: 400, conversation: 99_999 })).toEqual([3600, 3600, 3600]);
    expect(ttlOf(undefined)).toEqual([300, 300, 300]);
  });

  it('sets the last mark again only where more was added than is looked back on', () => {
    const before = decide(requestOf(many(3))).breakpoints;
    const placesAfter = (count: number) =>
      decide(requestOf(many(count)), { previous: before }).breakpoints.flatMap((mark) =>
        mark.at === 'content' ? mark.content : [],
      );
    expect(placesAfter(22)).toEqual([21]);
    expect(placesAfter(23)).toEqual([2, 22]);
    expect(placesAfter(90)).toEqual([2, 89]);
  });

  it('does not set a mark again that stands behind the end of what is stable now', () => {
    const previous = [{ at: 'content', content: 4, part: 0, ttlSeconds: 300 }] as const;
    const request = { ...requestOf(many(6)), transient: [3] };
    expect(decide(request, { previous }).breakpoints.filter(({ at }) => at === 'content')).toMatchObject([
      { content: 2 },
    ]);
  });

  it('marks one look-back apart where it does not know the request before', () => {
    const places = decide(requestOf(many(60))).breakpoints.map((mark) =>
      mark.at === 'content' ? mark.content : mark.at,
    );
    expect(places).toEqual(['instruction', 21, 40, 59]);
  });

  it('marks what follows the transient only for further steps', () => {
    const [first, second] = requestsOf([{ parts: 1, recalls: true, calls: [1] }]);
    expect(decide(second?.request ?? requestOf([])).breakpoints.filter(({ at }) => at === 'content')).toEqual([
      { at: 'content', content: 0, part: 0, ttlSeconds: 300 },
    ]);
    const marks = decide(first?.request ?? requestOf([]), { moreSteps: true }).breakpoints;
    expect(marks.slice(-2)).toEqual([
      { at: 'content', content: 0, part: 0, ttlSeconds: 300 },
      { at: 'content', content: 0, part: 1, ttlSeconds: 300, invocationOnly: true },
    ]);
  });
});

describe('marks of a conversation', () => {
  it('let each request find all that the one before had and this one has too', () => {
    fc.assert(
      fc.property(conversations, fc.boolean(), fc.boolean(), (conversation, joins, moreSteps) => {
        const server = new AnthropicServer(rules.minimumTokens);
        let previous: readonly Breakpoint[] | undefined;
        let wanted = 0;
        let invocation = 0;
        for (const sent of requestsOf(conversation, { joins })) {
          const { breakpoints } = decide(sent.request, { moreSteps, ...(previous && { previous }) });
          const ends = (previous ?? []).filter(
            (mark) => sent.invocation === invocation || !('invocationOnly' in mark && mark.invocationOnly),
          );
          if (previous !== undefined) wanted = Math.max(...ends.map((mark) => blocksThrough(sent.request, mark)));
          expect(server.send(sent.request, breakpoints)).toBeGreaterThanOrEqual(wanted);
          [previous, invocation] = [breakpoints, sent.invocation];
        }
      }),
    );
  });

  it('let a request find the one before by strides, where the marks of that are not known', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 57 }), (before, added) => {
        const server = new AnthropicServer(rules.minimumTokens);
        server.send(requestOf(many(before)), decide(requestOf(many(before))).breakpoints);
        const grown = requestOf(many(before + added));
        expect(server.send(grown, decide(grown).breakpoints)).toBeGreaterThanOrEqual(2 + before);
      }),
    );
  });

  it('are at most four, in order, on parts that can be marked, and behind the transient only if asked for', () => {
    const part = fc.constantFrom({ text: '字' }, { text: ' ' }, { text: 'hm', thought: true });
    const content = fc.record({
      role: fc.constantFrom('user' as const, 'model' as const),
      parts: fc.array(part, { maxLength: 30 }),
    });
    const place = fc.record(
      {
        at: fc.constant('content' as const),
        content: fc.nat(9),
        part: fc.nat(31),
        ttlSeconds: fc.constant(300),
        invocationOnly: fc.constant(true as const),
      },
      { requiredKeys: ['at', 'content', 'part', 'ttlSeconds'] },
    );
    const span = fc.option(fc.record({ content: fc.nat(6), from: fc.nat(3), to: fc.nat(5) }), { nil: undefined });
    fc.assert(
      fc.property(
        fc.array(content, { maxLength: 8 }),
        fc.uniqueArray(fc.nat(8), { maxLength: 2 }),
        span,
        fc.array(place, { maxLength: 3 }),
        fc.boolean(),
        (contents, transient, transientParts, previous, moreSteps) => {
          const request = { ...requestOf(contents), transient, ...(transientParts && { transientParts }) };
          const { breakpoints } = decide(request, { previous, moreSteps });
          expect(breakpoints.length).toBeLessThanOrEqual(4);
          const order = breakpoints.map((mark) => blocksThrough(request, mark));
          expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
          for (const mark of breakpoints) {
            if (mark.at !== 'content') continue;
            expect(request.contents[mark.content]?.parts[mark.part]).toEqual({ text: '字' });
            const isBehind =
              mark.content >= Math.min(...transient, Number.POSITIVE_INFINITY) ||
              (transientParts !== undefined &&
                (mark.content > transientParts.content ||
                  (mark.content === transientParts.content && mark.part >= transientParts.from)));
            expect(mark.invocationOnly ?? false).toBe(isBehind);
            expect(isBehind && !moreSteps).toBe(false);
          }
        },
      ),
    );
  });
});
