import type { Content, JsonMap, Part, Usage } from '../events/index.ts';
import type { ModelPiece } from './language-model.ts';

/** What a model has said, whole or as far as it came. */
export interface ModelReply {
  /** `undefined` if nothing was said. */
  readonly content: Content | undefined;
  readonly finishReason: string | undefined;
  readonly usage: Usage | undefined;
  /** The model that answered, as the provider names it. */
  readonly modelVersion: string | undefined;
  /** `false` while the answer is still coming, and for one that was cut. */
  readonly isWhole: boolean;
}

interface OpenText {
  text: string;
  readonly isThought: boolean;
}

/** Puts the pieces of an answer together. */
export class ReplyCollector implements ModelReply {
  readonly #parts: Part[] = [];
  #open: OpenText | undefined;
  #finish: Extract<ModelPiece, { type: 'finish' }> | undefined;

  add(piece: ModelPiece): void {
    if (piece.type === 'text') this.#addText(piece.text, piece.thought === true);
    else if (piece.type === 'end') this.#close(piece.thoughtSignature, piece.extensions);
    else if (piece.type === 'finish') this.#finish = piece;
    else {
      this.#close();
      this.#parts.push(piece.part);
    }
  }

  get content(): Content | undefined {
    const open = partOf(this.#open);
    const parts = open === undefined ? this.#parts : [...this.#parts, open];
    return parts.length === 0 ? undefined : { role: 'model', parts: [...parts] };
  }

  get finishReason(): string | undefined {
    return this.#finish?.finishReason;
  }

  get usage(): Usage | undefined {
    return this.#finish?.usage;
  }

  get modelVersion(): string | undefined {
    return this.#finish?.modelVersion;
  }

  get isWhole(): boolean {
    return this.#finish !== undefined;
  }

  #addText(text: string, isThought: boolean): void {
    if (this.#open !== undefined && this.#open.isThought !== isThought) this.#close();
    this.#open ??= { text: '', isThought };
    this.#open.text += text;
  }

  #close(thoughtSignature?: string, extensions?: JsonMap): void {
    // A signature with no text before it is a part of its own.
    const open = this.#open ?? { text: '', isThought: false };
    this.#open = undefined;
    const part = partOf(open, {
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
      ...(extensions === undefined ? {} : { extensions }),
    });
    if (part !== undefined) this.#parts.push(part);
  }
}

/** A stretch of text as a part; `undefined` if there is nothing in it and nothing attached. */
function partOf(open: OpenText | undefined, attached: Part = {}): Part | undefined {
  if (open === undefined || (open.text === '' && Object.keys(attached).length === 0)) return undefined;
  return { text: open.text, ...(open.isThought ? { thought: true } : {}), ...attached };
}
