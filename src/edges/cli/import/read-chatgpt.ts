import { z } from 'zod';
import type { PartInput } from '../../../events/index.ts';
import { foreignTime } from './foreign-time.ts';
import { type ImportPlace, importError, joinPath, parseForeign } from './import-error.ts';
import { type ForeignRecord, type ImportSource, placeOf } from './import-source.ts';
import { parentPath } from './parent-path.ts';
import {
  assistantName,
  defaultUserId,
  type ForeignEvent,
  type ForeignSession,
  type ImportReader,
  present,
  type ReaderOptions,
  readEach,
} from './read-session.ts';
import { toolArguments } from './tool-values.ts';

const partSchema = z.union([
  z.string(),
  z.looseObject({
    content_type: z.string().optional(),
    text: z.string().nullish(),
    asset_pointer: z.string().nullish(),
  }),
]);

const contentSchema = z.looseObject({
  content_type: z.string(),
  parts: z.array(partSchema.nullable()).nullish(),
  text: z.string().nullish(),
  result: z.string().nullish(),
  content: z.string().nullish(),
  language: z.string().nullish(),
  thoughts: z.array(z.looseObject({ content: z.string().nullish(), summary: z.string().nullish() })).nullish(),
});

const messageSchema = z.looseObject({
  id: z.string(),
  author: z.looseObject({ role: z.enum(['user', 'assistant', 'tool', 'system']), name: z.string().nullish() }),
  content: contentSchema.nullish(),
  create_time: z.unknown().optional(),
  recipient: z.string().nullish(),
  metadata: z.looseObject({ model_slug: z.string().nullish() }).nullish(),
});

const nodeSchema = z.looseObject({ parent: z.string().nullish(), message: messageSchema.nullish() });

const conversationSchema = z.looseObject({
  conversation_id: z.string().nullish(),
  id: z.string().nullish(),
  title: z.string().nullish(),
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), z.unknown()),
});

type Message = z.infer<typeof messageSchema>;
type MessageContent = z.infer<typeof contentSchema>;

/** A call that the assistant made, for the tool messages that answer it. */
interface OpenCall {
  readonly id: string;
  readonly name: string;
}

/**
 * Reads the conversations.json of a ChatGPT export: of each conversation the path that was shown last, without answers
 * that were regenerated away. Pictures and sound are named, their bytes are not part of that file.
 */
export function readChatgpt(source: ImportSource, options: ReaderOptions): ReturnType<ImportReader> {
  return readEach(source, (record) => [() => readConversation(record, placeOf(source, record), options)]);
}

function readConversation(record: ForeignRecord, place: ImportPlace, options: ReaderOptions): ForeignSession {
  const conversation = parseForeign(conversationSchema, record.value, place);
  const id = conversation.conversation_id ?? conversation.id;
  if (!id) throw importError({ ...place, field: joinPath(record.field, ['conversation_id']) }, 'is missing');
  const parseNode = (key: string) => {
    if (!Object.hasOwn(conversation.mapping, key)) return undefined;
    const nodePlace = { ...place, field: joinPath(record.field, ['mapping', key]) };
    return { ...parseForeign(nodeSchema, conversation.mapping[key], nodePlace), place: nodePlace };
  };
  const leaf = conversation.current_node ?? Object.keys(conversation.mapping).at(-1) ?? '';
  const path = parentPath(leaf, parseNode, (node) => node.parent ?? undefined);
  return {
    userId: options.userId ?? defaultUserId,
    sessionId: id,
    name: conversation.title || id,
    place,
    metadata: present({ title: conversation.title }),
    events: toEvents(path.flatMap(({ message, place: at }) => (message ? { message, place: at } : []))),
  };
}

function toEvents(messages: readonly { readonly message: Message; readonly place: ImportPlace }[]): ForeignEvent[] {
  const events: ForeignEvent[] = [];
  let open: OpenCall | undefined;
  for (const { message, place } of messages) {
    const parts = toParts(message, open);
    if (parts.length === 0) continue;
    const call = parts.find((part) => part.functionCall)?.functionCall;
    if (call !== undefined) open = { id: message.id, name: call.name };
    else if (message.author.role !== 'tool') open = undefined;
    const timestamp = foreignTime(message.create_time);
    const input = {
      id: message.id,
      author: message.author.role === 'tool' ? assistantName : message.author.role,
      content: { parts },
      ...(timestamp === undefined ? {} : { timestamp }),
      customMetadata: present({
        model: message.metadata?.model_slug,
        assets: assetsOf(message.content),
      }),
    };
    events.push({ input, place });
  }
  return events;
}

function toParts(message: Message, open: OpenCall | undefined): PartInput[] {
  const { content, author, recipient } = message;
  if (!content) return [];
  const text = textOf(content);
  if (author.role === 'tool') {
    const name = author.name ?? open?.name ?? 'tool';
    return [{ functionResponse: { ...(open === undefined ? {} : { id: open.id }), name, response: { result: text } } }];
  }
  if (content.content_type === 'thoughts') return thoughtsOf(content);
  if (text.trim() === '') return [];
  // A message of the assistant to anyone but the reader is a call of that tool.
  if (author.role === 'assistant' && recipient && recipient !== 'all') {
    const args = content.content_type === 'code' ? toolArguments(text) : { text };
    return [{ functionCall: { id: message.id, name: recipient, args } }];
  }
  if (content.content_type === 'reasoning_recap') return [{ text, thought: true }];
  return [{ text }];
}

function textOf(content: MessageContent): string {
  if (content.parts)
    return content.parts
      .map(textOfPart)
      .filter((piece) => piece !== '')
      .join('\n');
  return content.text ?? content.result ?? content.content ?? '';
}

function textOfPart(part: z.infer<typeof partSchema> | null): string {
  if (part === null || typeof part === 'string') return part ?? '';
  if (part.text) return part.text;
  const kind = /^(image|audio|video)/.exec(part.content_type ?? '')?.[1];
  return kind === undefined ? '' : `[${kind}]`;
}

function thoughtsOf(content: MessageContent): PartInput[] {
  return (content.thoughts ?? []).flatMap((thought) => {
    const text = thought.content || thought.summary;
    return text ? [{ text, thought: true }] : [];
  });
}

function assetsOf(content: MessageContent | null | undefined): string[] | undefined {
  const assets = (content?.parts ?? []).flatMap((part) =>
    part === null || typeof part === 'string' ? [] : (part.asset_pointer ?? []),
  );
  return assets.length === 0 ? undefined : assets;
}
