import type { Assembly, RequestTokens } from '../context/assembly/index.ts';
import type { CompactOptions } from '../context/compaction/index.ts';
import type {
  Block,
  Content,
  Event,
  EventInput,
  JsonMap,
  ModelRequest,
  Provider,
  RequestJournal,
  SessionKey,
  ToolDeclaration,
  View,
} from '../events/index.ts';
import type { MemoryEntry } from '../memory/service/index.ts';
import type { CacheDirections, LanguageModel, Span } from '../models/index.ts';
import type { Session } from '../sessions/index.ts';

/** Limits of a recall. */
export interface RecallOptions {
  /** At most this many memories. Default 10. */
  readonly limit?: number;
  /** At most this many tokens of text. */
  readonly tokenBudget?: number;
}

/**
 * What to do when another run holds the session: SESSION_BUSY at once, or wait. Runs of one process that wait get the
 * session in the order in which they came.
 */
export type OnBusy = 'refuse' | 'queue' | { readonly waitMs: number };

/** How an invocation begins. The session is made if it is new. */
export interface BeginInvocation {
  readonly key: SessionKey;
  readonly projectId?: string;
  readonly agentName: string;
  /** What is new, appended as it stands. */
  readonly events?: readonly EventInput[];
  /**
   * Or the conversation as the caller has it, oldest first: what of it is in the log already is found by role and
   * content, the rest is appended.
   */
  readonly prompt?: readonly Content[];
  /**
   * How much of the conversation `prompt` is. Default `tail`: its beginning may be missing, so that only a prompt which
   * shows the model's own words can hide anything. `whole`: all of it; what the log has beyond the first difference is
   * hidden by a rewind, so that the first message can be edited or asked again.
   */
  readonly promptIs?: 'tail' | 'whole';
  /** The model of the loop, if it is to write summaries where an open Palimpsest has compaction on and knows no agent of the name. */
  readonly model?: LanguageModel;
  /** Default `refuse`. */
  readonly onBusy?: OnBusy;
  readonly signal?: AbortSignal;
  /** What the work is timed under. */
  readonly span?: Span;
}

/** What one request of an invocation is made of, besides the log. */
export interface RequestInput {
  readonly provider: Provider;
  /** The model's name, for the journal. */
  readonly model: string;
  readonly instruction?: readonly Block[];
  readonly tools?: readonly ToolDeclaration[];
  readonly examples?: readonly Block[];
  readonly documents?: readonly Block[];
  /** State, the date: for this invocation only. */
  readonly transient?: readonly Block[];
  /** Default `full`. */
  readonly history?: View['history'];
  /** Recall memories for the newest question, once an invocation. Default true. */
  readonly recall?: boolean | RecallOptions;
  /** What else decides about the answer, hashed into the journal: settings, output schema. */
  readonly config?: JsonMap;
  /** Whoever sends the request follows `PreparedRequest.cache`: who serves the model. Default: nothing is planned. */
  readonly cacheFor?: { readonly vendor: string };
  /**
   * The provider has refused the last request of this invocation as too long: the oldest of the log is left out of this
   * one, if compaction is on and there is something to leave out.
   */
  readonly tooLong?: { readonly maximumTokens?: number };
}

/** A request that is ready to be sent. */
export interface PreparedRequest {
  /** With the bytes of media that the session keeps as artifacts in the places of their references. */
  readonly request: ModelRequest;
  /** Goes on the model event that answers it. Its hashes are of the request with the references, as the log has it. */
  readonly journal: RequestJournal;
  readonly assembly: Assembly;
  /** How many tokens the request has, by kind of block. */
  readonly tokens: RequestTokens;
  /** What was recalled for this invocation and has not been forgotten since, best first. */
  readonly memories: readonly MemoryEntry[];
  /** What the provider is to be told about caching this request, and no other. */
  readonly cache?: CacheDirections;
  /** How many events it is without, because it would be too long with them. Absent: none. */
  readonly leftOut?: number;
}

/** What is told at the end of an invocation. */
export interface FinishReport {
  /** The model has asked for a fold. */
  readonly asked?: Pick<CompactOptions, 'throughSeq' | 'focus'>;
}

/** One run's hold on a session, from the user's words to the answer. */
export interface Invocation {
  readonly key: SessionKey;
  readonly invocationId: string;
  /** The session as it stood when the invocation had begun, its events of that included. */
  readonly session: Session;
  /** What beginning appended. */
  readonly begun: readonly Event[];
  /** Aborts when the caller's does, when the lease is lost, and when all runs are to end: CLOSED. */
  readonly signal: AbortSignal;
  /** Assembles the next request. */
  request(input: RequestInput): Promise<PreparedRequest>;
  /** Appends events of this invocation, all or none. Throws LEASE_LOST if another run has taken over. */
  record(events: readonly EventInput[]): Promise<readonly Event[]>;
  /** Gives the session back and lets memory read on and compaction follow. May be called more than once; never throws. */
  finish(report?: FinishReport): Promise<void>;
}

/** The seam between a loop that calls models and the log: Runner and integrations only translate to it. */
export interface InvocationDriver {
  /**
   * Throws SESSION_BUSY, ABORTED, CLOSED, INVALID_ARGUMENT for a result that no call of the session waits for, and what
   * append throws; nothing is held then.
   */
  begin(input: BeginInvocation): Promise<Invocation>;
}
