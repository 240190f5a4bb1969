import type {
  ArtifactInfo,
  Event,
  JsonMap,
  JsonValue,
  SeqRange,
  SessionKey,
  ToolDeclaration,
} from '../../events/index.ts';
import type { MemoryEntry, SearchResponse } from '../../memory/service/index.ts';
import type { Logger } from '../../models/index.ts';

/** State as code inside a run sees and changes it: session, `app:`, `user:` keys, and `temp:` ones of this run. */
export interface RunState<State extends object = JsonMap> {
  get<Key extends keyof State & string>(key: Key): State[Key] | undefined;
  has(key: keyof State & string): boolean;
  /** Stored with the event that comes of this work; `temp:` keys last until the run ends. Throws NOT_JSON. */
  set<Key extends keyof State & string>(key: Key, value: State[Key]): void;
  delete(key: keyof State & string): void;
  /** All keys and values at this moment, frozen. */
  all(): Readonly<Partial<State>>;
}

/** The same, for code that may only look. */
export type ReadonlyRunState<State extends object = JsonMap> = Pick<RunState<State>, 'get' | 'has' | 'all'>;

/** Memory of the user that a run is for. */
export interface ToolMemory {
  search(query: string, options?: { readonly limit?: number; readonly tokenBudget?: number }): Promise<SearchResponse>;
  remember(text: string, options?: { readonly labels?: readonly string[] }): Promise<MemoryEntry>;
  /** Returns how many memories are gone: 1, or 0 if there was none with that id. */
  forget(id: string): Promise<number>;
}

/** Artifacts of the session that a run is for; what is saved is noted on the event that comes of this work. */
export interface RunArtifacts {
  save(name: string, bytes: Uint8Array, mimeType: string): Promise<number>;
  load(name: string, version?: number): Promise<(ArtifactInfo & { readonly bytes: Uint8Array }) | undefined>;
  list(): Promise<readonly ArtifactInfo[]>;
}

/** A summary of the conversation, and what it stands for. */
export interface ToldSummary {
  /** Seq of the summary's event. */
  readonly seq: number;
  /** Inclusive ranges of the events that it covers. */
  readonly covers: readonly SeqRange[];
  readonly text: string;
}

/** What of the conversation is read. Every field narrows. */
export interface HistoryOptions {
  /** Seq of a summary: what that covers. */
  readonly summary?: number;
  readonly fromSeq?: number;
  readonly toSeq?: number;
  /** Words: the events that have most of them, within the budget. */
  readonly query?: string;
  /** At most about this many tokens of text. Default 2,000. */
  readonly tokenBudget?: number;
}

/** Events of the conversation, oldest first. */
export interface ReadHistory {
  readonly events: readonly Event[];
  /** How many more there are that the budget has left out. */
  readonly more: number;
}

/** A fold that the model asks for. */
export interface AskedFold {
  /** What the summary should dwell on. */
  readonly focus?: string;
}

/** The conversation of a run, with what summaries stand for. */
export interface ToolHistory {
  /** Keeps events verbatim, whatever is summarised. Throws INVALID_PIN. */
  pin(seqs: readonly number[]): Promise<void>;
  /** Lets them be summarised again. Throws INVALID_PIN. */
  unpin(seqs: readonly number[]): Promise<void>;
  /** Has what is older than the last exchange summarised once the run is over. */
  compact(asked: AskedFold): void;
  /** The summaries in force, oldest first. */
  summaries(): Promise<readonly ToldSummary[]>;
  /** What was said and done, as it stands in the log; what a rewind hides and other scopes are left out. */
  read(options?: HistoryOptions): Promise<ReadHistory>;
}

/**
 * What a tool is given besides its arguments. When its call has been answered, be it because its time was over, what
 * would change something throws ABORTED.
 */
export interface ToolContext<State extends object = JsonMap> {
  readonly sessionKey: SessionKey;
  readonly projectId?: string;
  readonly invocationId: string;
  readonly agentName: string;
  /** Id of the call that is being answered. */
  readonly callId: string;
  /** Aborts when the run is stopped or the tool's time is over. */
  readonly signal: AbortSignal;
  readonly state: RunState<State>;
  readonly artifacts: RunArtifacts;
  readonly memory: ToolMemory;
  /** In runs of an agent over a session. */
  readonly history?: ToolHistory;
  readonly logger: Logger;
  /** The tool's answer ends the run: the model is not called again. */
  skipSummarization(): void;
  /** The agent's task is done: its answer to this call says so. Heard where compaction has the trigger taskComplete(). */
  completeTask(): void;
}

/** What reading the arguments of a call gave. */
export type ReadArguments = { readonly value: unknown } | { readonly problem: string };

/** Something that a model can ask for. Made by tool(). */
export interface Tool {
  readonly declaration: ToolDeclaration;
  /** Its answer comes later, from outside the run; what it returns is a first word that the model reads meanwhile. */
  readonly longRunning?: true;
  /** The longest it may take, in milliseconds; none: the agent's. */
  readonly timeoutMs?: number;
  /** Checks what the model gave. Never throws. */
  readArguments(args: JsonMap): Promise<ReadArguments>;
  run(args: unknown, context: ToolContext): unknown;
}

/** What came of a call, ready to be stored. Never an exception: a failure is told to the model. */
export interface ToolOutcome {
  /** What the model reads. */
  readonly response: JsonValue;
  /** Why the call failed, if it did, in one word: the value of `error.type` in traces. */
  readonly failure?: 'unknownTool' | 'invalidArguments' | 'threw' | 'timeout' | 'aborted' | 'notJson' | 'tooLarge';
  /** The answer comes later. */
  readonly pending?: true;
}
