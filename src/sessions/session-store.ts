import type { ArtifactInfo, ArtifactScope, Event, JsonMap, JsonValue, SeqRange, SessionKey } from '../events/index.ts';

/** Names a run that holds a session; `token` grows with every new holder, so an old one is recognised. */
export interface HeadLease {
  readonly owner: string;
  readonly token: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** One version of an artifact. */
export type ArtifactVersion = readonly [name: string, version: number];

/** A version of an artifact to remove. */
export interface ErasedVersion {
  readonly name: string;
  readonly version: number;
  /** The number is not to be free: an empty version of this media type stays under it. */
  readonly leaves?: string;
}

/** All that is kept about a session beside its events. Times are milliseconds since 1970. */
export interface SessionHead {
  readonly key: SessionKey;
  readonly incarnation: string;
  /** Grows with every change of the head; a commit names the one it saw. */
  readonly stamp: number;
  /** Seq of the newest event, 0 if there is none. */
  readonly version: number;
  /** Seq of the newest event that outdates a writer who has not seen it. */
  readonly contentVersion: number;
  /** The newest live invocation: what an event without an invocation joins. */
  readonly invocationId: string | undefined;
  /** Invocation of the newest event, whatever it is. */
  readonly lastInvocationId: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ended: boolean;
  readonly ttlSeconds?: number;
  /** From when on the session counts as gone. */
  readonly expiresAt: number | undefined;
  readonly projectId?: string;
  readonly timeZone?: string;
  readonly metadata?: JsonMap;
  readonly forkedFrom?: { readonly sessionId: string; readonly incarnation: string; readonly atSeq: number };
  /** The versions of artifacts that a fork took over with its events. */
  readonly copiedArtifacts?: readonly ArtifactVersion[];
  /** How often events of the session were erased. */
  readonly erasures?: number;
  readonly lease?: HeadLease;
  /** The newest lease token given out. */
  readonly leaseToken: number;
  /** Advisory copy of how far memory has read this log. */
  readonly ingestedSeq: number;
}

/** Where a piece of state lives. */
export type StateScope =
  | { readonly kind: 'session'; readonly key: SessionKey }
  | { readonly kind: 'user'; readonly appName: string; readonly userId: string }
  | { readonly kind: 'app'; readonly appName: string };

/** One value of state; `app:` and `user:` values are numbered per key, older ones stay until erased. */
export interface StateValue {
  /** Without its scope prefix. */
  readonly key: string;
  /** `undefined`: the key was removed. */
  readonly value: JsonValue | undefined;
  /** 0 for session state, which is a fold of the log. */
  readonly revision: number;
  /** The event that wrote it. */
  readonly source?: { readonly incarnation: string; readonly seq: number };
}

/** Which values of a scope are wanted. */
export interface StateQuery {
  /** Default: all. */
  readonly keys?: readonly string[];
  /** All revisions, those of a key in order, instead of the newest. */
  readonly history?: boolean;
}

/** One value to write. */
export interface StateWrite extends Omit<StateValue, 'revision'> {
  readonly scope: StateScope;
  /** The revision that the value was computed from; another one in the store makes the commit `moved`. */
  readonly expectedRevision?: number;
}

/** Bytes to save as a version of an artifact. A version that stands already makes the commit `moved`. */
export interface ArtifactWrite {
  readonly scope: ArtifactScope;
  readonly name: string;
  readonly version: number;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** The name is a hash of the bytes: a version that stands already is left as it is. */
  readonly contentAddressed?: true;
  /** Opaque names of what the bytes quote; one that stands already is given these as well. */
  readonly sources?: readonly string[];
}

/** A session as a writer saw it. What he writes because of it is `moved` once it is gone or has lost events since. */
export type SeenSession = Pick<SessionHead, 'key' | 'incarnation' | 'erasures'>;

/** What one commit writes, all of it or nothing. */
export interface Commit {
  /** The stamp of the head that the writer saw; `undefined`: there must be no session under this key. */
  readonly expectedStamp: number | undefined;
  readonly head: SessionHead;
  readonly events?: readonly Event[];
  /** Invocation of the newest event before these, so that runs of one invocation can be told apart. */
  readonly previousInvocationId?: string | undefined;
  readonly states?: readonly StateWrite[];
  /** Replaces all session state instead of writing into it. */
  readonly replaceSessionState?: boolean;
  readonly artifacts?: readonly ArtifactWrite[];
  /** Another session that this is made from. */
  readonly restsOn?: SeenSession;
}

/** A commit of artifacts alone, under no session's head. */
export interface ArtifactCommit {
  /** The session that they belong to; left out for those of a user. */
  readonly restsOn?: SeenSession;
  readonly artifacts: readonly ArtifactWrite[];
}

/** How a commit ended: written, or refused because the head, a revision or a version moved or an event id stands already. */
export type CommitOutcome = 'committed' | 'moved' | 'idTaken';

/** Which events of a session are wanted. Every field narrows. */
export interface RowQuery {
  readonly key: SessionKey;
  /** Default: all. */
  readonly ranges?: readonly SeqRange[];
  readonly ids?: readonly string[];
  readonly kind?: 'bookkeeping' | 'state';
  /** Events that make or answer calls of this id. */
  readonly callId?: string;
  readonly invocationId?: string;
  readonly newestFirst?: boolean;
  readonly limit?: number;
}

/** Which heads are wanted, in which order. */
export type ListQuery =
  | {
      readonly by: 'active';
      readonly appName: string;
      readonly userId?: string;
      readonly projectId?: string;
      readonly oldestFirst: boolean;
      readonly after?: readonly [active: number, no: number];
      readonly limit: number;
    }
  /** Sessions that memory has not read to the end and that have not expired at `liveAt`. */
  | { readonly by: 'behind'; readonly appName: string; readonly liveAt: number; readonly limit: number }
  /** Open sessions with events whose last activity is before a second since 1970. */
  | {
      readonly by: 'idle';
      readonly appName: string;
      readonly before: number;
      readonly liveAt: number;
      readonly limit: number;
    }
  | { readonly by: 'expired'; readonly before: number; readonly limit: number }
  /** In order of their numbers. */
  | { readonly by: 'forkedFrom'; readonly incarnation: string; readonly after?: number; readonly limit: number };

/** A head and its place in the list. */
export interface ListedHead {
  readonly head: SessionHead;
  readonly position: readonly [active: number, no: number];
}

/** What to remove. With `quoting`, also the versions of artifacts in any session of the user that have such a source. */
export type Removal =
  /**
   * One life of a session, whatever its version. A version that is to be saved afterwards and has one of these sources
   * is left out: its writer may not know yet that they are gone. Stores remember the newest 10,000.
   */
  | {
      readonly what: 'session';
      readonly key: SessionKey;
      readonly incarnation: string;
      readonly quoting: readonly string[];
    }
  /** Events and, with them, versions of the session's artifacts. */
  | {
      readonly what: 'events';
      readonly key: SessionKey;
      readonly ranges: readonly SeqRange[];
      readonly artifacts: readonly ErasedVersion[];
      readonly quoting: readonly string[];
      readonly commit: Commit;
    }
  | { readonly what: 'states'; readonly scope: StateScope }
  | { readonly what: 'artifacts'; readonly scope: ArtifactScope; readonly name?: string }
  | {
      readonly what: 'quotes';
      readonly appName: string;
      readonly userId: string;
      readonly quoting: readonly string[];
      /** Those of them that are gone for good, as a session is: left out from now on. */
      readonly gone: readonly string[];
    };

/** How much a removal took away. */
export interface Removed {
  readonly events: number;
  readonly stateKeys: number;
  /** Versions that went with their session, their events or their name. */
  readonly artifacts: number;
  /** Versions that went for what they quote. */
  readonly quotes: number;
}

/** Which artifacts are wanted; with a name and `bytes`, one version (default: the newest) with its content. */
export interface ArtifactQuery {
  readonly scope: ArtifactScope;
  readonly name?: string;
  readonly version?: number;
  readonly bytes?: boolean;
  /** With `bytes`: also what they quote. */
  readonly sources?: boolean;
}

/** A version of an artifact as a store keeps it, with what was asked for. */
export interface StoredArtifact extends ArtifactInfo {
  readonly bytes?: Uint8Array;
  readonly sources?: readonly string[];
}

/**
 * Keeps sessions and knows none of their rules: eight primitives over heads, events, state and artifact bytes. Each is
 * atomic; what a resolved promise acknowledged survives the death of the process.
 */
export interface SessionStore {
  readonly name: string;
  head(key: SessionKey): Promise<SessionHead | undefined>;
  commit(commit: Commit | ArtifactCommit): Promise<CommitOutcome>;
  /** Events in order of seq, at a cost of what is returned. */
  rows(query: RowQuery): Promise<readonly Event[]>;
  /** Current values, at a cost of what is returned, in any order of the keys. */
  states(scope: StateScope, query?: StateQuery): Promise<readonly StateValue[]>;
  list(query: ListQuery): Promise<readonly ListedHead[]>;
  remove(removal: Removal): Promise<Removed | 'moved'>;
  artifacts(query: ArtifactQuery): Promise<readonly StoredArtifact[]>;
  /** Resolves if the store can serve; throws what is wrong with it. */
  health(): Promise<void>;
  close(): Promise<void>;
}
