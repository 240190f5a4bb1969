import type { Block, ToolDeclaration } from '../../events/index.ts';
import type { Assembly } from './assembly.ts';

/** What a request is made of. Blocks that are not stable are placed as transient ones, wherever they are given. */
export interface RequestParts {
  /** Blocks of the kind `instruction`, and profiles, which are placed first among the blocks before the conversation. */
  readonly instruction: readonly Block[];
  readonly tools: readonly ToolDeclaration[];
  readonly examples?: readonly Block[];
  readonly documents?: readonly Block[];
  readonly assembly: Assembly;
  /** Recalled memory, state, the date: for this invocation only. */
  readonly transient: readonly Block[];
}
