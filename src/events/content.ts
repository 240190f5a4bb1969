import type { JsonMap, JsonValue } from './json.ts';

/** Who speaks in a content: the user's side (also tool results) or the model's. */
export type Role = 'user' | 'model';

/** Bytes inside the log, as base64 text. */
export interface InlineData {
  readonly mimeType: string;
  readonly data: string;
  readonly displayName?: string;
}

/** A reference to bytes that stand elsewhere. `artifact:` URIs name artifacts of the session's own store. */
export interface FileData {
  readonly fileUri: string;
  readonly mimeType?: string;
  readonly displayName?: string;
}

/** The model asks for a tool. */
export interface FunctionCall {
  readonly id?: string;
  readonly name: string;
  readonly args?: JsonMap;
}

/** What a tool returned. */
export interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  readonly response?: JsonValue;
}

/** Code that the model wrote to be run by its provider. */
export interface ExecutableCode {
  readonly code: string;
  readonly language?: string;
  readonly id?: string;
}

/** What running such code gave. */
export interface CodeExecutionResult {
  readonly outcome: string;
  readonly output?: string;
  readonly id?: string;
}

/** One piece of a content. At most one payload is set; `thought` and `thoughtSignature` may accompany any. */
export interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  /** Opaque bytes of the provider, base64. */
  readonly thoughtSignature?: string;
  readonly inlineData?: InlineData;
  readonly fileData?: FileData;
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
  readonly executableCode?: ExecutableCode;
  readonly codeExecutionResult?: CodeExecutionResult;
  /** Fields of other systems that have no place here, kept for the way back. */
  readonly extensions?: JsonMap;
}

/** One message: a role and its parts, in the Gemini wire form. */
export interface Content {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** A content of the user's side with one text part. */
export function text(value: string): Content {
  return { role: 'user', parts: [{ text: value }] };
}

/** A content of the model's side with one text part. */
export function modelText(value: string): Content {
  return { role: 'model', parts: [{ text: value }] };
}

/**
 * All text of a content that is not thought. What the model's side says in neighbouring parts is one text, as providers
 * cut it where they like; anything else is parted by a line break.
 */
export function textOf(content: Content | undefined): string {
  if (content === undefined) return '';
  const { parts, role } = content;
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only !== undefined) return only.thought === true ? '' : (only.text ?? '');
  let told = '';
  let goesOn = false;
  for (const part of parts) {
    if (part.text === '') continue;
    const isSaid = part.text !== undefined && part.thought !== true;
    if (isSaid) told += told === '' || goesOn ? part.text : `\n${part.text}`;
    goesOn = isSaid && role === 'model';
  }
  return told;
}

/** True if the content is text and nothing else, and some of it is neither thought nor white space. */
export function isProse(content: Content | undefined): content is Content {
  const parts = content?.parts ?? [];
  return (
    parts.every((part) => part.text !== undefined) &&
    parts.some((part) => part.thought !== true && part.text?.trim() !== '')
  );
}

/** The function calls of a content, in order. */
export function functionCalls(content: Content | undefined): readonly FunctionCall[] {
  return content === undefined ? [] : content.parts.flatMap((part) => part.functionCall ?? []);
}

/** The function responses of a content, in order. */
export function functionResponses(content: Content | undefined): readonly FunctionResponse[] {
  return content === undefined ? [] : content.parts.flatMap((part) => part.functionResponse ?? []);
}

/** True if the content has text that is not thought, or media. */
export function hasTextOrMedia(content: Content | undefined): boolean {
  return (
    content?.parts.some(
      (part) =>
        (part.text !== undefined && part.text !== '' && part.thought !== true) || part.inlineData || part.fileData,
    ) ?? false
  );
}
