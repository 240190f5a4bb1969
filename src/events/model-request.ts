import type { Content } from './content.ts';
import type { JsonMap, JsonValue } from './json.ts';
import type { ProvenanceRef } from './provenance.ts';
import type { View } from './view.ts';

/** A part of a request; the stable blocks of one request are a prefix of the next one's. */
export interface Block {
  readonly kind: 'instruction' | 'example' | 'profile' | 'document' | 'memory' | 'state';
  readonly stable: boolean;
  readonly content: Content;
  readonly source?: readonly ProvenanceRef[];
}

/** What a tool is called, does and takes; `parameters` is JSON Schema. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters?: JsonMap;
}

/** What is sent to a model: the same shape for every provider, already in that provider's roles and order. */
export interface ModelRequest {
  /** Text of the system instruction, one entry a block. */
  readonly instruction: readonly string[];
  readonly tools: readonly ToolDeclaration[];
  readonly contents: readonly Content[];
  /** Indexes into contents of what was placed for this invocation only. */
  readonly transient: readonly number[];
  /** The same for parts that share a content with the question, where the provider wants roles to alternate: from, before to. */
  readonly transientParts?: { readonly content: number; readonly from: number; readonly to: number };
}

/** A declared reason why a request does not start with the bytes of the one before. */
export type BreakReason =
  | 'instruction'
  | 'tools'
  | 'model'
  | 'profile'
  | 'compaction'
  | 'rewind'
  | 'trim'
  | 'window'
  | 'erasure'
  | 'lateResponse'
  | 'branchJoined';

/** What a model event keeps of the request that made it; block texts stand elsewhere by hash. */
export interface RequestJournal {
  /** The newest event that the request could see. */
  readonly throughSeq: number;
  readonly view: View;
  readonly model: string;
  readonly configHash: string;
  readonly blocks: readonly {
    readonly hash: string;
    readonly kind: string;
    readonly stable: boolean;
    readonly afterSeq?: number;
    readonly source?: readonly ProvenanceRef[];
  }[];
  readonly requestHash: string;
  /** Version of the assembly rules. */
  readonly rules: number;
  readonly prefixFingerprint: string;
  readonly breaks: readonly BreakReason[];
  readonly extensions?: { readonly [key: string]: JsonValue };
}
