import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { z } from 'zod';
import { type Agent, type Palimpsest, tool } from '../../src/index.ts';
import { runToEnd } from '../agents/run-to-end.ts';
import type { RecordedRequest, Reply, WireName, WireServer } from '../wire-server/index.ts';

const apiKey = 'key-of-the-test-0123456789';

/** Models whose caches are known. */
export const cachedModels: Readonly<Record<WireName, string>> = {
  anthropic: 'claude-sonnet-4-6',
  openai: 'gpt-5.5',
  gemini: 'gemini-2.5-flash',
};

/** The real provider package of a wire, pointed at an address. */
export function cachedModelAt(
  baseURL: string,
  wire: WireName,
  name = cachedModels[wire],
  fetchBy: typeof fetch = fetch,
) {
  const options = { baseURL, apiKey, fetch: fetchBy };
  if (wire === 'gemini') return createGoogleGenerativeAI(options)(name);
  if (wire === 'anthropic') return createAnthropic(options)(name);
  return createOpenAICompatible({ ...options, name: 'openai', includeUsage: true })(name);
}

/** Long enough to be cached by itself. */
export const longInstruction = Array.from({ length: 1200 }, (_, at) => `第${at}条：回答要简短，用摄氏度。`).join('\n');

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  run: ({ city }) => ({ city, celsius: 20, sky: '晴 ☀️' }),
});
const clock = tool({ name: 'clock', description: '现在几点', run: () => '12:00' });

/** An agent with tools and a long instruction. */
export function cachedAgent(
  palimpsest: Palimpsest,
  model: Parameters<Palimpsest['agent']>[0]['model'],
  { name = 'assistant', settings }: { readonly name?: string; readonly settings?: object } = {},
): Agent {
  const more = settings === undefined ? {} : { settings };
  return palimpsest.agent({
    name,
    model,
    instruction: longInstruction,
    tools: [weather, clock],
    retry: false,
    ...more,
  });
}

/** Turns of a conversation: each with so many calls of tools, one step after the other. */
export const stepsOfTurns = [0, 1, 2, 0, 3, 1, 0, 2, 1, 0, 1, 2];

/** Has memory know something that each question of `talk` bears on. */
export async function remember(palimpsest: Palimpsest): Promise<void> {
  await palimpsest.user('u1').remember('住在杭州，喜欢用摄氏度 🌡️');
}

/** Takes the turns and returns the requests of each. */
export async function talk(
  server: Pick<WireServer, 'answerBy' | 'clear' | 'requests'>,
  agent: Agent,
  turns: readonly number[] = stepsOfTurns,
): Promise<readonly (readonly RecordedRequest[])[]> {
  const all: (readonly RecordedRequest[])[] = [];
  for (const [turn, steps] of turns.entries()) {
    server.clear();
    let step = 0;
    server.answerBy((): Reply => {
      if (step++ >= steps) return { text: `第${turn}个答案：杭州 20°C。` };
      const calls = Array.from({ length: 3 }, () => ({ name: 'weather', args: { city: '杭州' } }));
      return { calls: [...calls, { name: 'clock', args: {} }] };
    });
    const { failure } = await runToEnd(agent, { message: `第${turn}问：杭州的天气，摄氏度多少？` });
    if (failure !== undefined) throw failure;
    all.push([...server.requests]);
  }
  return all;
}
