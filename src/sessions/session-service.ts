import type {
  ArtifactStore,
  Coverage,
  EraseReceipt,
  Event,
  EventInput,
  Instant,
  JsonMap,
  JsonValue,
  Page,
  ProvenanceRef,
  SeqRange,
  SessionKey,
  View,
} from '../events/index.ts';
import type { UsageOwner, UsageReport } from './usage-report.ts';

/** What is told about a session without opening it. */
export interface SessionInfo {
  readonly key: SessionKey;
  /** Differs for each life of a session id. */
  readonly incarnation: string;
  /** Seq of the newest event, 0 for an empty session. */
  readonly version: number;
  readonly createdAt: Instant;
  /** When the newest event was appended, else when the session was created. */
  readonly updatedAt: Instant;
  readonly ended: boolean;
  /** The newest live invocation: what an event without an invocation joins. */
  readonly invocationId?: string;
  /** How often events of the session were erased, which only happens to forks. */
  readonly erasures?: number;
  readonly projectId?: string;
  readonly timeZone?: string;
  readonly ttlSeconds?: number;
  readonly expiresAt?: Instant;
  readonly metadata?: JsonMap;
  readonly forkedFrom?: { readonly sessionId: string; readonly incarnation: string; readonly atSeq: number };
  /** How far memory has read this log; advisory. */
  readonly ingestedSeq: number;
}

/** A session with its state, `app:` and `user:` keys merged in; no events are loaded. */
export interface Session extends SessionInfo {
  readonly state: JsonMap;
}

/** What an append stored. */
export interface AppendResult {
  readonly events: readonly Event[];
  readonly version: number;
  /** How many lone surrogates became U+FFFD. */
  readonly replacedSurrogates: number;
  /** The events were stored by an earlier append; this one wrote nothing. */
  readonly repeated?: true;
}

/** Options of an append. */
export interface AppendOptions {
  /** The version that the writer has seen; `any` or nothing: no check. */
  readonly expectedVersion?: number | 'any';
  /** Proves that the writer still holds the run. */
  readonly lease?: Lease;
  /** Names the system that the events were imported from. Only importers and the server's edge set it. */
  readonly importedFrom?: string;
  /** Texts that journals of these events name by hash. One that the session has already is not written again. */
  readonly texts?: readonly RequestText[];
}

/** A text of a request that no event holds, kept with the session so that the request can be rebuilt. */
export interface RequestText {
  /** SHA-256 of `json`, in lower-case hex: the hash that stands in a journal. */
  readonly hash: string;
  /** Canonical JSON of a block's content or of a list of tools. */
  readonly json: string;
  /** What it quotes; it is erased with any of these. */
  readonly sources?: readonly ProvenanceRef[];
}

/** Whose texts are erased, and what these must quote. */
export interface QuotesToErase {
  readonly appName: string;
  readonly userId: string;
  /**
   * A life of a session, by its incarnation, or what was given directly, by its id. With the time at which it was given,
   * it is gone for good: texts that quote it and come later are left out, those that quote a later one of its id are not.
   */
  readonly sources: readonly (
    | { readonly incarnation: string }
    | { readonly directId: string; readonly at?: Instant }
  )[];
}

/** What of a log is read: bounds are inclusive. */
export interface ReadOptions {
  readonly fromSeq?: number;
  readonly toSeq?: number;
  /** 1 to 1,000, default 100. */
  readonly limit?: number;
  readonly newestFirst?: boolean;
  readonly invocationId?: string;
  readonly cursor?: string;
}

/** What the next request is made of: the events of a log that no summary stands for, as they were at one moment. */
export interface LiveWindow {
  /**
   * In order of seq: bookkeeping that still says something, what no rewind hides and no summary covers, pinned events
   * with the responses to their calls, the live question, and covered calls that one of these answers.
   */
  readonly events: readonly Event[];
  /** Says of every event of the conversation, read or not, what the fold of all bookkeeping would. */
  readonly coverage: Coverage;
  /** Seq of the newest event of the log. */
  readonly version: number;
}

/** Which sessions are listed. */
export interface ListOptions {
  readonly appName: string;
  readonly userId?: string;
  readonly projectId?: string;
  readonly cursor?: string;
  /** 1 to 1,000, default 50. */
  readonly limit?: number;
  /** By last activity, to the second. Default `newestFirst`. */
  readonly order?: 'newestFirst' | 'oldestFirst';
}

/** A run's hold on a session. */
export interface Lease {
  readonly key: SessionKey;
  readonly incarnation: string;
  readonly owner: string;
  /** Grows with every new holder. */
  readonly token: number;
  readonly expiresAt: Instant;
}

/** Options of taking a lease. */
export interface LeaseOptions {
  /** How long the lease lasts, in seconds. Default 30. */
  readonly seconds?: number;
  /** How long to wait for another holder, in milliseconds. Default 0: SESSION_BUSY at once. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** What creates a session. */
export interface CreateSession {
  readonly appName: string;
  readonly userId: string;
  /** A UUID if left out. */
  readonly sessionId?: string;
  /** Fixed for life. */
  readonly projectId?: string;
  /** Becomes event 1. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** Counted from the newest event. */
  readonly ttlSeconds?: number;
  readonly timeZone?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The log and everything derived from it alone. Every method throws INVALID_ID or INVALID_ARGUMENT for bad input. */
export interface SessionService {
  readonly artifacts: ArtifactStore;
  /** Throws SESSION_EXISTS if the id is in use; state given here is event 1. */
  create(input: CreateSession): Promise<Session>;
  /** `undefined` if there is no such session, or its time to live is over. */
  open(key: SessionKey): Promise<Session | undefined>;
  /** All or nothing. Throws SESSION_NOT_FOUND, APPEND_CONFLICT, EVENT_ID_REUSED, LEASE_LOST, INVALID_EVENT and kin. */
  append(key: SessionKey, events: readonly EventInput[], options?: AppendOptions): Promise<AppendResult>;
  /** Events as they stand in the log, rewound ones and bookkeeping included, at a cost of what is returned. */
  read(key: SessionKey, options?: ReadOptions): Promise<Page<Event>>;
  /** Events that no rewind hides, without bookkeeping. */
  readEffective(key: SessionKey, options?: ReadOptions): Promise<Page<Event>>;
  /**
   * The events that assemble() needs to say for this view what it would say of the whole log. What summaries cover is
   * not read, so that it takes time in what is returned, however long the log; the first call in a process also reads
   * the log's bookkeeping.
   */
  readLive(key: SessionKey, view: View): Promise<LiveWindow>;
  /** The bookkeeping events of a log, in order: what foldCoverage needs. `fromSeq`: from that one on. */
  readBookkeeping(key: SessionKey, options?: { readonly fromSeq?: number }): Promise<readonly Event[]>;
  /** The events that make or answer calls of an id, in order, at a cost of what is returned. */
  readCall(key: SessionKey, callId: string): Promise<readonly Event[]>;
  /** The canonical JSON of a request's text, by its hash; `undefined` if it was erased or never kept. */
  readText(key: SessionKey, hash: string): Promise<string | undefined>;
  /** Removes, from all sessions of a user, the texts of requests that quote one of the sources. Returns how many. */
  eraseQuotes(quotes: QuotesToErase): Promise<number>;
  list(options: ListOptions): Promise<Page<SessionInfo>>;
  /** Sessions that memory has not read to the end, at most `limit`. */
  listBehind(options: { readonly appName: string; readonly limit?: number }): Promise<readonly SessionInfo[]>;
  /** Moves the advisory copy of memory's watermark forward; a session that is gone is left alone. */
  noteIngested(key: SessionKey, incarnation: string, seq: number): Promise<void>;
  /** A new session with the events up to a seq, ids and seqs kept. Throws FORK_REFUSED while a call is unanswered there. */
  fork(key: SessionKey, options: { readonly atSeq: number; readonly sessionId?: string }): Promise<Session>;
  /** Hides an invocation and all after it. Throws INVALID_REWIND if it is not in the log. */
  rewind(
    key: SessionKey,
    options: {
      readonly beforeInvocationId: string;
      readonly shared?: boolean;
      readonly expectedVersion?: number | 'any';
    },
  ): Promise<Event>;
  /** Marks the end of the session; the next append reopens it. Ending an ended session returns the same event. */
  end(key: SessionKey): Promise<Event>;
  /** One value of `app:` or `user:` state with all its revisions, oldest first; the key is given without its prefix. */
  stateHistory(
    scope: { readonly appName: string; readonly userId?: string },
    key: string,
  ): Promise<readonly { readonly revision: number; readonly value: JsonValue | undefined }[]>;
  /**
   * What the model calls of a session have used: those of its whole log, rewound ones too, but not those that a fork
   * copied. Takes time in the length of the log.
   */
  usage(key: SessionKey): Promise<UsageReport>;
  /** The same of all sessions of a user, or of those in one project. */
  usageOfUser(user: UsageOwner): Promise<UsageReport>;
  /** Takes the run lease. Throws SESSION_BUSY while another holds it. */
  acquireLease(key: SessionKey, owner: string, options?: LeaseOptions): Promise<Lease>;
  /** Throws LEASE_LOST if another run has taken over. */
  renewLease(lease: Lease, options?: { readonly seconds?: number }): Promise<Lease>;
  /** Gives the lease back; one that was lost already is left alone. */
  releaseLease(lease: Lease): Promise<void>;
  /** Removes a session for good, and what forks of it copied. Throws SESSION_NOT_FOUND. */
  delete(key: SessionKey): Promise<EraseReceipt>;
  /** Removes `user:` state and artifacts of a user that belong to no session. */
  deleteUserData(scope: { readonly appName: string; readonly userId: string }): Promise<EraseReceipt>;
  /**
   * Removes the sessions whose time to live ended before `now`, and returns how many. If some cannot be removed, the
   * others are, and then the first failure is thrown.
   */
  sweepExpired(now: Instant): Promise<number>;
  /** Ends the sessions of an app that nobody has appended to since `idleSince`, and returns them. */
  endIdle(options: { readonly appName: string; readonly idleSince: Instant }): Promise<readonly SessionInfo[]>;
  health(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Told before events are removed for good, so that what was derived from them goes first, and once more afterwards,
 * since a reader of the log may have gone on meanwhile. Returns how many memories went. If it throws before, nothing is
 * removed.
 */
export type BeforeErase = (session: SessionInfo, seqs: readonly SeqRange[] | 'all') => Promise<number>;
