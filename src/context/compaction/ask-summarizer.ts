import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';
import {
  type LanguageModel,
  type ModelCall,
  type ModelReply,
  modelFailure,
  ReplyCollector,
  withRetries,
} from '../../models/index.ts';

/** No summary is that long; whatever sends more is not read to its end. */
const mostUnits = 1_000_000;

/** How long an answer is waited for, and who may end the wait before. */
export interface SummarizerPatience {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/**
 * A summariser's answer to one call, or why there is none: MODEL_FAILED, also for one that hangs, or ABORTED. Nothing
 * that the model throws is thrown.
 */
export async function askSummarizer(
  model: LanguageModel,
  call: ModelCall,
  { waitMs, signal = new AbortController().signal }: SummarizerPatience,
): Promise<ModelReply | PalimpsestError> {
  const reply = new ReplyCollector();
  let units = 0;
  try {
    // A model that stops by itself has failed: only this signal says that somebody wanted it.
    const patient = withRetries(model, { retries: 0, deadlineMs: waitMs, idleMs: waitMs });
    for await (const piece of patient.call({ ...call, streaming: false, signal })) {
      if (units > mostUnits && piece.type !== 'finish') return failed(model, 'its summary has no end');
      units += piece.type === 'text' ? piece.text.length + 1 : 1;
      reply.add(piece);
    }
    return reply;
  } catch (error) {
    const failure = modelFailure(error, model.name, undefined, signal);
    const isKnown = isPalimpsestError(failure, 'MODEL_FAILED') || isPalimpsestError(failure, 'ABORTED');
    return isKnown ? failure : failed(model, failure.message, failure);
  }
}

function failed(model: LanguageModel, reason: string, cause?: PalimpsestError): PalimpsestError {
  const details = { model: model.name, reason: reason.replace(/\.$/, ''), attempts: 1 };
  return new PalimpsestError('MODEL_FAILED', details, cause === undefined ? {} : { cause });
}
