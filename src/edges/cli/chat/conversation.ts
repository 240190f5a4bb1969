import type { Agent, AgentOptions, PreparedRequest, RunEvent } from '../../../agents/index.ts';
import { forgetTool, loadMemory, rememberTool } from '../../../agents/tools/index.ts';
import type { Palimpsest } from '../../../engine/index.ts';
import type { Provider, SessionKey } from '../../../events/index.ts';
import type { MemoryEntry } from '../../../memory/service/index.ts';
import type { RetryOptions } from '../../../models/index.ts';
import type { ConnectedModel } from '../models/index.ts';
import { offlineModel, offlineName } from '../offline-model.ts';
import { createWatchedAgent } from './watched-agent.ts';

/** What the model is told unless `--system` says something else. */
const defaultSystem =
  'You are a helpful assistant who remembers earlier conversations. Answer in the language of the question.';

/** So often a model is asked at most, until it begins to answer. */
export const modelAttempts = 3;

/** So many memories are looked at and quoted at most when there is no model. */
const offlineSearched = 20;
const offlineQuoted = 5;
/** Of what scores less than this part of the best, nothing bears on the question. */
const weakestShare = 0.25;

/** Who talks where, and with which model. */
export interface ConversationOptions {
  readonly key: SessionKey;
  /** None: offline. */
  readonly connected: ConnectedModel | undefined;
  readonly agentName: string;
  readonly system?: string;
  /** Whether the model is given the tools for memory. */
  readonly tools: boolean;
  /** At most this many memories. */
  readonly limit?: number;
}

/** A call of a model that failed and is made again. */
export type Retry = Parameters<NonNullable<RetryOptions['onRetry']>>[0];

/** How one message is answered. */
export interface AnswerOptions {
  readonly signal: AbortSignal;
  readonly onRequest?: (prepared: PreparedRequest) => void;
  /** Hears of a call of the model that failed and is made again. */
  readonly onRetry?: (retry: Retry) => void;
}

/** A session in which a person talks with a model, or with what stands for one. */
export class Conversation {
  readonly key: SessionKey;
  readonly agentName: string;
  readonly provider: Provider;
  readonly #agent: Agent;
  #watch: Pick<AnswerOptions, 'onRequest' | 'onRetry'> = {};
  /** The request that was sent last. */
  lastRequest: PreparedRequest | undefined;
  /** What the last answer could draw on. */
  lastMemories: readonly MemoryEntry[] = [];

  constructor(palimpsest: Palimpsest, options: ConversationOptions) {
    const { connected } = options;
    this.key = options.key;
    this.agentName = connected === undefined ? offlineName : options.agentName;
    this.provider = connected?.model.provider ?? 'openai';
    const agent = connected === undefined ? this.#offline(palimpsest) : this.#online(connected, options);
    this.#agent = createWatchedAgent(palimpsest, agent, {
      onRequest: (prepared) => this.#sees(prepared),
      ...(connected === undefined ? { seal: offlineName } : {}),
    });
  }

  /** Answers a message; both are stored. Throws what Agent.run() throws. */
  async *answer(message: string, { signal, ...watch }: AnswerOptions): AsyncGenerator<RunEvent> {
    this.#watch = watch;
    this.lastRequest = undefined;
    this.lastMemories = [];
    const { userId, sessionId } = this.key;
    yield* this.#agent.run({ userId, sessionId, message, signal });
  }

  #sees(prepared: PreparedRequest): void {
    const isFirst = this.lastRequest === undefined;
    this.lastRequest = prepared;
    if (prepared.memories.length > 0) this.lastMemories = prepared.memories;
    if (isFirst) this.#watch.onRequest?.(prepared);
  }

  #online({ model }: ConnectedModel, options: ConversationOptions): AgentOptions {
    const { agentName, system = defaultSystem, tools, limit } = options;
    return {
      name: agentName,
      model,
      // As it is: braces in it are no placeholders.
      instruction: () => system,
      retry: { retries: modelAttempts - 1, onRetry: (retry) => this.#watch.onRetry?.(retry) },
      ...(tools ? { tools: [loadMemory(), rememberTool(), forgetTool()] } : {}),
      ...(limit === undefined ? {} : { recall: { limit } }),
    };
  }

  /** It can read no request, so memory is searched for it, this session included. */
  #offline(palimpsest: Palimpsest): AgentOptions {
    const search = async (question: string) => {
      await palimpsest.settled();
      const { memories } = await palimpsest.user(this.key.userId).recall(question, { limit: offlineSearched });
      this.lastMemories = worthQuoting(memories, question);
      return this.lastMemories;
    };
    return { name: offlineName, model: offlineModel(search), recall: false, retry: false };
  }
}

/** A question is no answer to itself, whenever it was asked. */
function worthQuoting(memories: readonly MemoryEntry[], question: string): readonly MemoryEntry[] {
  const others = memories.filter(({ text }) => text.trim() !== question.trim());
  const weakest = weakestShare * (others[0]?.score ?? 0);
  return others.filter(({ score = 0 }) => score >= weakest).slice(0, offlineQuoted);
}
