import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Event, type ModelRequest, openPalimpsest, type Provider, tool } from '../../src/index.ts';
import { ScriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import { tokensIn, trueCount } from './true-count.ts';

interface Turn {
  readonly question: string;
  readonly calls: number;
  readonly result: string;
  readonly answer: string;
}

const words = [
  'budget',
  'the',
  "doesn't",
  'harbour',
  '3.14',
  '会议',
  '天气',
  '下周三下午',
  '🙂',
  'naïve',
  'ご飯',
  '\n',
  'x',
];
const phrase = fc.array(fc.constantFrom(...words), { minLength: 5, maxLength: 40 }).map((some) => some.join(' '));
const turn = fc.record({ question: phrase, calls: fc.integer({ min: 0, max: 2 }), result: phrase, answer: phrase });
interface Talk {
  readonly turns: readonly Turn[];
  readonly factor: number;
  readonly provider: Provider;
  readonly instruction: string;
}

const talk = fc.record<Omit<Talk, 'provider'>>({
  turns: fc.array(turn, { minLength: 6, maxLength: 6 }),
  factor: fc.double({ min: 0.5, max: 2, noNaN: true }),
  instruction: phrase,
});

/** What a provider would say: its tokenizer makes so many more or fewer tokens of the same. */
function usageOf(request: ModelRequest, factor: number) {
  const tools = request.tools.reduce(
    (sum, { name, description }) => sum + 19 + tokensIn(`${name}:${description.replace(/\.$/, '')}`),
    0,
  );
  return { inputTokens: Math.round(factor * (trueCount(request) + tools)) };
}

/** Answers the turns one after the other; a turn with calls makes them first. */
function script(turns: readonly Turn[], factor: number) {
  const steps = turns.flatMap(({ calls, answer }): ScriptedTurn[] => {
    const asked = Array.from({ length: calls }, (_, index) => ({ name: 'look_up', args: { topic: answer, index } }));
    return calls === 0 ? [{ text: answer }] : [{ calls: asked }, { text: answer }];
  });
  return ({ request }: { readonly request: ModelRequest }, index: number): ScriptedTurn => ({
    ...steps[index],
    usage: usageOf(request, factor),
  });
}

interface Told {
  readonly n: number;
  readonly label: string;
  readonly observed: number;
}

/** Every call of a conversation: what its request was taken for, and what the provider said of it. */
async function callsOf({ turns, factor, provider, instruction }: Talk): Promise<readonly Told[]> {
  const palimpsest = await openPalimpsest({ appName: 'test', sweepSeconds: 0, ingest: 'never' });
  let now = turns[0];
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks something up.',
    parameters: { type: 'object' },
    run: () => now?.result ?? '',
  });
  const model = new ScriptedModel(script(turns, factor), { provider });
  const agent = palimpsest.agent({ name: 'assistant', model, instruction: () => instruction, tools: [lookUp] });
  const events: Event[] = [];
  for (now of turns) {
    for await (const event of agent.run({ userId: 'u1', sessionId: 's1', message: now.question }))
      if (event.partial !== true) events.push(event);
  }
  await palimpsest.close();
  return events.flatMap(({ request, usage }) => {
    const tokens = request?.extensions?.tokens as Told | undefined;
    return tokens === undefined ? [] : [{ ...tokens, observed: usage?.inputTokens ?? 0 }];
  });
}

describe('tokens of a request to a provider with a tokenizer of its own', () => {
  it.each(['gemini', 'anthropic'] as const)(
    'stay within a twentieth of what %s says, from the second call on',
    async (provider) => {
      let worst = 0;
      await fc.assert(
        fc.asyncProperty(talk, async (given) => {
          const calls = await callsOf({ ...given, provider });
          expect(calls.length).toBeGreaterThanOrEqual(given.turns.length);
          for (const { n, observed } of calls.slice(1)) {
            worst = Math.max(worst, Math.abs(n - observed) / observed);
            expect(Math.abs(n - observed)).toBeLessThanOrEqual(0.05 * observed);
          }
        }),
        { numRuns: 20 },
      );
      process.stdout.write(`worst error of an estimate scaled for ${provider}: ${(worst * 100).toFixed(1)} %\n`);
    },
  );

  it('are scaled too where a server speaks the wire of OpenAI and counts otherwise', async () => {
    const instruction = 'Answer briefly, and say where you know it from. 请用中文回答。 '.repeat(20);
    const turns = ['会议在什么时候？', 'And where?', '好的'].map((question) => ({
      question,
      calls: 0,
      result: '',
      answer: 'x',
    }));
    const [first, second, third] = await callsOf({ turns, factor: 1.5, provider: 'openai', instruction });
    expect(first).toMatchObject({ label: 'counted' });
    for (const later of [second, third]) {
      expect(later?.label).toBe('estimated');
      expect((later?.n ?? 0) / (later?.observed ?? 0)).toBeCloseTo(1, 2);
    }
    const alike = await callsOf({ turns, factor: 1.01, provider: 'openai', instruction });
    expect(alike.map(({ label }) => label)).toEqual(['counted', 'counted', 'counted']);
  });
});
