import type { Block, Content, Event, EventInput, JsonMap, JsonValue, SessionKey, View } from '../events/index.ts';
import type { LanguageModel, ModelCall, ModelSettings, RetryOptions, StandardSchema } from '../models/index.ts';
import type { OnBusy, RecallOptions } from './invocation-driver.ts';
import type { ReadonlyRunState, RunArtifacts, RunState, Tool, ToolContext } from './tools/index.ts';

/** What an instruction provider sees; it can change nothing. */
export interface InstructionContext<State extends object = JsonMap> {
  readonly sessionKey: SessionKey;
  readonly projectId?: string;
  readonly invocationId: string;
  readonly agentName: string;
  readonly state: ReadonlyRunState<State>;
}

/** What a function that finds documents sees; it can change nothing. */
export interface DocumentsContext<State extends object = JsonMap> extends InstructionContext<State> {
  /** What the user says; `undefined` where the run goes on without new words. */
  readonly question?: Content;
  /** Aborts when the run is stopped. */
  readonly signal: AbortSignal;
}

/** What a callback sees. State that it writes is stored with the next event of the run. */
export interface CallbackContext<State extends object = JsonMap> {
  readonly sessionKey: SessionKey;
  readonly projectId?: string;
  readonly invocationId: string;
  readonly agentName: string;
  readonly state: RunState<State>;
  readonly artifacts: RunArtifacts;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing fits `void`, not `undefined`
type Returned<T> = T | void | Promise<T | void>;

/** Callbacks around an agent's work. What one returns stands in the place of the work, or of its outcome. */
export interface AgentCallbacks<State extends object = JsonMap> {
  /** Content returned here is the answer; the model is not called. */
  readonly beforeAgent?: (context: CallbackContext<State>) => Returned<Content | string>;
  /** Content returned here is one more answer, after the agent's own. */
  readonly afterAgent?: (context: CallbackContext<State>) => Returned<Content | string>;
  /** May return another call to make, or content in place of one. */
  readonly beforeModel?: (
    call: ModelCall,
    context: CallbackContext<State>,
  ) => Returned<{ readonly call: ModelCall } | { readonly content: Content | string }>;
  /** May return other content in place of what the model said. What was streamed has been seen already. */
  readonly afterModel?: (content: Content, context: CallbackContext<State>) => Returned<Content | string>;
  /** A result returned here stands in for the tool's; the tool is not run. */
  readonly beforeTool?: (
    call: { readonly tool: Tool; readonly args: JsonMap },
    context: ToolContext<State>,
  ) => Returned<JsonValue>;
  /** A result returned here is told to the model instead. */
  readonly afterTool?: (
    call: { readonly tool: Tool; readonly args: JsonMap; readonly response: JsonValue },
    context: ToolContext<State>,
  ) => Returned<JsonValue>;
}

/** What makes an agent. */
export interface AgentOptions<State extends object = JsonMap> {
  /** Author of its events. */
  readonly name: string;
  readonly model: LanguageModel;
  /**
   * A text in which `{key}` stands for a value of state and `{{key}}` for `{key}` itself; a key that state does not have
   * is left as it stands. Or a function that gives the text as it is to be sent.
   */
  readonly instruction?: string | ((context: InstructionContext<State>) => string | Promise<string>);
  readonly tools?: readonly Tool[];
  /** Blocks in front of documents. */
  readonly examples?: readonly Block[];
  /**
   * Blocks of any kind, of text or media, in front of the conversation if they are stable, else behind the question, for this run only. Or
   * a function that finds them: it is asked once a run, and all its requests are given the same.
   */
  readonly documents?:
    | readonly Block[]
    | ((context: DocumentsContext<State>) => readonly Block[] | Promise<readonly Block[]>);
  /** State key that the answer's text is kept under. */
  readonly outputKey?: keyof State & string;
  /** What the answer must be: a schema that also writes JSON Schema, or JSON Schema. */
  readonly outputSchema?: StandardSchema | JsonMap;
  readonly settings?: ModelSettings;
  readonly history?: View['history'];
  /** Recall memories for each question. Default true. */
  readonly recall?: boolean | RecallOptions;
  /** Retries, deadline and a fallback for the model; `false`: none. */
  readonly retry?: RetryOptions | false;
  /** At most this many model calls a run. Default 25. */
  readonly maxSteps?: number;
  /** The longest a tool may take, in milliseconds. Default 120,000. */
  readonly toolTimeoutMs?: number;
  readonly callbacks?: AgentCallbacks<State>;
  /** Ask the model for its answer piece by piece. Default true. */
  readonly streaming?: boolean;
}

/** What starts a run. */
export interface RunInput {
  readonly userId: string;
  readonly sessionId: string;
  readonly projectId?: string;
  /** What the user says; or the late result of a long-running tool, as a functionResponse. */
  readonly message?: string | EventInput['content'];
  /** State to write with the message; `temp:` keys are there for this run only. */
  readonly stateDelta?: Readonly<Record<string, unknown>>;
  /** Default `refuse`: SESSION_BUSY while another run holds the session. */
  readonly onBusy?: OnBusy;
  readonly signal?: AbortSignal;
}

/** A piece of an answer on its way. It is never stored; the event that it becomes bears the same id. */
export interface PartialEvent {
  readonly partial: true;
  readonly id: string;
  readonly invocationId: string;
  readonly author: string;
  /** What is new since the piece before. */
  readonly content: Content;
}

/** What a run yields: pieces as they come, and every event once it is stored. */
export type RunEvent = (Event & { readonly partial?: undefined }) | PartialEvent;

/** An agent that remembers. */
export interface Agent {
  readonly name: string;
  /**
   * Answers one message. Yields while it works; stopping early (break, abort) stores what had come as an interrupted
   * event. Throws SESSION_BUSY, MODEL_FAILED, STEP_LIMIT, ABORTED, LEASE_LOST, and INVALID_ARGUMENT for bad input; what
   * happened before stays in the log.
   */
  run(input: RunInput): AsyncGenerator<RunEvent, void, undefined>;
}
