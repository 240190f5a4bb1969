import { PalimpsestError } from '../../errors/index.ts';
import { isPlainObject, type JsonMap } from '../../events/index.ts';
import type { MemoryEntry } from '../../memory/service/index.ts';
import type { Tool } from './tool.ts';
import { tool } from './tool-of.ts';

/** Limits of what load_memory brings. */
export interface LoadMemoryOptions {
  /** At most this many memories where the model does not say. 1 to 100, default 10. */
  readonly limit?: number;
  /** At most about this many tokens of text. */
  readonly tokenBudget?: number;
}

const toolName = 'load_memory';
const mostMemories = 100;

/**
 * A tool by which a model looks something up in the memory of its user: `load_memory`. Throws INVALID_ARGUMENT naming the
 * option.
 */
export function loadMemory({ limit = 10, tokenBudget }: LoadMemoryOptions = {}): Tool {
  requireCount('limit', limit, mostMemories);
  if (tokenBudget !== undefined) requireCount('tokenBudget', tokenBudget, Number.MAX_SAFE_INTEGER);
  return tool({
    name: toolName,
    description:
      'Searches what is remembered about the user from earlier conversations. ' +
      'Call it when the answer may depend on something said before that is not in this conversation.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, description: 'Words to search for, in the language of the user.' },
        limit: { type: 'integer', minimum: 1, maximum: mostMemories, description: `How many; ${limit} if left out.` },
      },
      required: ['query'],
    },
    async run(args, { memory }) {
      const found = await memory.search(args.query, {
        limit: args.limit ?? limit,
        ...(tokenBudget !== undefined && { tokenBudget }),
      });
      return { memories: found.memories.map(told) };
    },
  });
}

/** Ids of the memories that an answer of load_memory tells, whoever has run it; none for any other tool's answer. */
export function toldMemoryIds(answer: { readonly name: string; readonly response?: unknown }): readonly string[] {
  const { name, response } = answer;
  const memories: unknown = name === toolName && isPlainObject(response) ? response.memories : undefined;
  if (!Array.isArray(memories)) return [];
  return memories.flatMap((memory: unknown) =>
    isPlainObject(memory) && typeof memory.id === 'string' ? [memory.id] : [],
  );
}

/** What a model needs of a memory: no provenance, no scores. */
function told({ id, text, timestamp, author, sessionId, confidence }: MemoryEntry): JsonMap {
  return {
    id,
    text,
    when: timestamp,
    by: author,
    ...(sessionId !== undefined && { session: sessionId }),
    ...(confidence !== undefined && { confidence }),
  };
}

function requireCount(argument: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: `must be a whole number from 1 to ${most}` });
}
