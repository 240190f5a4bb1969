import {
  type Content,
  type EventInput,
  functionCalls,
  type ModelReply,
  type PalimpsestError,
  type Part,
  type RequestJournal,
} from '../../../index.ts';

/** What a model's answer is stored with. */
export interface AnswerParts {
  readonly author: string;
  readonly request: RequestJournal;
  readonly reply: ModelReply;
  /** What ended the answer early. */
  readonly failure?: PalimpsestError;
}

/** The event that an answer is stored as: whole, or what of it had come when it failed. */
export function answerEvent({ author, request, reply, failure }: AnswerParts): EventInput {
  const { usage, finishReason, modelVersion, content } = reply;
  const names = failure === undefined ? [] : functionCalls(content).map(({ name }) => name);
  const metadata = {
    ...(modelVersion === undefined ? {} : { modelVersion }),
    ...(names.length === 0 ? {} : { callsNotMade: names }),
  };
  return {
    author,
    request,
    ...(usage && { usage }),
    ...(finishReason && { finishReason }),
    ...(failure === undefined ? whole(content, finishReason) : broken(content, failure)),
    ...(Object.keys(metadata).length === 0 ? {} : { customMetadata: metadata }),
  };
}

function whole(content: Content | undefined, finishReason: string | undefined): Partial<EventInput> {
  const said = content === undefined ? {} : { content };
  if (content?.parts.some(saysSomething)) return said;
  const errorMessage = `The model answered with nothing${finishReason ? ` (${finishReason})` : ''}.`;
  return { ...said, errorCode: 'EMPTY_RESPONSE', errorMessage };
}

/** Calls in a broken answer reach nobody who would make them, so only their names are kept. */
function broken(content: Content | undefined, failure: PalimpsestError): Partial<EventInput> {
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
