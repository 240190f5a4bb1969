import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Content, type ModelRequest, modelText, text } from '../../events/index.ts';
import { planPrefix } from './plan-prefix.ts';
import { planOf, requestsOf, sampleTools } from './sample-conversation.ts';

function requestOf(contents: readonly Content[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { instruction: ['你是助手。'], tools: sampleTools, contents, transient: [], ...more };
}

const counts = { instruction: 30, tools: 50, tokensOf: ({ parts }: Content) => parts.length };

const invocations = fc.array(
  fc.record({
    parts: fc.integer({ min: 1, max: 3 }),
    recalls: fc.boolean(),
    calls: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('planPrefix', () => {
  it('takes the contents before the last run of the user side', () => {
    const contents = [text('你好'), modelText('您好'), text('一'), text('二')];
    const plan = planPrefix(requestOf(contents), counts);
    expect(plan.contents).toEqual(contents.slice(0, 2));
    expect(plan.tokens).toBe(82);
  });

  it('is instruction and tools alone where the user side begins and nothing came before', () => {
    const plan = planPrefix(requestOf([text('你好')]), counts);
    expect(plan).toMatchObject({
      contents: [],
      tokens: 80,
      headTokens: 80,
      toolTokens: 50,
      instruction: ['你是助手。'],
    });
  });

  it('puts the tools by name', () => {
    expect(planPrefix(requestOf([text('?')]), counts).tools.map(({ name }) => name)).toEqual(['clock', 'weather']);
  });

  it('counts its own tokens, not those of the whole request', () => {
    const long: Content = { role: 'user', parts: Array.from({ length: 5000 }, () => ({ text: '长' })) };
    const plan = planPrefix(requestOf([text('a'), modelText('b'), long]), counts);
    expect(plan.tokens).toBe(82);
    expect([0, 3, 1, 2].map((contents) => plan.tokensThrough(contents))).toEqual([80, 5082, 81, 82]);
  });

  it('counts no more than it is asked for where the sum is told', () => {
    const counted: Content[] = [];
    const tokensOf = (content: Content) => counted.push(content);
    const contents = [text('一'), modelText('二'), text('三'), modelText('四'), text('五')];
    const plan = planPrefix(requestOf(contents), { ...counts, contents: 100, tokensOf });
    expect(plan.tokens).toBe(179);
    expect(counted).toEqual(contents.slice(4));
    expect(plan.tokensThrough(2)).toBe(80 + 100 - 1 - 2 - 3);
    expect(plan.tokensThrough(5)).toBe(180);
    expect(counted).toEqual([contents[4], contents[3], contents[2]]);
  });

  it('leaves out the last run also where the model side ends the request', () => {
    const contents = [text('a'), modelText('b'), text('c'), modelText('d')];
    expect(planPrefix(requestOf(contents), counts).contents).toHaveLength(2);
  });

  it('is no content at all where the user side says nothing, or nobody does', () => {
    expect(planPrefix(requestOf([modelText('a'), modelText('b')]), counts).contents).toEqual([]);
    expect(planPrefix(requestOf([]), counts)).toMatchObject({ contents: [], tokens: 80 });
  });

  it('ends before what is transient, wherever that stands', () => {
    const contents = [text('a'), modelText('b'), text('c'), modelText('d'), text('e')];
    const lengthWith = (more: Partial<ModelRequest>) => planPrefix(requestOf(contents, more), counts).contents.length;
    expect(lengthWith({})).toBe(4);
    expect(lengthWith({ transient: [2] })).toBe(2);
    expect(lengthWith({ transient: [3, 1] })).toBe(1);
    expect(lengthWith({ transientParts: { content: 2, from: 0, to: 1 } })).toBe(2);
    expect(lengthWith({ transient: [0] })).toBe(0);
  });

  it('grows with a conversation, holds nothing transient, and never all', () => {
    fc.assert(
      fc.property(invocations, fc.boolean(), (conversation, joins) => {
        let before: readonly Content[] = [];
        for (const { request } of requestsOf(conversation, { joins })) {
          const { contents } = planOf(request);
          expect(contents.length).toBeLessThan(request.contents.length);
          expect(contents.slice(0, before.length)).toEqual(before);
          expect(JSON.stringify(contents)).not.toContain('recalled');
          before = contents;
        }
      }),
    );
  });

  it('is whole for any request', () => {
    const content = fc.record({
      role: fc.constantFrom('user' as const, 'model' as const),
      parts: fc.constant([{ text: '字' }]),
    });
    const span = fc.record({ content: fc.nat(6), from: fc.nat(2), to: fc.nat(2) });
    fc.assert(
      fc.property(
        fc.array(content, { maxLength: 6 }),
        fc.array(fc.nat(6)),
        fc.option(span),
        (contents, transient, parts) => {
          const request = requestOf(contents, { transient, ...(parts === null ? {} : { transientParts: parts }) });
          const plan = planPrefix(request, counts);
          expect(plan.contents).toEqual(contents.slice(0, plan.contents.length));
          expect(plan.contents.length).toBeLessThan(Math.max(1, contents.length));
          expect(plan.contents.length).toBeLessThanOrEqual(Math.min(...transient, parts?.content ?? 6));
          expect(plan.tokens).toBe(80 + plan.contents.length);
        },
      ),
    );
  });
});
