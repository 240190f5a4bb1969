import type { Instant } from './instant.ts';
import type { SeqRange } from './ranges.ts';

/** What an erasure removed, and what it knowingly left. */
export interface EraseReceipt {
  readonly at: Instant;
  /** Sessions that are gone, or, with `seqs`, lost only these events (copies in a fork). */
  readonly sessions: readonly {
    readonly userId: string;
    readonly sessionId: string;
    readonly incarnation: string;
    readonly seqs?: readonly SeqRange[];
  }[];
  readonly events: number;
  readonly stateKeys: number;
  readonly artifacts: number;
  /** Texts of requests: those of the sessions and events that are gone, and those elsewhere that quote them. */
  readonly requestTexts: number;
  readonly memories: number;
  /** In words: what may still quote the erased and is not reached. */
  readonly left: readonly string[];
}
