import type { Instant, JsonMap, JsonValue, Part, ProvenanceRef } from '../../events/index.ts';
import { freezeParsed } from '../../events/index.ts';

/** What an entry is: a turn of a conversation, or something derived or told. */
export type MemoryKind = 'turn' | 'fact' | 'summary' | 'procedure' | 'profile';

/** How far the source of an entry is believed, most first. */
export type SourceTrust = 'bootstrapped' | 'userStated' | 'userImplied' | 'agent' | 'tool';

/** All kinds. */
export const memoryKinds: readonly MemoryKind[] = ['turn', 'fact', 'summary', 'procedure', 'profile'];

/** All degrees of trust, most first. */
export const sourceTrusts: readonly SourceTrust[] = ['bootstrapped', 'userStated', 'userImplied', 'agent', 'tool'];

/** One statement about a scope, with where it came from. Deep-frozen. */
export interface MemoryEntry {
  /** Unique within a user of an app. */
  readonly id: string;
  readonly text: string;
  readonly data?: JsonValue;
  readonly media?: readonly Part[];
  readonly labels?: readonly string[];
  readonly kind: MemoryKind;
  readonly topic?: string;
  /** `user`, or an agent's name. */
  readonly author: string;
  /** When it was said or became so. */
  readonly timestamp: Instant;
  /** When it was stored; for an entry learnt from a log, when its event was. */
  readonly recordedAt: Instant;
  readonly timeZone?: string;
  /** The session it came from, or the only one that it is found from. */
  readonly sessionId?: string;
  /** The project that it is found from; none: everywhere. */
  readonly projectId?: string;
  readonly customMetadata?: JsonMap;
  /** Never empty. */
  readonly provenance: readonly ProvenanceRef[];
  readonly sourceTrust: SourceTrust;
  /** 0 to 1. */
  readonly confidence?: number;
  /** 0 to 1. */
  readonly importance?: number;
  /** From when on it is not found any more. */
  readonly expiresAt?: Instant;
  /** 1 when new; grows with every change. */
  readonly revision: number;
  /** In search results, 0 to 1: the share of the best score that the query allows. */
  readonly score?: number;
  /** In search results: what of the query is in the text, as the query has it. */
  readonly matchedTerms?: readonly string[];
  /** In search results: the score by what it is made of. */
  readonly scores?: { readonly [part: string]: number };
}

/** What a caller adds; whatever is left out gets its default. */
export interface NewMemory {
  /** Not blank, at most 65,536 UTF-16 code units. */
  readonly text: string;
  /** A UUID if left out. Adding an id again with equal content changes nothing. */
  readonly id?: string;
  /** Default `fact`. */
  readonly kind?: MemoryKind;
  /** Default `user`. */
  readonly author?: string;
  readonly topic?: string;
  readonly labels?: readonly string[];
  readonly data?: unknown;
  readonly customMetadata?: Readonly<Record<string, unknown>>;
  /** Default: now. */
  readonly timestamp?: Instant;
  readonly timeZone?: string;
  /** Default: a direct statement through the API. */
  readonly provenance?: readonly ProvenanceRef[];
  /** Default: `userStated` from the user, else `agent`. */
  readonly sourceTrust?: SourceTrust;
  readonly confidence?: number;
  readonly importance?: number;
  readonly expiresAt?: Instant;
}

/** The JSON text of an entry, for stores that keep text. */
export function encodeEntry(entry: MemoryEntry): string {
  return JSON.stringify(entry);
}

/** The frozen entry of a text that encodeEntry made. */
export function decodeEntry(body: string): MemoryEntry {
  const entry: MemoryEntry = JSON.parse(body);
  freezeParsed(entry.data);
  freezeParsed(entry.media);
  freezeParsed(entry.customMetadata);
  for (const ref of entry.provenance) Object.freeze(ref);
  Object.freeze(entry.provenance);
  Object.freeze(entry.labels);
  return Object.freeze(entry);
}
