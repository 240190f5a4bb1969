import type { Event, Instant, Page, Scope, SeqRange } from '../../events/index.ts';
import type { MemoryEntry, MemoryKind, NewMemory } from './memory-entry.ts';

/** Narrows a search. Every field given must hold; a list holds if one of its members does. */
export interface MemoryFilter {
  readonly kinds?: readonly MemoryKind[];
  readonly authors?: readonly string[];
  readonly labels?: readonly string[];
  readonly topics?: readonly string[];
  readonly sessions?: readonly string[];
  readonly notSessions?: readonly string[];
  /** Timestamp not before this. */
  readonly after?: Instant;
  /** Timestamp before this. */
  readonly before?: Instant;
}

/** A search. */
export interface SearchRequest {
  readonly scope: Scope;
  /** Plain words in any language; nothing in it has a special meaning. */
  readonly query: string;
  /** At most this many memories. Default 10; 0 finds nothing; more than 100 counts as 100. */
  readonly limit?: number;
  /** At most about this many tokens of text; what does not fit is left out. */
  readonly tokenBudget?: number;
  /** Leave out what scores lower; 0 to 1. */
  readonly minScore?: number;
  /** Leave out what is found everywhere and keep what belongs to the project of the scope. */
  readonly projectOnly?: boolean;
  readonly filter?: MemoryFilter;
  readonly signal?: AbortSignal;
}

/** What a search found, best first; equal ones newest first. */
export interface SearchResponse {
  readonly memories: readonly MemoryEntry[];
  /** How it was searched. */
  readonly mode: 'keyword';
  /** Whether more were found than the most a search returns, or than fit the token budget. */
  readonly truncated: boolean;
  /** What could not be used, if anything. */
  readonly degraded: readonly string[];
  readonly tookMs: number;
}

/** What ingestion knows of a session: one life of it, and where its memories belong. */
export interface SessionSource {
  readonly appName: string;
  readonly userId: string;
  readonly projectId?: string;
  readonly sessionId: string;
  readonly incarnation: string;
}

/** A step from one watermark of a session's log to a later one. */
export interface Ingestion {
  readonly source: SessionSource;
  /** The watermark that the step was computed from. A source without a watermark starts where the first step does. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Live events to learn from: those after fromSeq, and those that a rewind has brought back. */
  readonly events: readonly Event[];
  /** Events that are hidden since: entries that only they support go. */
  readonly retract?: readonly SeqRange[];
}

/** Which memories to remove. */
export type MemorySelector =
  /** One entry that the scope can see. */
  | { readonly id: string }
  /** What came from a session, or from these events of it, and what is found only from it. */
  | { readonly sessionId: string; readonly incarnation?: string; readonly seqs?: readonly SeqRange[] }
  /** Everything in the scope: of a user in all projects and sessions, or of the project or session that it names. */
  | { readonly all: true };

/** Options of listing. */
export interface MemoryListOptions {
  readonly cursor?: string;
  /** 1 to 1,000, default 50. */
  readonly limit?: number;
}

/**
 * What past sessions bring. Every method throws INVALID_ID or INVALID_ARGUMENT for bad input, a missing scope
 * included. A scope sees what is found everywhere and what belongs to the project and session that it names.
 */
export interface MemoryService {
  readonly name: string;
  /** What this service can do beyond storing: `keyword`, `project`, `session`. */
  capabilities(): ReadonlySet<string>;
  /**
   * Stores memories in a scope, all or none, and returns them. An entry added in a scope with a session is found only
   * from that session. An id stored with equal content is left as it is; with other content: MEMORY_ID_REUSED.
   */
  add(scope: Scope, memories: readonly NewMemory[]): Promise<readonly MemoryEntry[]>;
  search(request: SearchRequest): Promise<SearchResponse>;
  get(scope: Scope, id: string): Promise<MemoryEntry | undefined>;
  /** Newest first, by timestamp. */
  list(scope: Scope, page?: MemoryListOptions): Promise<Page<MemoryEntry>>;
  /**
   * Removes memories and returns how many are gone. An entry with other sources than those named stays, without them.
   * A session given with its incarnation is forgotten for good; without it, or after `all`, its log is still read on
   * from where it was, so that what was removed is not learnt again.
   */
  delete(scope: Scope, selector: MemorySelector): Promise<number>;
  /** How far a session's log has been read; `undefined` if not at all. */
  watermark(source: SessionSource): Promise<number | undefined>;
  /**
   * Learns from a session's log: retracts, adds and moves the watermark in one transaction. Throws WATERMARK_MOVED if
   * the watermark is not at `fromSeq`, so that a step is never applied twice.
   */
  ingest(ingestion: Ingestion): Promise<{ readonly added: number; readonly removed: number }>;
  healthCheck(): Promise<void>;
  close(): Promise<void>;
}
