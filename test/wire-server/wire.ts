import type { ScriptedUsage, Turn } from './reply-script.ts';

/** The three ways to speak. */
export type WireName = 'openai' | 'gemini' | 'anthropic';

/** A JSON object that nobody has checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a request asks for. */
export interface Route {
  readonly kind: 'generate' | 'embed' | 'models';
  readonly model: string;
  readonly isStreaming: boolean;
}

/** A turn with everything that an answer has besides. */
export interface Answer {
  readonly turn: Turn;
  readonly model: string;
  /** The number of the answer, for ids. */
  readonly number: number;
  readonly usage: ScriptedUsage & { readonly inputTokens: number; readonly outputTokens: number };
  readonly body: JsonObject;
}

/** A streamed answer, in lines as they go over the wire; a list for each step of the turn. */
export interface Stream {
  readonly opening: readonly string[];
  readonly steps: readonly (readonly string[])[];
  readonly closing: readonly string[];
}

/** How one service speaks. */
export interface Wire {
  readonly name: WireName;
  /** undefined if the request is not for this service. */
  route(method: string, path: string, body: JsonObject): Route | undefined;
  /** The key that the request shows. */
  keyOf(headers: Readonly<Record<string, unknown>>): string | undefined;
  /** Why the service would refuse to generate; undefined if it would not. */
  refuses(body: JsonObject, headers: Readonly<Record<string, unknown>>): string | undefined;
  error(status: number, message: string): JsonObject;
  /** The same error inside a stream. */
  streamedError(message: string): string;
  whole(answer: Answer): JsonObject;
  stream(answer: Answer): Stream;
  /** The texts of an embedding request. */
  textsOf(body: JsonObject): readonly string[];
  embeddings(vectors: readonly (readonly number[])[], body: JsonObject): JsonObject;
}

/** The objects of a value that should be a list of them. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** True for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that should be text, or the empty text. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A `data:` line of a stream of events, with the event's name where the service gives one. */
export function eventLine(data: unknown, event?: string): string {
  const line = `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  return event === undefined ? line : `event: ${event}\n${line}`;
}
