import type { Tool } from './tool.ts';
import { tool } from './tool-of.ts';

/** A tool by which a model removes a memory of its user: `forget`. */
export function forgetTool(): Tool {
  return tool({
    name: 'forget',
    description:
      'Removes one memory about the user for good. ' +
      'Call it when the user asks you to forget something; take the id from load_memory or from remember.',
    parameters: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1, description: 'The id of the memory.' } },
      required: ['id'],
    },
    async run({ id }, { memory }) {
      const gone = await memory.forget(id);
      return gone > 0
        ? { forgotten: true }
        : { forgotten: false, reason: 'There is no memory with that id. Look it up with load_memory.' };
    },
  });
}
