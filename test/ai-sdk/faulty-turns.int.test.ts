import { generateText, type LanguageModel, type ModelMessage, stepCountIs, streamText } from 'ai';
import { array, assert, asyncProperty, boolean, constant, constantFrom, oneof, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { functionCalls, functionResponses } from '../../src/index.ts';
import type { Reply } from '../wire-server/index.ts';
import { type Bench, openBench, textIn, wireNames } from './wired-models.ts';
import { weather } from './wired-tools.ts';

/** Faults that the AI SDK meets by asking again, without waiting. */
const refusals: readonly (readonly Reply[])[] = [
  [],
  [{ status: 429, retryAfter: 0 }],
  [
    { status: 503, retryAfter: 0 },
    { status: 429, retryAfter: 0 },
  ],
];

/** Faults after which the user asks again. */
const breaks: readonly (readonly Reply[])[] = [
  [],
  [{ status: 400, message: '不行' }],
  [{ text: ['半', '句'], cutAfter: 1 }],
  [{ text: ['半', '句'], endAfter: 1 }],
  [{ text: ['half', ' a', ' word'], malformedAfter: 1 }],
  [{ text: ['half', ' a', ' word'], errorAfter: 2 }],
  [{ thought: 'hm', calls: [{ name: 'weather', rawArguments: '{"city":' }], cutAfter: 1 }],
  [{}],
];

const turn = oneof(
  record({
    streaming: boolean(),
    callsTool: boolean(),
    first: constantFrom(...refusals),
    second: constantFrom(...refusals),
    maxRetries: constant(2),
  }),
  record({
    streaming: boolean(),
    callsTool: boolean(),
    first: constantFrom(...breaks),
    second: constantFrom(...breaks),
    maxRetries: constant(0),
  }),
);
const conversation = record({ wholeHistory: boolean(), turns: array(turn, { minLength: 1, maxLength: 5 }) });

/** Set CONVERSATIONS=340 for about a thousand turns a wire. */
const conversations = Number(process.env.CONVERSATIONS ?? 25);
const mostAttempts = 8;
let count = 0;
let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

/** Asks until there is an answer, as a user would, and returns what was said. */
async function ask(
  given: { readonly model: LanguageModel; readonly messages: ModelMessage[]; readonly maxRetries: number },
  streaming: boolean,
  answer: string,
): Promise<ModelMessage[]> {
  const call = { ...given, tools: { weather }, stopWhen: stepCountIs(3) };
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    try {
      const result = streaming ? streamText({ ...call, onError: () => undefined }) : await generateText(call);
      if ((await result.text) === answer) return (await result.response).messages;
    } catch (error) {
      // Asked again; what no attempt survives is thrown below.
      if (attempt === mostAttempts - 1) throw error;
    }
  }
  expect.fail(`no attempt was answered with ${answer}`);
}

describe.each(wireNames)('whatever goes wrong over the %s wire', (wire) => {
  it('nothing said is lost, and nothing is there twice', async () => {
    await assert(
      asyncProperty(conversation, async ({ wholeHistory, turns }) => {
        const sessionId = `s${++count}`;
        const model = bench.model(wire, { sessionId });
        const said: string[] = [];
        let messages: ModelMessage[] = [];
        for (const [index, { streaming, first, second, callsTool, maxRetries }] of turns.entries()) {
          bench.server.clear();
          const [question, answer] = [`问题 ${index}?`, `Answer ${index}.`];
          const calls = callsTool ? [{ calls: [{ id: `c${index}`, name: 'weather', args: { city: '上海' } }] }] : [];
          bench.server.reply(...first, ...calls, ...second, { text: answer });
          const asked: ModelMessage = { role: 'user', content: question };
          messages = wholeHistory ? [...messages, asked] : [asked];
          messages.push(...(await ask({ model, messages, maxRetries }, streaming, answer)));
          said.push(question, answer);
        }
        const events = await bench.events(sessionId);
        const whole = events.filter(({ errorCode }) => errorCode === undefined);
        expect(whole.map(textIn).filter((text) => text !== '')).toEqual(said);
        const made = whole.flatMap(({ content }) => functionCalls(content).map(({ id }) => id));
        const answered = whole.flatMap(({ content }) => functionResponses(content).map(({ id }) => id));
        expect(answered).toEqual(made);
      }),
      { numRuns: conversations },
    );
  }, 120_000);
});
