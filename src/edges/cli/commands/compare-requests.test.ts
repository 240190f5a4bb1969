import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Placement, RequestExplanation } from '../../../context/assembly/index.ts';
import type { Content, Event, ModelRequest, RequestJournal } from '../../../events/index.ts';
import { type ComparedRequest, compareRequests } from './compare-requests.ts';

const said = (role: Content['role'], ...texts: string[]): Content => ({ role, parts: texts.map((text) => ({ text })) });
const question = said('user', '我周五去大理，住三天。');
const answer = said('model', '好的，周五到大理。');
const more = said('user', 'In Celsius, please.');
const summary = said('model', 'The user goes to Dali on Friday. 🚄');
const block = (kind: string, hash: string, stable = true) => ({ kind, hash, stable });
const verbatim: Placement = { outcome: 'verbatim' };

interface Sample extends Partial<ModelRequest> {
  readonly throughSeq?: number;
  /** `false`: it was never sent. */
  readonly blocks?: RequestJournal['blocks'] | false;
  readonly answerSeq?: number;
  readonly events?: readonly Event[];
  readonly stableTokens?: readonly (readonly [kind: RequestExplanation['blocks'][number]['kind'], tokens: number])[];
  readonly explain?: (seq: number) => Placement;
}

function sample(given: Sample): ComparedRequest {
  const { throughSeq = 3, blocks = [], answerSeq, events = [], stableTokens = [], explain = () => verbatim } = given;
  const { instruction = [], tools = [], contents = [], transient = [], transientParts } = given;
  return {
    agentName: 'guide',
    provider: 'openai',
    throughSeq,
    request: {
      ...{ instruction, tools, contents, transient, events, explain },
      ...(transientParts === undefined ? {} : { transientParts }),
      ...(answerSeq === undefined ? {} : { answer: eventOf(answerSeq) }),
      explanation: { blocks: stableTokens.map(([kind, tokens]) => ({ kind, tokens, stable: true, contents: 0 })) },
    },
    journal: blocks === false ? undefined : { blocks },
  };
}

function eventOf(seq: number, breaks: readonly string[] = [], agentName = 'guide'): Event {
  const request = { view: { agentName, provider: 'openai' }, breaks };
  const text = `{"seq":${seq},"id":"e${seq}","actions":{},"request":${JSON.stringify(request)}}`;
  return JSON.parse(text);
}

describe('the stable part', () => {
  test('all of it begins the next request, which is longer', () => {
    const stableTokens = [
      ['instruction', 10],
      ['conversation', 30],
    ] as const;
    const first = sample({ instruction: ['Kurz.'], contents: [question], stableTokens });
    const second = sample({ instruction: ['Kurz.'], contents: [question, answer, more] });
    const difference = compareRequests(first, second);
    expect(difference).toMatchObject({
      isSame: false,
      prefix: { isWhole: true, contents: 1, ofContents: 1, tokens: 40, ofTokens: 40 },
      instruction: { is: 'same' },
      tools: { is: 'same' },
    });
    expect(difference.parting).toBeUndefined();
    expect(difference.added.map(({ parts }) => parts[0]?.text)).toEqual([answer.parts[0]?.text, more.parts[0]?.text]);
    expect(difference.removed).toEqual([]);
  });

  test('a content that grew begins as before, and only its new parts are new', () => {
    const first = sample({ contents: [said('user', '一')] });
    const second = sample({ contents: [said('user', '一', '二')] });
    const difference = compareRequests(first, second);
    expect(difference.prefix).toMatchObject({ isWhole: true, contents: 1 });
    expect(difference.added).toEqual([{ role: 'user', parts: [{ text: '二' }], content: 0, isTransient: false }]);
    expect(compareRequests(second, first)).toMatchObject({
      prefix: { isWhole: false, contents: 0, ofContents: 1 },
      parting: { first: { content: 0 } },
    });
  });

  test('what is there for one request only is no part of it, also within a content', () => {
    const recalled = { role: 'user', parts: [...question.parts, { text: '<recalled>' }] } as const;
    const first = sample({ contents: [recalled], transientParts: { content: 0, from: 1, to: 2 } });
    const second = sample({ contents: [question, answer] });
    const difference = compareRequests(first, second);
    expect(difference.prefix).toMatchObject({ isWhole: true, contents: 1, ofContents: 1 });
    expect(difference.removed).toMatchObject([{ parts: [{ text: '<recalled>' }], isTransient: true }]);
    const alone = sample({ contents: [question, said('user', '<recalled>')], transient: [1] });
    expect(compareRequests(alone, second).prefix).toMatchObject({ isWhole: true, ofContents: 1 });
  });

  test('a summary in the place of events: where they part, and how much is left', () => {
    const first = sample({
      contents: [said('user', 'x'.repeat(400)), question, answer],
      stableTokens: [['conversation', 120]],
    });
    const second = sample({ contents: [said('user', 'x'.repeat(400)), summary, answer] });
    const { prefix, parting, added, removed } = compareRequests(first, second);
    expect(prefix).toMatchObject({ isWhole: false, contents: 1, ofContents: 3, ofTokens: 120 });
    expect(prefix.tokens).toBeGreaterThan(90);
    expect(prefix.tokens).toBeLessThan(120);
    expect(parting).toMatchObject({ first: { parts: question.parts }, second: { parts: summary.parts } });
    expect(added.map(({ parts }) => parts)).toEqual([summary.parts]);
    expect(removed.map(({ parts }) => parts)).toEqual([question.parts]);
  });

  test('behind another instruction nothing begins as before', () => {
    const first = sample({ instruction: ['One.', 'Two.'], contents: [question] });
    const second = sample({ instruction: ['One.', '三。'], contents: [question] });
    const difference = compareRequests(first, second);
    expect(difference.prefix).toMatchObject({ isWhole: false, contents: 0, tokens: 0 });
    expect(difference.instruction).toEqual({ is: 'changed', removed: ['Two.'], added: ['三。'] });
    expect(difference.parting).toBeUndefined();
    const empty = compareRequests(sample({ instruction: ['One.'] }), sample({}));
    expect(empty.prefix).toMatchObject({ isWhole: false, contents: 0, ofContents: 0 });
  });
});

test('tools by name, blocks by hash', () => {
  const tool = (name: string, description: string) => ({ name, description, parameters: { type: 'object' } });
  const first = sample({
    tools: [tool('find', 'a'), tool('gone', 'b')],
    blocks: [
      block('instruction', 'h1'),
      block('memory', 'm1', false),
      block('document', 'd1'),
      block('document', 'd1'),
    ],
  });
  const second = sample({
    tools: [tool('find', '查找'), tool('new', 'c')],
    blocks: [block('instruction', 'h1'), block('memory', 'm2', false), block('document', 'd1')],
  });
  expect(compareRequests(first, second)).toMatchObject({
    tools: { is: 'changed', removed: ['gone'], added: ['new'], changed: ['find'] },
    blocks: [
      { kind: 'instruction', in: 'both' },
      { kind: 'memory', hash: 'm1', in: 'first' },
      { kind: 'document', hash: 'd1', in: 'both' },
      { kind: 'document', hash: 'd1', in: 'first' },
      { kind: 'memory', hash: 'm2', in: 'second' },
    ],
  });
});

test('of a request that was never sent, instruction, tools and blocks are not compared', () => {
  const first = sample({
    instruction: ['Kurz.'],
    contents: [question],
    blocks: [block('instruction', 'h1')],
    stableTokens: [
      ['instruction', 10],
      ['conversation', 30],
    ],
  });
  expect(compareRequests(first, sample({ contents: [question, answer], blocks: false }))).toMatchObject({
    instruction: { is: 'unknown', removed: [], added: [] },
    tools: { is: 'unknown', changed: [] },
    blocks: [],
    prefix: { isWhole: true, contents: 1, tokens: 30, ofTokens: 30 },
  });
});

test('placements that changed, each change once with its events', () => {
  const masked: Placement = { outcome: 'masked', by: 31 };
  const unseen: Placement = { outcome: 'hidden', why: 'empty' };
  const first = sample({ throughSeq: 30, explain: (seq) => (seq > 30 ? unseen : verbatim) });
  const second = sample({ throughSeq: 40, explain: (seq) => (seq < 13 && seq !== 5 ? masked : verbatim) });
  const forth = compareRequests(first, second).placements;
  expect(forth).toEqual([
    {
      seqs: [
        [1, 4],
        [6, 12],
      ],
      first: verbatim,
      second: masked,
    },
  ]);
  expect(compareRequests(second, first).placements).toEqual([{ ...forth[0], first: masked, second: verbatim }]);
});

test('breaks that this agent declared between the two, whichever is the older', () => {
  const events = [eventOf(4, ['tools']), eventOf(9, ['compaction']), eventOf(11, ['rewind'], 'other'), eventOf(12)];
  const first = sample({ answerSeq: 4, throughSeq: 3 });
  const second = sample({ answerSeq: 14, throughSeq: 13, events });
  for (const pair of [
    [first, second],
    [second, first],
  ] as const)
    expect(compareRequests(...pair).breaks).toEqual([{ seq: 9, reasons: ['compaction'] }]);
  const foreign = JSON.parse('{"seq":10,"actions":{},"request":{"breaks":"x"}}');
  expect(compareRequests(first, sample({ answerSeq: 14, events: [...events, foreign] })).breaks).toHaveLength(1);
});

test('a request is the same as itself, and as much begins the other as is counted', () => {
  const content = fc.record({
    role: fc.constantFrom<Content['role']>('user', 'model'),
    parts: fc.array(fc.record({ text: fc.constantFrom('a', '好', 'long '.repeat(9)) }), { minLength: 1, maxLength: 3 }),
  });
  const request = fc.record({
    contents: fc.array(content, { maxLength: 6 }),
    instruction: fc.subarray(['一', 'Two.']),
    stableTokens: fc.constant([['conversation', 100]] as const),
  });
  fc.assert(
    fc.property(request, request, (one, other) => {
      const [first, second] = [sample(one), sample(other)];
      expect(compareRequests(first, first)).toMatchObject({
        isSame: true,
        prefix: { isWhole: true },
        added: [],
        removed: [],
      });
      const { prefix, parting, isSame, added, removed } = compareRequests(first, second);
      expect(prefix.tokens).toBeLessThanOrEqual(prefix.ofTokens);
      expect(prefix.contents).toBeLessThanOrEqual(prefix.ofContents);
      if (prefix.isWhole) expect(parting).toBeUndefined();
      if (isSame) expect([...added, ...removed]).toEqual([]);
      const partsOf = (contents: readonly Content[]) => contents.reduce((sum, { parts }) => sum + parts.length, 0);
      expect(partsOf(second.request.contents) - partsOf(added)).toBe(
        partsOf(first.request.contents) - partsOf(removed),
      );
    }),
  );
});
