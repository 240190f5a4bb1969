import { jsonSchema, type Tool, tool } from 'ai';
import {
  forgetTool,
  isPlainObject,
  type JsonMap,
  loadMemory,
  type Palimpsest,
  PalimpsestError,
  type Tool as RunTool,
  rememberTool,
  type ToolMemory,
} from '../../../index.ts';
import { checkPalimpsest } from './check-palimpsest.ts';

/** Whose memory the tools reach. */
export interface MemoryToolsOptions {
  readonly userId: string;
  readonly projectId?: string;
}

/** Tools for the memory of one user, named as a model calls them. */
export type MemoryTools = {
  readonly load_memory: Tool<{ query: string; limit?: number }, unknown>;
  readonly remember: Tool<{ text: string }, unknown>;
  readonly forget: Tool<{ id: string }, unknown>;
};

/** A tool of ours that asks nothing of a run but its memory. */
interface OverMemory extends Pick<RunTool, 'declaration' | 'readArguments'> {
  run(args: unknown, context: { readonly memory: ToolMemory }): unknown;
}

/**
 * Tools by which a model looks up, keeps and removes memories of its user: spread them into the `tools` of generateText
 * or streamText. Throws INVALID_ARGUMENT and INVALID_ID.
 *
 * @example
 * await generateText({ model, prompt, tools: { ...memoryTools(palimpsest, { userId: 'u1' }) } });
 */
export function memoryTools(palimpsest: Palimpsest, { userId, projectId }: MemoryToolsOptions): MemoryTools {
  checkPalimpsest(palimpsest);
  const user = palimpsest.user(userId);
  const who = projectId === undefined ? user : user.project(projectId);
  const memory: ToolMemory = {
    search: (query, options) => who.recall(query, options),
    remember: (text, options) => who.remember(text, options),
    forget: (id) => who.forget({ id }),
  };
  return {
    load_memory: aiSdkTool(loadMemory(), memory),
    remember: aiSdkTool(rememberTool(), memory),
    forget: aiSdkTool(forgetTool(), memory),
  };
}

function aiSdkTool<Input extends object>(ours: OverMemory, memory: ToolMemory): Tool<Input, unknown> {
  const { description, parameters } = ours.declaration;
  const inputSchema = jsonSchema<Input>({ ...parameters }, { validate: (input) => validate<Input>(ours, input) });
  return tool({ description, inputSchema, execute: async (input: Input) => ours.run(input, { memory }) });
}

type Validated<Input> =
  | { readonly success: true; readonly value: Input }
  | { readonly success: false; readonly error: Error };

/** The AI SDK tells the model what is wrong with the arguments of a call. */
async function validate<Input>(ours: OverMemory, input: unknown): Promise<Validated<Input>> {
  const { name } = ours.declaration;
  const read = isPlainObject(input) ? await ours.readArguments(input as JsonMap) : { problem: 'must be a JSON object' };
  if ('value' in read) return { success: true, value: read.value as Input };
  const error = new PalimpsestError('INVALID_ARGUMENT', { argument: name, reason: read.problem });
  return { success: false, error };
}
