import { describe, expect, it } from 'vitest';
import { buildLog } from '../../../test/logs/log-builder.ts';
import {
  type Block,
  type CountTokens,
  type Event,
  estimateTokens,
  type ModelRequest,
  modelText,
  type Provider,
  text,
  type View,
} from '../../events/index.ts';
import { assemble } from './assemble.ts';
import { buildRequest } from './build-request.ts';
import { type EstimateInput, estimateRequest } from './estimate-request.ts';

/** Counts characters, and what it was asked to count. */
function charCounter(): CountTokens & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'characters',
    asked,
    count: (value) => {
      asked.push(value);
      return value.length;
    },
  };
}

const view: View = { agentName: 'assistant', provider: 'openai', history: 'full' };
const state: Block = { kind: 'state', stable: false, content: text('星期五') };
const profile: Block = { kind: 'profile', stable: true, content: text('爱喝茶') };
const instruction: Block = { kind: 'instruction', stable: true, content: text('简短。') };

function requestOf(events: readonly Event[], blocks: readonly Block[] = [], provider: Provider = 'openai') {
  const assembly = assemble(events, { ...view, provider });
  return buildRequest({ instruction: blocks, tools: [], assembly, transient: [] }, provider);
}

const log = (by: string) =>
  buildLog([
    { seq: 1, author: 'user', content: '你好', tokens: { n: 700, by } },
    { seq: 2, author: 'assistant', content: '您好！', tokens: { n: 50, by } },
    { seq: 3, author: 'user', content: '天气？', tokens: { n: 30, by } },
  ]);

const bare: ModelRequest = { instruction: [], tools: [], contents: [text('Hello!')], transient: [] };
const estimateOf = (input: Partial<EstimateInput>) => estimateRequest(bare, { provider: 'openai', ...input });

describe('estimateRequest', () => {
  it('adds up what the log has counted, and counts the rest, by kind of block', () => {
    const counter = charCounter();
    const events = log('characters');
    const blocks = [instruction, profile, state];
    const tokens = estimateRequest(requestOf(events, blocks), { provider: 'openai', counter, events, blocks });
    expect(tokens.parts).toEqual({
      conversation: 780,
      instruction: 3,
      profile: 3,
      state: 3,
      framing: 4 * 6 + 3,
    });
    expect(tokens).toMatchObject({ n: 816, unscaled: 816, by: 'characters', label: 'counted' });
    expect(counter.asked.sort()).toEqual(['星期五', '爱喝茶', '简短。'].sort());
  });

  it('counts a long log once: another turn costs what is new', () => {
    const counter = charCounter();
    const said = '一句话'.repeat(40);
    const uncounted = Array.from({ length: 30 }, (_, at) => ({
      seq: at + 1,
      author: 'user',
      content: `${at} ${said}`,
    }));
    const events = [...buildLog(uncounted)];
    const first = estimateRequest(requestOf(events), { provider: 'openai', counter, events });
    const calls = counter.asked.length;
    expect(calls).toBe(30);
    events.push(...buildLog([{ seq: 31, author: 'user', content: 'one more', tokens: { n: 2, by: 'characters' } }]));
    const second = estimateRequest(requestOf(events), { provider: 'openai', counter, events });
    expect(counter.asked.length).toBe(calls);
    expect(second.parts.conversation).toBe((first.parts.conversation ?? 0) + 2);
  });

  it('shares the count of an event among its parts, so that a thought that is left out is not counted', () => {
    const parts = [{ text: 'a thought', thought: true }, { text: '答' }];
    const events = buildLog([
      { seq: 1, author: 'user', content: '问', tokens: { n: 1, by: 'characters' } },
      { seq: 2, author: 'assistant', content: { role: 'model', parts }, tokens: { n: 10, by: 'characters' } },
      { seq: 3, author: 'user', content: '？', tokens: { n: 1, by: 'characters' } },
    ]);
    const request = requestOf(events);
    expect(request.contents[1]?.parts).toHaveLength(1);
    const tokens = estimateRequest(request, { provider: 'openai', counter: charCounter(), events });
    expect(tokens.parts.conversation).toBe(3);
  });

  it('says so where several have counted, or nobody but an estimate', () => {
    const events = log('another');
    const request = requestOf(events, [instruction]);
    const mixed = estimateRequest(request, { provider: 'openai', counter: charCounter(), events });
    expect(mixed).toMatchObject({ by: 'mixed', label: 'estimated' });
    expect(estimateRequest(request, { provider: 'openai' })).toMatchObject({ by: 'estimate', label: 'estimated' });
    const empty: ModelRequest = { instruction: [], tools: [], contents: [], transient: [] };
    expect(estimateRequest(empty, { provider: 'openai' })).toMatchObject({ n: 3, by: 'estimate' });
  });

  it('adds the marks of calls, of responses in messages of their own, and of text beside them', () => {
    const request: ModelRequest = {
      ...bare,
      contents: [
        { role: 'model', parts: [{ text: '好' }, { functionCall: { name: 'f' } }, { functionCall: { name: 'g' } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f' } }, { functionResponse: { name: 'g' } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f' } }, { text: '?' }, { text: '!' }] },
        modelText('x'),
      ],
    };
    const { parts } = estimateRequest(request, { provider: 'openai' });
    expect(parts.framing).toBe(4 + 2 * 3 + 2 * 4 + 2 * 4 + 4 + 3);
  });

  it('adds a figure for media, and is a guess then', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const request: ModelRequest = { ...bare, contents: [{ role: 'user', parts: [{ text: '图' }, image] }] };
    const counter = charCounter();
    const tokens = estimateRequest(request, { provider: 'openai', counter });
    expect(tokens).toMatchObject({ label: 'estimated', parts: { conversation: 1 + 765 } });
    expect(estimateRequest(request, { provider: 'gemini', counter }).parts.conversation).toBe(1 + 258);
  });

  it('takes tools for lines of name, type and description, and what is around them', () => {
    const tools = [
      { name: 'now', description: 'Tells the time.' },
      {
        name: 'find',
        description: '找',
        parameters: {
          type: 'object',
          properties: {
            state: { type: 'string', enum: ['on', 'off'], description: '状态' },
            among: { type: 'array', items: { type: 'object', properties: { id: { type: ['string', 'null'] } } } },
            any: true,
          },
        },
      },
    ];
    const { parts } = estimateRequest({ ...bare, tools }, { provider: 'openai', counter: charCounter() });
    const lines = ['now:Tells the time', 'find:找', 'state:string:状态', 'on', 'off', 'among:array:', 'any'];
    const texts = [...lines, 'id:["string","null"]:'].join('').length;
    expect(parts.tools).toBe(texts + 12 + 2 * 7 + 2 * 3 + 4 * 3 - 3 + 2 * 3);
  });

  it.each(['gemini', 'anthropic'] as const)('scales by what %s said of an earlier request', (provider) => {
    const plain = estimateOf({ provider, counter: charCounter() });
    expect(plain).toMatchObject({ n: plain.unscaled, label: 'estimated' });
    const observed = { inputTokens: 150, unscaled: 100 };
    const scaled = estimateOf({ provider, counter: charCounter(), observed });
    expect(scaled).toMatchObject({ n: Math.round(plain.n * 1.5), unscaled: plain.unscaled, parts: plain.parts });
    expect(estimateOf({ provider, observed: { inputTokens: 1, unscaled: 1000 } }).n).toBe(estimateOf({}).n);
  });

  it('scales for the wire of OpenAI where the usage is not what its tokenizer counts', () => {
    const counter = charCounter();
    const plain = estimateOf({ counter });
    const close = [
      { inputTokens: 1030, unscaled: 1000 },
      { inputTokens: 20, unscaled: 10 },
    ];
    for (const observed of close) expect(estimateOf({ counter, observed })).toEqual(plain);
    const other = estimateOf({ counter, observed: { inputTokens: 800, unscaled: 1000 } });
    expect(other).toMatchObject({ n: Math.round(plain.n * 0.8), label: 'estimated' });
    expect(estimateOf({ observed: { inputTokens: 20, unscaled: 10 } }).n).toBe(2 * estimateOf({}).n);
  });

  it('counts anew with a counter that has changed', () => {
    const counter = { name: 'one', count: () => 1 };
    const events = buildLog([{ seq: 1, author: 'user', content: '一句很长的话'.repeat(20) }]);
    const request = requestOf(events);
    expect(estimateRequest(request, { provider: 'openai', counter, events }).parts.conversation).toBe(1);
    Object.assign(counter, { name: 'two', count: () => 2 });
    expect(estimateRequest(request, { provider: 'openai', counter, events })).toMatchObject({
      by: 'two',
      parts: { conversation: 2 },
    });
    expect(estimateRequest(request, { provider: 'openai', events }).parts.conversation).toBe(
      estimateTokens.count('一句很长的话'.repeat(20)),
    );
  });
});
