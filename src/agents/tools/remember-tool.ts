import type { Tool } from './tool.ts';
import { tool } from './tool-of.ts';

/**
 * A tool by which a model keeps a statement in the memory of its user: `remember`. The entry bears the agent's name, is
 * trusted as an agent's, and has the event of the call as its source, so that erasing the session erases it.
 */
export function rememberTool(): Tool {
  return tool({
    name: 'remember',
    description:
      'Keeps one statement about the user for later conversations. ' +
      'Call it when the user asks you to remember something.',
    parameters: {
      type: 'object',
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          description: 'One sentence that can be understood on its own, in the language of the user.',
        },
      },
      required: ['text'],
    },
    async run({ text }, { memory }) {
      const kept = await memory.remember(text);
      return { remembered: true, id: kept.id };
    },
  });
}
