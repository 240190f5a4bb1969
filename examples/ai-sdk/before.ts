import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import type { Agent, Chat, Settings } from './agent.ts';

/** A weather agent: a model, a tool, and the messages of each chat while it runs. */
export async function openAgent(settings: Settings): Promise<Agent> {
  const provider = createOpenAICompatible({ name: 'local', baseURL: settings.modelUrl });
  const model = provider('small-model');
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
        tools: { weather },
        stopWhen: stepCountIs(5),
      });
      const text = await result.text;
      messages.push(...(await result.response).messages);
      return text;
    },
    async close() {
      history.clear();
    },
  };
}
