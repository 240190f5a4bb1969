import type { Tool } from './tool.ts';
import { tool } from './tool-of.ts';

const toolName = 'compact_context';

/**
 * A tool by which a model has what is older than the last exchange summarised: `compact_context`. It is done in the
 * background once the run is over, where compaction is on.
 */
export function compactContext(): Tool {
  return tool({
    name: toolName,
    description:
      'Has the older part of this conversation summarised once you have answered. ' +
      'Call it when a piece of work is finished and its details are not needed word for word any longer.',
    parameters: {
      type: 'object',
      properties: {
        focus: {
          type: 'string',
          minLength: 1,
          description: 'What the summary should dwell on, in the language of the conversation.',
        },
      },
    },
    run: ({ focus }, { history }) => {
      if (history === undefined) return { error: 'This conversation has no history that could be summarised.' };
      history.compact(focus === undefined ? {} : { focus });
      return { accepted: 'The older part will be summarised after your answer.' };
    },
  });
}

/** True if a model with these tools can ask for a fold. */
export function asksForFolds(tools: readonly Tool[]): boolean {
  return tools.some(({ declaration }) => declaration.name === toolName);
}
