import { PalimpsestError } from '../errors/index.ts';
import type { AiSdkLanguageModel, AiSdkStreamPart } from './ai-sdk-language-model.ts';
import type { CachingModel } from './cache-options.ts';
import { callOptions } from './call-options.ts';
import type { ModelCall, ModelPiece } from './language-model.ts';
import { abortedCall, modelFailure } from './model-failure.ts';
import { PieceReader, piecesOfResult } from './read-pieces.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Whom to call, under which name, by whose rules. */
export interface CallTarget extends CachingModel {
  readonly model: AiSdkLanguageModel;
  readonly name: string;
}

/**
 * Calls an AI SDK model. Ends with MODEL_FAILED or ABORTED, after whatever had come. What a stream brings after its
 * finish is no part of the answer, not even an error.
 */
export async function* callAiSdk(target: CallTarget, call: ModelCall): AsyncGenerator<ModelPiece, void, undefined> {
  if (call.signal?.aborted) throw abortedCall();
  try {
    yield* call.streaming === false ? generate(target, call) : stream(target, call);
  } catch (error) {
    throw call.signal?.aborted ? abortedCall() : modelFailure(error, target.name);
  }
}

async function* generate(target: CallTarget, call: ModelCall) {
  const generating = target.model.doGenerate(callOptions(call, target));
  yield* piecesOfResult(await unlessAborted(generating, call.signal), target.name);
}

async function* stream(target: CallTarget, call: ModelCall): AsyncGenerator<ModelPiece, void, undefined> {
  const source = await open(target, call);
  const reader = new PieceReader(target.name);
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await unlessAborted(source.read(), call.signal);
      if (done) break;
      if (isWhole) continue;
      for (const piece of reader.read(value)) {
        isWhole ||= piece.type === 'finish';
        yield piece;
      }
    }
  } catch (error) {
    if (isWhole) return;
    yield* reader.rest();
    throw error;
  } finally {
    // Frees the connection where the stream was left early; how it takes that is nobody's concern any more.
    source.cancel().catch(() => undefined);
  }
  if (isWhole) return;
  yield* reader.rest();
  throw new PalimpsestError('MODEL_FAILED', {
    model: target.name,
    reason: 'its answer was cut: the stream ended before the model had finished',
    attempts: 1,
  });
}

async function open(target: CallTarget, call: ModelCall) {
  const opening = target.model.doStream(callOptions(call, target));
  const opened = await unlessAborted(opening, call.signal).catch((error: unknown) => {
    if (call.signal?.aborted) opening.then(cancelLate, () => undefined);
    throw error;
  });
  return opened.stream.getReader();
}

/** A stream that opens after the call was stopped. */
function cancelLate({ stream: late }: { readonly stream: ReadableStream<AiSdkStreamPart> }): void {
  late.cancel().catch(() => undefined);
}
