import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { palimpsestMiddleware } from '../../src/edges/integrations/ai-sdk/index.ts'; // 'palimpsest/ai-sdk'
import { openPalimpsest } from '../../src/index.ts'; // 'palimpsest'
import type { Agent, Chat, Settings } from './agent.ts';

/** A weather agent: a model, a tool, and the messages of each chat while it runs. */
export async function openAgent(settings: Settings): Promise<Agent> {
  const provider = createOpenAICompatible({ name: 'local', baseURL: settings.modelUrl });
  const palimpsest = await openPalimpsest(settings.memory);
  const model = wrapLanguageModel({ model: provider('small-model'), middleware: palimpsestMiddleware(palimpsest) });
  const history = new Map<string, ModelMessage[]>();

  const weather = tool({
    description: 'The temperature in a city, in degrees Celsius.',
    inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: async ({ city }) => ({ city, celsius: 21 }),
  });

  return {
    async answer({ userId, chatId }: Chat, message: string): Promise<string> {
      const messages = history.get(`${userId}/${chatId}`) ?? [];
      history.set(`${userId}/${chatId}`, messages);
      messages.push({ role: 'user', content: message });
      const result = streamText({
        model,
        system: 'You are a weather assistant. Answer briefly, in the language of the user.',
        messages,
        providerOptions: { palimpsest: { userId, sessionId: chatId } },
        tools: { weather },
        stopWhen: stepCountIs(5),
      });
      const text = await result.text;
      messages.push(...(await result.response).messages);
      return text;
    },
    async close() {
      history.clear();
      await palimpsest.close();
    },
  };
}
