import { jsonSchema, tool } from 'ai';

/** A tool that answers at once. */
export const weather = tool({
  description: 'The weather in a city.',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: async ({ city }) => ({ city, celsius: 21 }),
});

/** A tool that answers when it is told to; `started` resolves when it is at work. */
export function heldTool() {
  let begin = (): void => undefined;
  let finish = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const held = tool({
    description: 'Takes its time.',
    inputSchema: jsonSchema<Record<string, never>>({ type: 'object', properties: {} }),
    execute: async () => {
      begin();
      await finished;
      return 'done';
    },
  });
  return { held, started, finish };
}
