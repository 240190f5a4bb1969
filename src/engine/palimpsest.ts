import type { Agent, AgentOptions, InvocationDriver, RecallOptions } from '../agents/index.ts';
import type { Assembly, Placement, RequestExplanation } from '../context/assembly/index.ts';
import type { CompactionOutcome, CompactOptions, ExpandOptions } from '../context/compaction/index.ts';
import type {
  ArtifactStore,
  EraseReceipt,
  Event,
  EventInput,
  Instant,
  JsonMap,
  ModelRequest,
  Page,
  RequestJournal,
  SessionKey,
  View,
} from '../events/index.ts';
import type { MemoryEntry, MemoryService, SearchResponse } from '../memory/service/index.ts';
import type { AiSdkLanguageModel, AiSdkLanguageModelV4, LanguageModel } from '../models/index.ts';
import type {
  AppendOptions,
  AppendResult,
  CreateSession,
  ReadOptions,
  Session,
  SessionInfo,
  SessionService,
  UsageReport,
} from '../sessions/index.ts';
import type { CompactionOption, CompactionSettings } from './compaction-option.ts';
import type { GivenState, StoredState } from './state-keys.ts';

/** A session that is open for work: its facts as of the last call through this handle, and the calls themselves. */
export interface OpenSession<State extends object = JsonMap> {
  readonly key: SessionKey;
  readonly version: number;
  readonly state: StoredState<State>;
  /** All that is known about the session. */
  readonly info: Session;
  append(events: readonly EventInput[], options?: AppendOptions): Promise<AppendResult>;
  read(options?: ReadOptions): Promise<Page<Event>>;
  readEffective(options?: ReadOptions): Promise<Page<Event>>;
  rewind(options: { readonly beforeInvocationId: string; readonly shared?: boolean }): Promise<Event>;
  fork(options: { readonly atSeq: number; readonly sessionId?: string }): Promise<OpenSession<State>>;
  end(): Promise<Event>;
  delete(): Promise<EraseReceipt>;
}

/** What makes an agent of an open Palimpsest: any AI SDK language model will do, of specification v3 or v4. */
export interface FacadeAgentOptions<State extends object = JsonMap> extends Omit<AgentOptions<State>, 'model'> {
  readonly model: LanguageModel | AiSdkLanguageModel | AiSdkLanguageModelV4;
  /** How its sessions are folded, above what openPalimpsest() was told. */
  readonly compaction?: CompactionOption;
}

/** A fold that is asked for. */
export interface CompactRequest extends CompactOptions {
  /** Writes the summary. Default: the one that folds of the agent have. */
  readonly model?: CompactionSettings['model'];
}

/** What is known about one user, optionally within one project. Its methods are typed as those of Palimpsest. */
export interface User<State extends object = JsonMap> {
  readonly userId: string;
  readonly projectId?: string;
  /** The same user within a project. */
  project<Own extends object = State>(projectId: string): User<Own>;
  /** Opens a session, creating it first if it is new. */
  session<Own extends object = State>(
    sessionId: string,
    options?: Omit<CreateSession, 'appName' | 'userId' | 'sessionId' | 'projectId' | 'state'> & {
      /** Becomes event 1. */
      readonly state?: GivenState<NoInfer<Own>>;
    },
  ): Promise<OpenSession<Own>>;
  sessions(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<SessionInfo>>;
  /** Stores a statement of the user's. */
  remember(text: string, options?: { readonly labels?: readonly string[] }): Promise<MemoryEntry>;
  /** Memories that bear on a query, best first. */
  recall(query: string, options?: RecallOptions): Promise<SearchResponse>;
  memories(options?: { readonly cursor?: string; readonly limit?: number }): Promise<Page<MemoryEntry>>;
  /** Removes memories: one entry, or all that came from a session. Returns how many. */
  forget(selector: { readonly id: string } | { readonly sessionId: string }): Promise<number>;
  /** What the model calls of this user's sessions have used and cost. Takes time in the length of their logs. */
  usage(): Promise<UsageReport>;
  /** Removes everything of this user: sessions, state, artifacts and memories. */
  erase(): Promise<EraseReceipt>;
}

/** What the next request of a session would be. */
export interface ContextOptions {
  /** Default `assistant`. */
  readonly agentName?: string;
  /** Default `gemini`. */
  readonly provider?: View['provider'];
  readonly branch?: string;
  readonly isolationScope?: string;
  /** Default `full`. */
  readonly history?: View['history'];
  readonly instruction?: string;
  /** A question that is not in the log yet; it is placed as the newest user content and searched for. */
  readonly question?: string;
  /** Recall memories for the newest question. Default true; false where `throughSeq` is given: memory is as it is now. */
  readonly recall?: boolean | RecallOptions;
  /** The log as it stood when this event was its newest. Not together with a question. */
  readonly throughSeq?: number;
}

/** A request, with the means to ask why it looks as it does. */
export interface ContextRequest extends ModelRequest {
  readonly assembly: Assembly;
  /** The events that it was made from: of a long log, those that no summary stands for, and the bookkeeping. */
  readonly events: readonly Event[];
  /** Memories that were recalled for it, best first. */
  readonly memories: readonly MemoryEntry[];
  /** How many events each stage left, and how many tokens each block has. */
  readonly explanation: RequestExplanation;
  /** What became of an event in this request. */
  explain(seq: number): Placement;
}

/** A request that was sent, rebuilt from the log and the texts kept with it. */
export interface PastRequest extends ModelRequest {
  /** The event that answers it. */
  readonly answer: Event;
  readonly journal: RequestJournal;
  /**
   * `verified`: its hash is the one in the journal. `erased`: texts or events of it are gone, the texts stand as
   * `[erased]`. `notReproducible`: it was made by other rules than this version has. `differs`: none of these, and yet the
   * hash is another one.
   */
  readonly standing: 'verified' | 'erased' | 'notReproducible' | 'differs';
  readonly assembly: Assembly;
  /** The events that it was made from. */
  readonly events: readonly Event[];
  readonly explanation: RequestExplanation;
  /** What became of an event in this request. */
  explain(seq: number): Placement;
}

/** What an import did. */
export interface ImportResult {
  readonly sessions: number;
  /** Events that were new. */
  readonly added: number;
  /** Events that were there already. */
  readonly unchanged: number;
}

/** One session to import, events in order, each with an id that stays the same from one import to the next. */
export interface ImportSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly projectId?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly timeZone?: string;
  readonly events: readonly EventInput[];
}

/**
 * An open Palimpsest: one file, or memory alone. `State` is what is known of the state of its sessions. It is only the
 * default of the methods' own types, so that where a Palimpsest is asked for, one of any State will do.
 */
export interface Palimpsest<State extends object = JsonMap> {
  readonly appName: string;
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly artifacts: ArtifactStore;
  /** Joins a loop that calls models to the log: what integrations are built on. */
  readonly invocations: InvocationDriver;
  /** An agent that remembers. Throws INVALID_ARGUMENT naming the option. */
  agent<Own extends object = State>(options: FacadeAgentOptions<NoInfer<Own>>): Agent;
  user<Own extends object = State>(userId: string): User<Own>;
  /** Throws SESSION_NOT_FOUND. */
  context(key: SessionKey, options?: ContextOptions): Promise<ContextRequest>;
  /**
   * Rebuilds the request that an event of a model answers, and says whether it is the one that was sent. Throws
   * SESSION_NOT_FOUND, and INVALID_ARGUMENT for an event that answers no request.
   */
  explain(key: SessionKey, seq: number): Promise<PastRequest>;
  /**
   * Folds all but the last exchange of a session, or what `throughSeq` says, into a summary; waits for it. Throws
   * INVALID_ARGUMENT where no model is known that would write it.
   */
  compact(key: SessionKey, options?: CompactRequest): Promise<CompactionOutcome>;
  /** The events that a summary stands for, oldest first. Throws INVALID_ARGUMENT for an event that is no summary. */
  expand(key: SessionKey, compactionSeq: number, options?: ExpandOptions): Promise<Page<Event>>;
  /**
   * Adds what is new of a session that another system kept. Importing again changes nothing. State that breaks a schema
   * is refused as in any append: INVALID_EVENT.
   */
  import(session: ImportSession, options: { readonly from: string }): Promise<ImportResult>;
  /** Removes one session and what was learnt from it. Throws SESSION_NOT_FOUND. */
  eraseSession(key: SessionKey): Promise<EraseReceipt>;
  /** Removes expired sessions and ends idle ones. Also done in the background. */
  sweep(now?: Instant): Promise<{ readonly expired: number; readonly ended: number }>;
  /** Resolves when no background work is left; throws the first failure of it. */
  settled(): Promise<void>;
  /** Writes a consistent copy of the file while work goes on. Throws NOT_SUPPORTED in memory. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
