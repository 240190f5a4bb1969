import type { SeqRange } from '../../events/index.ts';
import type { MemoryEntry } from './memory-entry.ts';

/** Whose memory it is. A composite value everywhere: app `a`, user `b/c` is not app `a/b`, user `c`. */
export interface Owner {
  readonly appName: string;
  readonly userId: string;
}

/** From where a part of a user's memory is found: everywhere, or from one project, one session, or one in the other. */
export interface PartitionKey {
  readonly projectId?: string;
  readonly sessionId?: string;
}

/** How much is in a partition. Scores are computed from these figures and no others. */
export interface PartitionFigures {
  readonly entries: number;
  readonly passages: number;
  /** Sum of the lengths of all passages. */
  readonly length: number;
}

/** A partition that is in the store; `no` names it there until it is empty. */
export interface Partition extends PartitionFigures {
  readonly key: PartitionKey;
  readonly no: number;
}

/** What is kept about an owner beside the entries. */
export interface OwnerHead {
  /** Grows with every commit; a commit names the one it saw. */
  readonly stamp: number;
  /** Number of the first passage that is free. Numbers are not used again. */
  readonly nextPassage: number;
  /** Those that were asked for and are not empty. */
  readonly partitions: readonly Partition[];
}

/** One life of a session, as a source of memory. */
export interface SourceKey {
  readonly sessionId: string;
  readonly incarnation: string;
}

/** How far a source has been read. */
export interface SourceHead extends SourceKey {
  /** Seq of the last event read; `undefined` if the source was only cited. */
  readonly seq: number | undefined;
  /** Number of the last turn. */
  readonly lastTurn: number;
}

/** An entry and its place: its first passage has the number `place`, the others follow. */
export interface StoredEntry {
  readonly place: number;
  readonly passages: number;
  readonly partition: PartitionKey;
  readonly entry: MemoryEntry;
  /** For turns of a log: which, and the how many-th. */
  readonly turn?: { readonly source: SourceKey; readonly number: number };
}

/** Where a turn stands, without its text. */
export interface TurnPlace {
  readonly source: SourceKey;
  readonly number: number;
  readonly place: number;
  readonly passages: number;
}

/** Consecutive turns of a source, both ends included. */
export interface TurnWindow {
  readonly source: SourceKey;
  readonly from: number;
  readonly to: number;
}

/** Which entries are wanted. */
export type EntryQuery =
  | { readonly by: 'id'; readonly ids: readonly string[] }
  /** The entries that these passages belong to, each once, in any order. */
  | { readonly by: 'passage'; readonly passages: readonly number[] }
  /** Entries with an event of the session in their provenance, in any order. */
  | {
      readonly by: 'source';
      readonly sessionId: string;
      readonly incarnation?: string;
      readonly ranges?: readonly SeqRange[];
    }
  /** By timestamp and then place, the highest first. */
  | {
      readonly by: 'newest';
      readonly partitions: readonly number[];
      readonly after?: { readonly timestamp: number; readonly place: number };
      readonly limit: number;
    };

/** The postings of one term in one block. */
export interface PostingBlock {
  readonly block: number;
  /** See posting.ts. */
  readonly postings: Uint32Array;
}

/** A change of the postings of one term in one block: drops first, then additions. */
export interface PostingChange {
  readonly term: string;
  readonly block: number;
  readonly add: Uint32Array;
  /** Places within the block whose postings go. */
  readonly dropOffsets: readonly number[];
}

/** What changes in one partition. */
export interface PartitionChange {
  readonly key: PartitionKey;
  /** As they are afterwards; a partition without entries is removed. */
  readonly figures: PartitionFigures;
  /** Remove everything that is in it now, before anything is added. */
  readonly clear: boolean;
  readonly add: readonly StoredEntry[];
  readonly remove: readonly StoredEntry[];
  /** Entries whose text and place stay. */
  readonly replace: readonly { readonly old: StoredEntry; readonly new: StoredEntry }[];
  readonly postings: readonly PostingChange[];
}

/** What one commit writes, all of it or nothing. */
export interface MemoryCommit {
  readonly owner: Owner;
  /** The stamp of the head that the writer saw; `undefined`: nothing must be kept about the owner. */
  readonly expectedStamp: number | undefined;
  readonly nextPassage: number;
  readonly partitions: readonly PartitionChange[];
  /** How far a source has been read, afterwards. */
  readonly source?: SourceHead;
  /** Sources to forget, watermark and all. */
  readonly forget?: readonly SourceKey[];
}

/**
 * Keeps memory and knows none of its rules: entries, packed postings, figures and watermarks, behind eight primitives.
 * Each is atomic; what a resolved promise acknowledged survives the death of the process, if the store is durable.
 */
export interface MemoryStore {
  readonly name: string;
  /** The head of an owner, with the partitions named, or all. `undefined` if nothing is kept about the owner. */
  head(owner: Owner, partitions?: readonly PartitionKey[]): Promise<OwnerHead | undefined>;
  source(owner: Owner, source: SourceKey): Promise<SourceHead | undefined>;
  entries(owner: Owner, query: EntryQuery): Promise<readonly StoredEntry[]>;
  turns(owner: Owner, windows: readonly TurnWindow[]): Promise<readonly TurnPlace[]>;
  /** For each term, in the order of the terms, its blocks in all the partitions together. */
  postings(partitions: readonly number[], terms: readonly string[]): Promise<readonly (readonly PostingBlock[])[]>;
  /** `moved`: the stamp is another one now, nothing was written. Ids are the writer's care. */
  commit(commit: MemoryCommit): Promise<'committed' | 'moved'>;
  /** Resolves if the store can serve; throws what is wrong with it. */
  health(): Promise<void>;
  close(): Promise<void>;
}
