import type { PalimpsestError } from '../errors/index.ts';
import { type Content, type EventInput, functionCalls, type Part } from '../events/index.ts';
import type { ModelReply } from '../models/index.ts';

/** The fields of an event that a turn decides about. */
export interface TurnEvent
  extends Pick<EventInput, 'usage' | 'finishReason' | 'interrupted' | 'errorCode' | 'errorMessage' | 'customMetadata'> {
  readonly content?: Content;
}

/**
 * What is stored of a model's answer: the whole of it, with EMPTY_RESPONSE if it says nothing; or, given the failure that
 * ended it early, what had come until then. Calls in a cut answer are not made, so only their names are kept, in
 * `customMetadata.callsNotMade`. Pure.
 */
export function turnEvent(reply: Partial<ModelReply>, failure?: PalimpsestError): TurnEvent {
  const { usage, finishReason, modelVersion, content } = reply;
  const names = failure === undefined ? [] : functionCalls(content).map(({ name }) => name);
  const metadata = {
    ...(modelVersion === undefined ? {} : { modelVersion }),
    ...(names.length === 0 ? {} : { callsNotMade: names }),
  };
  return {
    ...(usage && { usage }),
    ...(finishReason && { finishReason }),
    ...(failure === undefined ? whole(content, finishReason) : cut(content, failure)),
    ...(Object.keys(metadata).length === 0 ? {} : { customMetadata: metadata }),
  };
}

function whole(content: Content | undefined, finishReason: string | undefined): TurnEvent {
  const said = content === undefined ? {} : { content };
  if (content?.parts.some(saysSomething)) return said;
  const errorMessage = `The model answered with nothing${finishReason ? ` (${finishReason})` : ''}.`;
  return { ...said, errorCode: 'EMPTY_RESPONSE', errorMessage };
}

function cut(content: Content | undefined, failure: PalimpsestError): TurnEvent {
  const parts = (content?.parts ?? []).filter((part) => part.functionCall === undefined);
  return {
    ...(parts.length === 0 ? {} : { content: { role: 'model', parts } }),
    interrupted: true,
    errorCode: failure.code,
    errorMessage: failure.message,
  };
}

function saysSomething(part: Part): boolean {
  return part.text === undefined || (part.text.trim() !== '' && part.thought !== true);
}
