import { PalimpsestError } from '../errors/index.ts';
import type { Usage } from '../events/index.ts';
import { type LanguageModel, type ModelCall, modelFailure, ReplyCollector, type Span } from '../models/index.ts';
import type { PartialEvent } from './agent-options.ts';
import { pieceProblem } from './piece-problem.ts';
import { type TurnEvent, turnEvent } from './turn-event.ts';
import { untilAborted } from './until-aborted.ts';

/** What one call of the model gave: what to store of it, and the failure that ended it early. */
export interface ModelTurn {
  readonly event: TurnEvent;
  readonly failure?: PalimpsestError;
}

/** What the pieces of a turn are told as. */
export interface TurnIdentity {
  readonly id: string;
  readonly invocationId: string;
  readonly author: string;
}

/**
 * Calls a model and yields its answer piece by piece. `keep` is given what is to be stored, whatever happens: the answer,
 * what had come when it was cut, or when the reader went away.
 */
export async function* callModel(
  model: LanguageModel,
  call: ModelCall,
  {
    identity,
    span,
    keep,
  }: { readonly identity: TurnIdentity; readonly span: Span; readonly keep: (turn: ModelTurn) => void },
): AsyncGenerator<PartialEvent, void, undefined> {
  const collector = new ReplyCollector();
  const timed = span.child(`chat ${model.name}`, requestAttributes(model));
  let failure: PalimpsestError | undefined;
  let isRead = false;
  try {
    for await (const piece of untilAborted(
      timed.run(() => model.call(call)),
      call.signal,
    )) {
      const problem = pieceProblem(piece);
      if (problem !== undefined) throw failed(model.name, problem);
      collector.add(piece);
      if (piece.type === 'text' && piece.text !== '') yield partialEvent(identity, piece);
    }
    if (!collector.isWhole) failure = failed(model.name, 'the stream ended before the answer did');
    else if (collector.finishReason === 'error') failure = failed(model.name, 'it ended its answer with an error');
    isRead = true;
  } catch (error) {
    failure = modelFailure(error, model.name, undefined, call.signal);
    isRead = true;
  } finally {
    if (!isRead) failure = new PalimpsestError('ABORTED', { what: 'The run' });
    timed.set(replyAttributes(collector));
    timed.end(failure);
    keep({ event: turnEvent(collector, failure), ...(failure && { failure }) });
  }
}

function partialEvent(
  { id, invocationId, author }: TurnIdentity,
  { text, thought }: { readonly text: string; readonly thought?: true },
): PartialEvent {
  const parts = [thought === true ? { text, thought } : { text }];
  return { partial: true, id, invocationId, author, content: { role: 'model', parts } };
}

function requestAttributes({ name, vendor, provider }: LanguageModel) {
  const known = { gemini: 'gcp.gemini', anthropic: 'anthropic', openai: vendor.split('.')[0] || 'openai' };
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': known[provider],
    'gen_ai.request.model': name,
  };
}

function replyAttributes({
  usage,
  finishReason,
  modelVersion,
}: {
  readonly usage?: Usage | undefined;
  readonly finishReason?: string | undefined;
  readonly modelVersion?: string | undefined;
}) {
  return {
    'gen_ai.response.model': modelVersion,
    'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
  };
}

function failed(model: string, reason: string): PalimpsestError<'MODEL_FAILED'> {
  return new PalimpsestError('MODEL_FAILED', { model, reason, attempts: 1 });
}
