/*
 * This file stands beside the other major release of the AI SDK, so that `ai` is that release here where it is installed.
 * The types are checked against it then, and against the project's own release otherwise.
 */
import { generateText, stepCountIs, streamText, type ToolSet, wrapLanguageModel } from 'ai';
import { memoryTools, palimpsestMiddleware } from '../../../src/edges/integrations/ai-sdk/index.ts';
import type { Palimpsest } from '../../../src/index.ts';

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];
type Question = Parameters<typeof generateText>[0]['prompt'];

/** Asks a model with memory, in a tool loop, and returns the text of its answer. */
export async function ask(
  palimpsest: Palimpsest,
  model: Model,
  call: {
    readonly how: 'generateText' | 'streamText';
    readonly prompt: NonNullable<Question>;
    readonly tools: object;
  },
): Promise<string> {
  const remembering = wrapLanguageModel({
    model,
    middleware: palimpsestMiddleware(palimpsest, { userId: 'u1', sessionId: 's1' }),
  });
  // These are typed by the project's release; in an application there is only one.
  const tools = { ...memoryTools(palimpsest, { userId: 'u1' }), ...call.tools } as object as ToolSet;
  const options = { model: remembering, prompt: call.prompt, tools, stopWhen: stepCountIs(4) };
  return call.how === 'generateText' ? (await generateText(options)).text : streamText(options).text;
}
