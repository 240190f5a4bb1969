import { PalimpsestError } from '../errors/index.ts';
import { type Content, type EventInput, functionCalls, modelText, type Part, type Usage } from '../events/index.ts';
import { type LanguageModel, type ModelCall, modelFailure, ReplyCollector, type Span } from '../models/index.ts';
import type { PartialEvent } from './agent-options.ts';
import { untilAborted } from './until-aborted.ts';

/** What one call of the model gave: what to store of it, and the failure that ended it early. */
export interface ModelTurn {
  readonly event: TurnEvent;
  readonly failure?: PalimpsestError;
}

/** The fields of an event that a turn decides about. */
export interface TurnEvent
  extends Pick<EventInput, 'usage' | 'finishReason' | 'interrupted' | 'errorCode' | 'errorMessage' | 'customMetadata'> {
  readonly content?: Content;
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
      collector.add(piece);
      if (piece.type === 'text' && piece.text !== '') yield partialEvent(identity, piece);
    }
    if (!collector.isWhole) failure = cutOff(model.name);
    isRead = true;
  } catch (error) {
    failure = modelFailure(error, model.name);
    isRead = true;
  } finally {
    if (!isRead) failure = new PalimpsestError('ABORTED', { what: 'The run' });
    timed.set(replyAttributes(collector));
    timed.end(failure);
    keep(turnOf(collector, failure));
  }
}

/** What another than the model said in its place, to be stored like its own words. */
export function contentInstead(content: Content | string): Content {
  return typeof content === 'string' ? modelText(content) : content;
}

function turnOf(collector: ReplyCollector, failure: PalimpsestError | undefined): ModelTurn {
  const { usage, finishReason, modelVersion } = collector;
  const metadata = modelVersion === undefined ? {} : { customMetadata: { modelVersion } };
  const facts = { ...(usage && { usage }), ...(finishReason && { finishReason }), ...metadata };
  if (failure !== undefined) return { event: { ...facts, ...interrupted(collector.content, failure) }, failure };
  const { content } = collector;
  if (content?.parts.some(saysSomething)) return { event: { ...facts, content } };
  const errorMessage = `The model answered with nothing${finishReason ? ` (${finishReason})` : ''}.`;
  return { event: { ...facts, ...(content && { content }), errorCode: 'EMPTY_RESPONSE', errorMessage } };
}

/** What had come of a cut answer. Calls in it are not made, so only their names are kept. */
function interrupted(content: Content | undefined, failure: PalimpsestError): TurnEvent {
  const parts = (content?.parts ?? []).filter((part) => part.functionCall === undefined);
  const names = functionCalls(content).map(({ name }) => name);
  return {
    ...(parts.length === 0 ? {} : { content: { role: 'model', parts } }),
    interrupted: true,
    errorCode: failure.code,
    errorMessage: failure.message,
    ...(names.length === 0 ? {} : { customMetadata: { callsNotMade: names } }),
  };
}

function saysSomething(part: Part): boolean {
  return part.text === undefined || (part.text.trim() !== '' && part.thought !== true);
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

function cutOff(model: string): PalimpsestError {
  return new PalimpsestError('MODEL_FAILED', { model, reason: 'the stream ended before the answer did', attempts: 1 });
}
