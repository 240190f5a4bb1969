import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject, type Part } from '../events/index.ts';
import type { AiSdkGenerateResult, AiSdkStreamPart } from './ai-sdk-language-model.ts';
import { callPart } from './call-part.ts';
import { filePart } from './file-part.ts';
import type { ModelPiece } from './language-model.ts';
import { modelFailure } from './model-failure.ts';
import { type BlockName, OpenBlocks } from './open-blocks.ts';
import { readNotes } from './provider-notes.ts';
import { usageOf } from './usage-of.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the stream of an AI SDK model part by part. Calls that the provider runs by itself, what they gave, and sources
 * are left out: they are neither ours to answer nor taken back by every provider. A provider package that loses its
 * connection ends the stream as if it were whole, with a reason that is `other` and no word of the provider; no finish
 * is read from that, so that the answer counts as cut.
 */
export class PieceReader {
  readonly #model: string;
  readonly #blocks = new OpenBlocks();
  #modelVersion: string | undefined;

  /** The model's name stands in the failures. */
  constructor(model = 'model') {
    this.#model = model;
  }

  /** The pieces that a part adds. Throws MODEL_FAILED for an error in the stream and for what is no part. */
  read(part: AiSdkStreamPart): readonly ModelPiece[] {
    const fields = this.#fieldsOf(part);
    switch (fields.type) {
      case 'text-start':
      case 'reasoning-start':
        return this.#blocks.start(this.#nameOf(fields), fields.providerMetadata);
      case 'text-delta':
      case 'reasoning-delta':
        return this.#blocks.add(this.#nameOf(fields), this.#textAt(fields, 'delta'), fields.providerMetadata);
      case 'text-end':
      case 'reasoning-end':
        return this.#blocks.end(this.#nameOf(fields), fields.providerMetadata);
      case 'tool-call':
      case 'file':
      case 'reasoning-file':
        return this.#readPart(fields);
      case 'response-metadata':
        if (typeof fields.modelId === 'string') this.#modelVersion = fields.modelId;
        return [];
      case 'finish':
        return [...this.rest(), ...(isCut(fields.finishReason) ? [] : [finishPiece(fields, this.#modelVersion)])];
      case 'error':
        throw modelFailure(fields.error, this.#model);
      default:
        return [];
    }
  }

  /** What has come and was still being held back. To be asked when the stream breaks off. */
  rest(): readonly ModelPiece[] {
    return this.#blocks.interrupt();
  }

  #readPart(fields: Fields): readonly ModelPiece[] {
    const part = partOf(fields, this.#model);
    return part === undefined ? [] : [...this.#blocks.interrupt(), { type: 'part', part }];
  }

  #fieldsOf(part: unknown): Fields {
    if (isPlainObject(part) && typeof part.type === 'string') return part;
    throw garbled(this.#model, 'something that is no part of an answer');
  }

  #nameOf(fields: Fields): BlockName {
    return { id: this.#textAt(fields, 'id'), isThought: String(fields.type).startsWith('reasoning') };
  }

  #textAt(fields: Fields, name: string): string {
    const value = fields[name];
    if (typeof value === 'string') return value;
    throw garbled(this.#model, `a ${fields.type} whose ${name} is no text`);
  }
}

/** The pieces of an answer that came in one go. Throws MODEL_FAILED for what is no answer. */
export function piecesOfResult(result: AiSdkGenerateResult, model = 'model'): readonly ModelPiece[] {
  const whole: unknown = result;
  if (!isPlainObject(whole) || !Array.isArray(whole.content)) throw garbled(model, 'no list of contents');
  const pieces = whole.content.flatMap((item: unknown) => piecesOf(item, model));
  const version = isPlainObject(whole.response) ? whole.response.modelId : undefined;
  return [...pieces, finishPiece(whole, typeof version === 'string' ? version : undefined)];
}

const wholeParts = new Set<unknown>(['tool-call', 'file', 'reasoning-file']);

function piecesOf(item: unknown, model: string): readonly ModelPiece[] {
  if (!isPlainObject(item)) throw garbled(model, 'something that is no part of an answer');
  if (item.type !== 'text' && item.type !== 'reasoning') {
    const part = wholeParts.has(item.type) ? partOf(item, model) : undefined;
    return part === undefined ? [] : [{ type: 'part', part }];
  }
  const { text } = item;
  if (typeof text !== 'string') throw garbled(model, `a ${item.type} whose text is no text`);
  const notes = readNotes(item.providerMetadata);
  if (text === '' && Object.keys(notes).length === 0) return [];
  return [
    { type: 'text', text, ...(item.type === 'reasoning' ? { thought: true } : {}) },
    { type: 'end', ...notes },
  ];
}

/** A whole part; `undefined` for a call that the provider runs by itself. */
function partOf(fields: Fields, model: string): Part | undefined {
  const { providerMetadata: metadata } = fields;
  const { toolCallId, toolName, input, data, mediaType } = fields;
  if (fields.type !== 'tool-call') {
    const file = filePart({ data, mediaType });
    if (file === undefined) throw garbled(model, 'a file without data');
    return { ...file, ...(fields.type === 'reasoning-file' ? { thought: true } : {}), ...readNotes(metadata) };
  }
  if (fields.providerExecuted === true) return undefined;
  if (typeof toolName !== 'string' || toolName === '') throw garbled(model, 'a call that names no tool');
  return callPart({ toolCallId, toolName, input, metadata });
}

function finishPiece(fields: Fields, modelVersion: string | undefined): ModelPiece {
  const finishReason = isPlainObject(fields.finishReason) ? fields.finishReason.unified : undefined;
  const usage = usageOf(fields.usage);
  return {
    type: 'finish',
    ...(typeof finishReason === 'string' ? { finishReason } : {}),
    ...(usage === undefined ? {} : { usage }),
    ...(modelVersion === undefined ? {} : { modelVersion }),
  };
}

function isCut(finishReason: unknown): boolean {
  if (!isPlainObject(finishReason)) return false;
  return finishReason.unified === 'other' && (finishReason.raw === undefined || finishReason.raw === null);
}

function garbled(model: string, what: string): PalimpsestError {
  return new PalimpsestError('MODEL_FAILED', { model, reason: `its answer held ${what}`, attempts: 1 });
}
