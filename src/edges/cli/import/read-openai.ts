import { z } from 'zod';
import type { PartInput } from '../../../events/index.ts';
import { foreignTime } from './foreign-time.ts';
import { type ImportPlace, joinPath, parseForeign } from './import-error.ts';
import { type ImportSource, placeOf } from './import-source.ts';
import { nameOfFile, readLoose } from './read-loose.ts';
import {
  assistantName,
  beginningOf,
  defaultUserId,
  type ForeignEvent,
  type ImportReader,
  present,
  type ReaderOptions,
} from './read-session.ts';
import { toolArguments, toolResponse } from './tool-values.ts';

const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  refusal: z.string().nullish(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).nullish(),
});

const functionSchema = z.looseObject({ name: z.string(), arguments: z.unknown() });

const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  id: z.string().nullish(),
  name: z.string().nullish(),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ id: z.string(), function: functionSchema })).nullish(),
  function_call: functionSchema.nullish(),
  tool_call_id: z.string().nullish(),
  timestamp: z.unknown().optional(),
  created_at: z.unknown().optional(),
});

const conversationSchema = z.looseObject({
  id: z.string().nullish(),
  conversation_id: z.string().nullish(),
  session_id: z.string().nullish(),
  messages: z.array(messageSchema),
});

type Message = z.infer<typeof messageSchema>;
const dataUrl = /^data:([^;,]+);base64,(.+)$/s;

/**
 * Reads messages in the form of OpenAI's chat API. A line with `messages` is a session of its own, named by its id or
 * else by file, line and beginning; lines that are single messages make one session, named by the file and how it
 * begins, so that files of one name in several folders are several sessions.
 */
export function readOpenai(source: ImportSource, options: ReaderOptions): ReturnType<ImportReader> {
  const userId = options.userId ?? defaultUserId;
  const fileName = nameOfFile(source);
  let number = 0;
  return readLoose<PlacedMessage>(source, {
    mark: 'messages',
    conversation: (record) => {
      number += 1;
      const place = placeOf(source, record);
      const conversation = parseForeign(conversationSchema, record.value, place);
      const fieldOf = (index: number) => joinPath(record.field, ['messages', index]);
      const events = toEvents(
        conversation.messages.map((message, index) => ({ message, place: { ...place, field: fieldOf(index) } })),
      );
      const own = conversation.id || conversation.conversation_id || conversation.session_id || undefined;
      const sessionId = own ?? `${fileName}/${record.line ?? number}-${beginningOf(events)}`;
      return { userId, sessionId, name: sessionId, place, events };
    },
    message: (record) => {
      const place = placeOf(source, record);
      return { message: parseForeign(messageSchema, record.value, place), place };
    },
    together: (messages) => {
      const events = toEvents(messages);
      const sessionId = `${fileName}-${beginningOf(events)}`;
      return { userId, sessionId, place: { file: source.file, field: '' }, events };
    },
  });
}

interface PlacedMessage {
  readonly message: Message;
  readonly place: ImportPlace;
}

function toEvents(messages: readonly PlacedMessage[]): ForeignEvent[] {
  const callNames = new Map<string, string>();
  const events: ForeignEvent[] = [];
  for (const { message, place } of messages) {
    for (const call of message.tool_calls ?? []) callNames.set(call.id, call.function.name);
    const parts = toParts(message, callNames);
    if (parts.length === 0) continue;
    const timestamp = foreignTime(message.timestamp ?? message.created_at);
    const input = {
      ...(message.id ? { id: message.id } : {}),
      author: authorOf(message),
      content: { parts },
      ...(timestamp === undefined ? {} : { timestamp }),
      customMetadata: present({
        name: message.role === 'tool' || message.role === 'function' ? undefined : message.name,
      }),
    };
    events.push({ input, place });
  }
  return events;
}

function authorOf(message: Message): string {
  if (message.role === 'user') return 'user';
  return message.role === 'system' || message.role === 'developer' ? 'system' : assistantName;
}

function toParts(message: Message, callNames: ReadonlyMap<string, string>): PartInput[] {
  if (message.role === 'tool' || message.role === 'function') {
    const id = message.tool_call_id ?? undefined;
    const name = message.name ?? (id === undefined ? undefined : callNames.get(id)) ?? 'tool';
    const response = toolResponse(typeof message.content === 'string' ? message.content : textOf(message));
    return [{ functionResponse: { ...(id === undefined ? {} : { id }), name, response } }];
  }
  const content = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const parts = (content ?? []).flatMap(partOf);
  if (message.refusal) parts.push({ text: message.refusal });
  for (const call of message.tool_calls ?? []) {
    parts.push({
      functionCall: { id: call.id, name: call.function.name, args: toolArguments(call.function.arguments) },
    });
  }
  const legacy = message.function_call;
  if (legacy) parts.push({ functionCall: { name: legacy.name, args: toolArguments(legacy.arguments) } });
  return parts;
}

function textOf(message: Message): string {
  const parts = Array.isArray(message.content) ? message.content : [];
  return parts.flatMap((part) => part.text ?? []).join('\n');
}

function partOf(part: z.infer<typeof partSchema>): PartInput[] {
  const text = part.text || part.refusal;
  if (text) return [{ text }];
  const url = typeof part.image_url === 'string' ? part.image_url : part.image_url?.url;
  if (!url) return part.type === 'text' ? [] : [{ text: `[${part.type}]` }];
  const [, mimeType, data] = dataUrl.exec(url) ?? [];
  return mimeType && data ? [{ inlineData: { mimeType, data } }] : [{ fileData: { fileUri: url } }];
}
