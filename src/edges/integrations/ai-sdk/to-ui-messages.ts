import type { UIMessage } from 'ai';
import {
  type Event,
  type FunctionCall,
  type FunctionResponse,
  isBookkeeping,
  isPlainObject,
  type JsonMap,
  type JsonValue,
  type Part,
} from '../../../index.ts';

/** Where a message stands in the log; for the agent's side of an invocation, where that begins. */
export interface EventMetadata {
  readonly seq: number;
  readonly invocationId: string;
  /** When it was said. */
  readonly at: string;
}

/** A message of useChat that came from a log. */
export type LogMessage = UIMessage<EventMetadata>;

type ShownPart = LogMessage['parts'][number];

/** A call as it is shown before anything has answered it. */
interface ShownCall {
  readonly type: `tool-${string}`;
  readonly toolCallId: string;
  readonly input: unknown;
}

/**
 * The messages that useChat shows for a session's effective events: one for each event of the user's, one for the
 * agent's side of each invocation, a step for each answer of the model, each call with what its tool returned. Message
 * ids are ids of events, so they stay. Sent back through palimpsestMiddleware, they bring the log nothing new. Pure.
 *
 * @example
 * const messages = toUiMessages((await session.readEffective()).items);
 */
export function toUiMessages(events: readonly Event[]): LogMessage[] {
  const shown = new ShownLog();
  for (const event of events) if (!isBookkeeping(event)) shown.add(event);
  return shown.messages;
}

class ShownLog {
  readonly messages: LogMessage[] = [];
  /** Where calls stand, by id; an id that is used again stands for its newest call. */
  readonly #calls = new Map<string, { readonly parts: ShownPart[]; readonly at: number; readonly call: ShownCall }>();

  add(event: Event): void {
    const parts = event.content?.parts ?? [];
    for (const { functionResponse } of parts) if (functionResponse !== undefined) this.#answer(functionResponse);
    if (event.origin === 'user') this.#addUser(event, parts.flatMap(userPart));
    if (event.origin === 'agent') this.#addAgent(event, parts);
  }

  #addUser(event: Event, parts: ShownPart[]): void {
    if (parts.length > 0) this.messages.push({ id: event.id, role: 'user', metadata: placeOf(event), parts });
  }

  #addAgent(event: Event, parts: readonly Part[]): void {
    const shown: ShownPart[] = [{ type: 'step-start' }];
    const calls: { readonly index: number; readonly call: ShownCall }[] = [];
    for (const [index, part] of parts.entries()) {
      const call = part.functionCall && shownCall(part.functionCall, `${event.id}/${index}`);
      if (call !== undefined) calls.push({ index: shown.length, call });
      shown.push(...(call === undefined ? agentPart(part) : [{ ...call, state: 'input-available' as const }]));
    }
    if (shown.length === 1) return;
    const message = this.#agentMessage(event);
    const start = message.parts.length;
    message.parts.push(...shown);
    for (const { index, call } of calls)
      this.#calls.set(call.toolCallId, { parts: message.parts, at: start + index, call });
  }

  /** The message of the agent's side that is being written, or a new one. */
  #agentMessage(event: Event): LogMessage {
    const last = this.messages.at(-1);
    if (last?.role === 'assistant' && last.metadata?.invocationId === event.invocationId) return last;
    const message: LogMessage = { id: event.id, role: 'assistant', metadata: placeOf(event), parts: [] };
    this.messages.push(message);
    return message;
  }

  /** A response stands with its call, also one that came after other words. */
  #answer({ id, response = null }: FunctionResponse): void {
    const asked = id === undefined ? undefined : this.#calls.get(id);
    if (asked !== undefined) asked.parts[asked.at] = { ...asked.call, ...outcomeOf(response) };
  }
}

function placeOf({ seq, invocationId, timestamp }: Event): EventMetadata {
  return { seq, invocationId, at: timestamp };
}

function shownCall({ id, name, args }: FunctionCall, otherwise: string): ShownCall {
  return { type: `tool-${name}`, toolCallId: id ?? otherwise, input: args ?? {} };
}

function outcomeOf(response: JsonValue) {
  const failure = failureOf(response);
  return failure === undefined
    ? { state: 'output-available' as const, output: response }
    : { state: 'output-error' as const, errorText: typeof failure === 'string' ? failure : JSON.stringify(failure) };
}

/** Why a call failed, or was not allowed: what the model was told in the place of a result. */
function failureOf(response: JsonValue): JsonValue | undefined {
  if (!isPlainObject(response) || Object.keys(response).length !== 1) return undefined;
  return (response as JsonMap).error ?? (response as JsonMap).denied;
}

function agentPart(part: Part): ShownPart[] {
  const { text, thought, executableCode: code, codeExecutionResult: result } = part;
  if (code !== undefined)
    return [{ type: 'text', text: `\`\`\`${(code.language ?? '').toLowerCase()}\n${code.code}\n\`\`\`` }];
  if (result !== undefined) return [{ type: 'text', text: `[${result.outcome}]\n${result.output ?? ''}`.trimEnd() }];
  return text && thought === true ? [{ type: 'reasoning', text }] : userPart(part);
}

function userPart({ text, thought, inlineData, fileData }: Part): ShownPart[] {
  if (inlineData !== undefined) {
    const { mimeType, data, displayName } = inlineData;
    return [filePart({ mimeType, url: `data:${mimeType};base64,${data}`, displayName })];
  }
  if (fileData !== undefined) {
    const { mimeType = 'application/octet-stream', fileUri, displayName } = fileData;
    return [filePart({ mimeType, url: fileUri, displayName })];
  }
  return text && thought !== true ? [{ type: 'text', text }] : [];
}

function filePart(file: {
  readonly mimeType: string;
  readonly url: string;
  readonly displayName?: string | undefined;
}) {
  const { mimeType: mediaType, url, displayName: filename } = file;
  return { type: 'file' as const, mediaType, url, ...(filename === undefined ? {} : { filename }) };
}
