import { convertToModelMessages, generateText, type LanguageModel, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { array, assert, asyncProperty, constant, constantFrom, json, oneof, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Event, type EventInput, openPalimpsest, type Palimpsest } from '../../../index.ts';
import { palimpsestMiddleware, toUiMessages } from './index.ts';

async function eventsOf(
  palimpsest: Palimpsest,
  batches: readonly (readonly EventInput[])[],
): Promise<readonly Event[]> {
  const session = await palimpsest.user('u1').session('s1');
  for (const batch of batches) await session.append(batch);
  return (await session.readEffective({ limit: 1000 })).items;
}

async function shown(...events: readonly EventInput[]) {
  await using palimpsest = await openPalimpsest({ appName: 'chat', sweepSeconds: 0 });
  return toUiMessages(await eventsOf(palimpsest, [events]));
}

const call = (id: string, name = 'weather'): EventInput => ({
  author: 'assistant',
  content: { parts: [{ functionCall: { id, name, args: { city: '上海' } } }] },
});
const answer = (id: string, response: unknown, name = 'weather'): EventInput => ({
  author: 'assistant',
  content: { role: 'user', parts: [{ functionResponse: { id, name, response } }] },
});
const says = (content: string): EventInput => ({ author: 'assistant', content });
const asks = (content: string): EventInput => ({ author: 'user', content });

describe('toUiMessages', () => {
  it('makes one message of each question and one of all that answers it', async () => {
    const messages = await shown(
      asks('上海天气？'),
      call('c1'),
      answer('c1', { celsius: 21 }),
      says('21 度。'),
      asks('谢谢'),
    );
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[1]?.parts).toEqual([
      { type: 'step-start' },
      {
        type: 'tool-weather',
        toolCallId: 'c1',
        state: 'output-available',
        input: { city: '上海' },
        output: { celsius: 21 },
      },
      { type: 'step-start' },
      { type: 'text', text: '21 度。' },
    ]);
  });

  it('names events: ids stay when the log grows', async () => {
    await using palimpsest = await openPalimpsest({ appName: 'chat', sweepSeconds: 0 });
    const before = await eventsOf(palimpsest, [[asks('Weather?'), call('c1')]]);
    const first = toUiMessages(before);
    const after = await eventsOf(palimpsest, [[answer('c1', 'sunny'), says('Sunny.')]]);
    const second = toUiMessages(after);
    expect(second.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(second.map(({ metadata }) => metadata)).toEqual(
      [before[0], before[1]].map((event) => ({
        seq: event?.seq,
        invocationId: event?.invocationId,
        at: event?.timestamp,
      })),
    );
  });

  it('tells open, answered, failed and refused calls apart', async () => {
    const [, message] = await shown(
      asks('Go.'),
      call('c1'),
      call('c2'),
      answer('c2', { error: 'no such city' }),
      call('c3'),
      answer('c3', { denied: 'The call was not allowed.' }),
      call('c4'),
      answer('c4', { error: 'in a result', celsius: 1 }),
    );
    const calls = message?.parts.filter(({ type }) => type === 'tool-weather');
    expect(calls).toMatchObject([
      { state: 'input-available' },
      { state: 'output-error', errorText: 'no such city' },
      { state: 'output-error', errorText: 'The call was not allowed.' },
      { state: 'output-available' },
    ]);
  });

  it('shows thoughts, files, code, and what had come of a broken answer; no error without words, no bookkeeping', async () => {
    await using palimpsest = await openPalimpsest({ appName: 'chat', sweepSeconds: 0 });
    const picture = { inlineData: { mimeType: 'image/png', data: 'aGk=', displayName: '图.png' } };
    const events = await eventsOf(palimpsest, [
      [
        { author: 'user', content: { parts: [{ text: '看图' }, picture] } },
        { author: 'assistant', content: { parts: [{ text: 'hm', thought: true }, { text: 'A cat.' }] } },
        { author: 'assistant', errorCode: 'MODEL_FAILED', interrupted: true },
        { author: 'assistant', content: 'And a', errorCode: 'MODEL_FAILED', interrupted: true },
        {
          author: 'assistant',
          content: {
            parts: [
              { executableCode: { code: '1 + 1', language: 'PYTHON' } },
              { codeExecutionResult: { outcome: 'OK', output: '2' } },
              { fileData: { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } },
            ],
          },
        },
      ],
    ]);
    const [question, reply, ...more] = toUiMessages(events);
    expect(more).toEqual([]);
    expect(question?.parts).toEqual([
      { type: 'text', text: '看图' },
      { type: 'file', mediaType: 'image/png', filename: '图.png', url: 'data:image/png;base64,aGk=' },
    ]);
    expect(reply?.parts.filter(({ type }) => type !== 'step-start')).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'A cat.' },
      { type: 'text', text: 'And a' },
      { type: 'text', text: '```python\n1 + 1\n```' },
      { type: 'text', text: '[OK]\n2' },
      { type: 'file', mediaType: 'application/pdf', url: 'https://example.com/a.pdf' },
    ]);
  });
});

type Said =
  | { readonly ask: string }
  | { readonly say: string }
  | { readonly think: string; readonly say: string }
  | { readonly calls: readonly unknown[]; readonly order: 'first' | 'last' | 'late' }
  | { readonly broken: string }
  | { readonly picture: number | string };

const words = oneof(string({ unit: 'grapheme', maxLength: 12 }), constantFrom('好', 'yes', ' ', '', '再来一次', '😀'));
const said = oneof(
  record({ ask: words }),
  record({ say: words }),
  record({ think: words, say: words }),
  record({
    calls: array(
      oneof(
        words,
        json().map((text) => JSON.parse(text)),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    /** In which order their answers come, and whether the agent says something before them. */
    order: constantFrom('first', 'last', 'late'),
  }),
  record({ broken: words }),
  record({ picture: constantFrom(10, 100_000, '图 1.png', '100%.png', 'https://example.com/图.png') }),
);

let callCount = 0;

/** What a turn of a conversation appends. */
function eventsFor(one: Said): readonly EventInput[] {
  if ('ask' in one) return [asks(one.ask)];
  if ('think' in one)
    return [{ author: 'assistant', content: { parts: [{ text: one.think, thought: true }, { text: one.say }] } }];
  if ('say' in one) return [says(one.say)];
  if ('broken' in one) return [{ ...says(one.broken), interrupted: true, errorCode: 'MODEL_FAILED' }];
  if ('picture' in one) {
    if (typeof one.picture === 'string') {
      const fileUri = one.picture.startsWith('https:') ? one.picture : `artifact:${one.picture}`;
      return [{ author: 'user', content: { parts: [{ fileData: { mimeType: 'image/png', fileUri } }] } }];
    }
    const data = Buffer.alloc(one.picture, 7).toString('base64');
    return [{ author: 'user', content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] } }];
  }
  const ids = one.calls.map(() => `c${++callCount}`);
  const answers = ids.map((id, index) => answer(id, one.calls[index]));
  return [
    { author: 'assistant', content: { parts: ids.map((id) => ({ functionCall: { id, name: 'weather', args: {} } })) } },
    ...(one.order === 'late' ? [says('Wait.')] : []),
    ...(one.order === 'first' ? answers : answers.toReversed()),
  ];
}

function modelOver(palimpsest: Palimpsest): LanguageModel {
  const answers = new MockLanguageModelV3({
    supportedUrls: { '*/*': [/^https:/] },
    doGenerate: async () => ({
      content: [{ type: 'text', text: 'Noted.' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  });
  return wrapLanguageModel({
    model: answers,
    middleware: palimpsestMiddleware(palimpsest, { userId: 'u1', sessionId: 's1' }),
  });
}

describe('messages that come back from a browser', () => {
  it('bring the log nothing but the new question', async () => {
    await assert(
      asyncProperty(array(said, { maxLength: 12 }), constant('新的问题'), async (conversation, question) => {
        await using palimpsest = await openPalimpsest({ appName: 'chat', sweepSeconds: 0 });
        const before = await eventsOf(palimpsest, conversation.map(eventsFor));
        const shownBefore = JSON.parse(JSON.stringify(toUiMessages(before)));
        const asked = { id: 'new', role: 'user' as const, parts: [{ type: 'text' as const, text: question }] };
        const messages = await convertToModelMessages([...shownBefore, asked]);
        await generateText({ model: modelOver(palimpsest), messages });
        const after = await eventsOf(palimpsest, []);
        expect(after.slice(0, before.length)).toEqual(before);
        expect(after.slice(before.length).map(({ author, content }) => [author, content?.parts[0]?.text])).toEqual([
          ['user', question],
          ['assistant', 'Noted.'],
        ]);
      }),
      { numRuns: 200 },
    );
  });
});
