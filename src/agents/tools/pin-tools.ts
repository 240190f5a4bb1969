import type { Tool, ToolHistory } from './tool.ts';
import { tool } from './tool-of.ts';

const parameters = {
  type: 'object',
  properties: {
    numbers: {
      type: 'array',
      items: { type: 'integer', minimum: 1 },
      minItems: 1,
      description: 'Numbers of events, as expand_history tells them.',
    },
  },
  required: ['numbers'],
} as const;

/** A tool by which a model keeps events of its conversation verbatim, whatever is summarised: `pin`. */
export function pinTool(): Tool {
  return tool({
    name: 'pin',
    description:
      'Keeps parts of this conversation word for word, however long it gets. ' +
      'Call it for what must not be lost in a summary; take the numbers from expand_history.',
    parameters,
    run: ({ numbers }, { history }) => marked(history, 'pinned', (events) => events.pin(numbers)),
  });
}

/** A tool by which a model lets pinned events be summarised again: `unpin`. */
export function unpinTool(): Tool {
  return tool({
    name: 'unpin',
    description: 'Takes back pins, so that these parts of the conversation may be summarised again.',
    parameters,
    run: ({ numbers }, { history }) => marked(history, 'unpinned', (events) => events.unpin(numbers)),
  });
}

async function marked(
  history: ToolHistory | undefined,
  done: 'pinned' | 'unpinned',
  mark: (history: ToolHistory) => Promise<void>,
) {
  if (history === undefined) return { error: 'This conversation has no history that could be marked.' };
  await mark(history);
  return { [done]: true };
}
