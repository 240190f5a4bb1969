import { isPlainObject } from '../events/index.ts';
import type { ModelPiece } from './language-model.ts';
import { readNotes } from './provider-notes.ts';

type Metadata = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A stretch of text or thought that has begun. */
interface Block {
  readonly id: string;
  readonly isThought: boolean;
  /** What has come and not been passed on. */
  waiting: string;
  metadata: Metadata;
  isEnded: boolean;
  /** Something of it has been passed on since it began or was cut in two. */
  isUnderWay: boolean;
}

/** A stretch of text or thought by its id. */
export interface BlockName {
  readonly id: string;
  readonly isThought: boolean;
}

/**
 * Brings stretches that come interleaved into one order, that of their beginnings: the oldest open one is passed on as
 * it comes, the others wait for its end. The first half of a character waits for the second one.
 */
export class OpenBlocks {
  #blocks: Block[] = [];

  start(name: BlockName, metadata: unknown): readonly ModelPiece[] {
    const pieces = this.end(name, undefined);
    this.#blocks.push({ ...begun(name), metadata: merge({}, metadata) });
    return pieces;
  }

  add(name: BlockName, text: string, metadata: unknown): readonly ModelPiece[] {
    let block = this.#find(name);
    if (block === undefined) {
      block = begun(name);
      this.#blocks.push(block);
    }
    block.waiting += text;
    block.metadata = merge(block.metadata, metadata);
    return this.#flow();
  }

  end(name: BlockName, metadata: unknown): readonly ModelPiece[] {
    const block = this.#find(name);
    if (block === undefined) return [];
    block.isEnded = true;
    block.metadata = merge(block.metadata, metadata);
    return this.#flow();
  }

  /** All that has come so far, before a part of another kind; what follows under the same ids begins new parts. */
  interrupt(): readonly ModelPiece[] {
    const pieces = this.#blocks.flatMap(closing);
    this.#blocks = this.#blocks.filter(({ isEnded }) => !isEnded);
    return pieces;
  }

  #find({ id, isThought }: BlockName): Block | undefined {
    return this.#blocks.find((block) => block.id === id && block.isThought === isThought && !block.isEnded);
  }

  #flow(): readonly ModelPiece[] {
    const pieces: ModelPiece[] = [];
    for (let oldest = this.#blocks[0]; oldest !== undefined; oldest = this.#blocks[0]) {
      if (!oldest.isEnded) return [...pieces, ...passOn(oldest)];
      pieces.push(...closing(oldest));
      this.#blocks.shift();
    }
    return pieces;
  }
}

function begun(name: BlockName): Block {
  return { ...name, waiting: '', metadata: {}, isEnded: false, isUnderWay: false };
}

/** The whole characters of what waits. */
function passOn(block: Block): readonly ModelPiece[] {
  const isHalf = /[\uD800-\uDBFF]$/.test(block.waiting);
  const text = isHalf ? block.waiting.slice(0, -1) : block.waiting;
  block.waiting = block.waiting.slice(text.length);
  return text === '' ? [] : [textPiece(block, text)];
}

/** What waits, and the end of the part with what is attached to it. An empty part is one only if something is. */
function closing(block: Block): readonly ModelPiece[] {
  const notes = readNotes(block.metadata);
  const hasNotes = Object.keys(notes).length > 0;
  const pieces: ModelPiece[] = [];
  if (block.waiting !== '' || (hasNotes && !block.isUnderWay)) pieces.push(textPiece(block, block.waiting));
  if (block.isUnderWay) pieces.push({ type: 'end', ...notes });
  block.waiting = '';
  block.metadata = {};
  block.isUnderWay = false;
  return pieces;
}

function textPiece(block: Block, text: string): ModelPiece {
  block.isUnderWay = true;
  return { type: 'text', text, ...(block.isThought ? { thought: true } : {}) };
}

function merge(before: Metadata, more: unknown): Metadata {
  if (!isPlainObject(more)) return before;
  const merged: Record<string, Readonly<Record<string, unknown>>> = { ...before };
  for (const [provider, fields] of Object.entries(more)) {
    if (isPlainObject(fields)) merged[provider] = { ...merged[provider], ...fields };
  }
  return merged;
}
