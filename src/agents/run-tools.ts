import type { Event, EventInput, FunctionCall, JsonMap, JsonValue, Part } from '../events/index.ts';
import type { MemoryEntry } from '../memory/service/index.ts';
import type { Logger, Span } from '../models/index.ts';
import type { AgentCallbacks } from './agent-options.ts';
import { asTheyFinish } from './as-they-finish.ts';
import { isRefused } from './is-refused.ts';
import { sourcesMetadata } from './memory-sources.ts';
import type { ArtifactWriter } from './run-artifacts.ts';
import type { StateWriter } from './run-state.ts';
import {
  callTool,
  type Tool,
  type ToolContext,
  type ToolHistory,
  type ToolMemory,
  type ToolOutcome,
} from './tools/index.ts';

/** What tools are run with. */
export interface ToolRunParts {
  readonly tools: readonly Tool[];
  readonly callbacks: Pick<AgentCallbacks, 'beforeTool' | 'afterTool'>;
  readonly base: Pick<ToolContext, 'sessionKey' | 'projectId' | 'invocationId' | 'agentName'>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly memory: ToolMemory;
  readonly history?: ToolHistory;
  readonly span: Span;
  readonly newState: () => StateWriter;
  readonly newArtifacts: () => ArtifactWriter;
  readonly record: (event: EventInput) => Promise<Event>;
}

/** An answered call: the event that says so, and whether the run ends with it. */
export interface AnsweredCall {
  readonly event: Event;
  readonly endsRun: boolean;
}

/**
 * Answers the calls of a model event, all at the same time, and stores each answer as soon as it is there. Whatever a
 * tool does becomes an event that the model can read.
 */
export async function* runTools(modelEvent: Event, parts: ToolRunParts): AsyncGenerator<AnsweredCall, void, undefined> {
  const calls = (modelEvent.content?.parts ?? []).filter((part) => part.functionCall !== undefined);
  const left = new AbortController();
  const signal = AbortSignal.any([parts.signal, left.signal]);
  const answers = calls.map((part) => new CallRun(part, { ...parts, signal }).answer());
  try {
    yield* asTheyFinish(answers);
  } finally {
    // A reader who leaves early stops the tools; how each ended is stored all the same.
    left.abort();
    await Promise.allSettled(answers);
  }
}

/** One call on its way to its answer. */
class CallRun {
  readonly #part: Part;
  readonly #call: FunctionCall;
  readonly #parts: ToolRunParts;
  readonly #tool: Tool | undefined;
  readonly #state: StateWriter;
  readonly #artifacts: ArtifactWriter;
  /** What the tool has found in memory: its answer may quote it. */
  readonly #found: MemoryEntry[] = [];
  #endsRun = false;
  #endsTask = false;

  constructor(part: Part, parts: ToolRunParts) {
    this.#part = part;
    this.#call = part.functionCall ?? { name: '' };
    this.#parts = parts;
    this.#tool = parts.tools.find(({ declaration }) => declaration.name === this.#call.name);
    this.#state = parts.newState();
    this.#artifacts = parts.newArtifacts();
  }

  async answer(): Promise<AnsweredCall> {
    const outcome = await this.#run();
    const saved = this.#artifacts.take();
    const ends = {
      ...(this.#endsRun ? { skipSummarization: true } : {}),
      ...(this.#endsTask ? { endOfAgent: true } : {}),
    };
    try {
      const actions = { ...this.#state.take(), ...saved, ...ends };
      const event = await this.#parts.record(this.#eventOf(outcome.response, actions));
      return { event, endsRun: this.#endsRun };
    } catch (error) {
      // What the tool wrote into state cannot be stored: that is the tool's failure, and the model is told.
      if (!isRefused(error)) throw error;
      const event = await this.#parts.record(this.#eventOf({ error: error.message }, saved));
      return { event, endsRun: false };
    }
  }

  async #run(): Promise<ToolOutcome> {
    const { name, id } = this.#call;
    const span = this.#parts.span.child(`execute_tool ${name}`, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
    });
    const outcome = await span.run(() => this.#outcome());
    if (outcome.failure !== undefined) {
      span.set({ 'error.type': outcome.failure });
      this.#parts.logger.warn('a tool call failed', { tool: name, failure: outcome.failure });
    }
    span.end();
    return outcome;
  }

  #outcome(): Promise<ToolOutcome> {
    const { tools, signal, timeoutMs } = this.#parts;
    const tool = this.#tool && withCallbacks(this.#tool, this.#call.args ?? {}, this.#parts.callbacks);
    const invalid = this.#part.extensions?.invalidArguments;
    return callTool(
      {
        tool,
        call: this.#call,
        available: tools.map(({ declaration }) => declaration.name),
        ...(typeof invalid === 'string' ? { invalidArguments: invalid } : {}),
      },
      this.#context(signal),
      { timeoutMs },
    );
  }

  #context(signal: AbortSignal): ToolContext {
    const { base, logger, memory, history } = this.#parts;
    return {
      ...base,
      callId: this.#call.id ?? '',
      signal,
      state: this.#state,
      artifacts: this.#artifacts,
      memory: { ...memory, search: (...query) => this.#search(...query) },
      ...(history && { history }),
      logger,
      skipSummarization: () => {
        this.#endsRun = true;
      },
      completeTask: () => {
        this.#endsTask = true;
      },
    };
  }

  async #search(...query: Parameters<ToolMemory['search']>): ReturnType<ToolMemory['search']> {
    const found = await this.#parts.memory.search(...query);
    this.#found.push(...found.memories);
    return found;
  }

  #eventOf(response: JsonValue, actions: NonNullable<EventInput['actions']>): EventInput {
    const { id, name } = this.#call;
    const functionResponse = { ...(id === undefined ? {} : { id }), name, response };
    const sources = sourcesMetadata(this.#found);
    return {
      author: this.#parts.base.agentName,
      content: { role: 'user', parts: [{ functionResponse }] },
      actions,
      ...(Object.keys(sources).length === 0 ? {} : { customMetadata: sources }),
    };
  }
}

/** The tool with the agent's callbacks around it, so that they run under the same limits. */
function withCallbacks(tool: Tool, args: JsonMap, callbacks: ToolRunParts['callbacks']): Tool {
  const { beforeTool, afterTool } = callbacks;
  if (beforeTool === undefined && afterTool === undefined) return tool;
  return {
    ...tool,
    declaration: tool.declaration,
    readArguments: (given) => tool.readArguments(given),
    run: async (read, context) => {
      const instead = await beforeTool?.({ tool, args }, context);
      const response = instead === undefined ? await tool.run(read, context) : instead;
      const after = await afterTool?.({ tool, args, response: response as JsonValue }, context);
      return after === undefined ? response : after;
    },
  };
}
