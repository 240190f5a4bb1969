import { z } from 'zod';
import type { PartInput } from '../../../events/index.ts';
import { foreignTime } from './foreign-time.ts';
import { type ImportPlace, joinPath, parseForeign } from './import-error.ts';
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
import { toolArguments, toolResponse } from './tool-values.ts';

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  thinking: z.string().nullish(),
  id: z.string().nullish(),
  tool_use_id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
  content: z.unknown().optional(),
});

const messageSchema = z.looseObject({
  uuid: z.string(),
  sender: z.enum(['human', 'assistant']),
  text: z.string().nullish(),
  content: z.array(blockSchema).nullish(),
  created_at: z.unknown().optional(),
  parent_message_uuid: z.string().nullish(),
  attachments: z
    .array(z.looseObject({ file_name: z.string().nullish(), extracted_content: z.string().nullish() }))
    .nullish(),
  files: z.array(z.looseObject({ file_name: z.string().nullish() })).nullish(),
});

const conversationSchema = z.looseObject({
  uuid: z.string(),
  name: z.string().nullish(),
  current_leaf_message_uuid: z.string().nullish(),
  chat_messages: z.array(messageSchema),
});

type Message = z.infer<typeof messageSchema>;
type ContentBlock = z.infer<typeof blockSchema>;
type Conversation = z.infer<typeof conversationSchema>;

/** Reads the conversations.json of a Claude export; where it tells which leaf was shown last, only the path to it. */
export function readClaude(source: ImportSource, options: ReaderOptions): ReturnType<ImportReader> {
  return readEach(source, (record) => [() => readConversation(record, placeOf(source, record), options)]);
}

function readConversation(record: ForeignRecord, place: ImportPlace, options: ReaderOptions): ForeignSession {
  const conversation = parseForeign(conversationSchema, record.value, place);
  const indexOf = new Map(conversation.chat_messages.map((message, index) => [message, index]));
  const fieldOf = (message: Message) => joinPath(record.field, ['chat_messages', indexOf.get(message) ?? 0]);
  return {
    userId: options.userId ?? defaultUserId,
    sessionId: conversation.uuid,
    name: conversation.name || conversation.uuid,
    place,
    metadata: present({ title: conversation.name }),
    events: messagesShown(conversation).flatMap((message) => toEvents(message, { ...place, field: fieldOf(message) })),
  };
}

function messagesShown(conversation: Conversation): readonly Message[] {
  const leaf = conversation.current_leaf_message_uuid;
  if (!leaf) return conversation.chat_messages;
  const byId = new Map(conversation.chat_messages.map((message) => [message.uuid, message]));
  const path = parentPath(
    leaf,
    (id) => byId.get(id),
    (message) => message.parent_message_uuid ?? undefined,
  );
  return path.length > 0 ? path : conversation.chat_messages;
}

/** One message holds calls and their results; in a log the results are events of their own between the answers. */
function toEvents(message: Message, place: ImportPlace): ForeignEvent[] {
  const author = message.sender === 'human' ? 'user' : assistantName;
  const timestamp = foreignTime(message.created_at);
  return splitAtResults(partsOf(message)).map((parts, index) => {
    const input = {
      id: index === 0 ? message.uuid : `${message.uuid}/${index + 1}`,
      author,
      content: { parts },
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(index === 0 && attachmentNames(message).length > 0
        ? { customMetadata: { attachments: attachmentNames(message) } }
        : {}),
    };
    return { input, place };
  });
}

function splitAtResults(parts: readonly PartInput[]): PartInput[][] {
  const groups: PartInput[][] = [];
  let lastIsResult: boolean | undefined;
  for (const part of parts) {
    const isResult = part.functionResponse !== undefined;
    if (isResult === lastIsResult) groups.at(-1)?.push(part);
    else groups.push([part]);
    lastIsResult = isResult;
  }
  return groups;
}

function partsOf(message: Message): PartInput[] {
  const attached = (message.attachments ?? []).flatMap(({ file_name, extracted_content }) =>
    file_name || extracted_content
      ? [{ text: `[file: ${file_name || 'unnamed'}]\n${extracted_content ?? ''}`.trim() }]
      : [],
  );
  const files = (message.files ?? []).flatMap(({ file_name }) => (file_name ? [{ text: `[file: ${file_name}]` }] : []));
  const said = callsPaired(message.content ?? []).flatMap(partOf);
  const plain = said.length === 0 && message.text ? [{ text: message.text }] : said;
  return [...attached, ...files, ...plain];
}

function partOf(block: ContentBlock): PartInput[] {
  switch (block.type) {
    case 'text':
      return block.text ? [{ text: block.text }] : [];
    case 'thinking':
      return block.thinking ? [{ text: block.thinking, thought: true }] : [];
    case 'tool_use':
      return [{ functionCall: { ...idOf(block.id), name: block.name ?? 'tool', args: toolArguments(block.input) } }];
    case 'tool_result':
      return [
        { functionResponse: { ...idOf(block.tool_use_id), name: block.name ?? 'tool', response: resultOf(block) } },
      ];
    default:
      return [];
  }
}

/** Exports leave the ids of calls out: a result without one answers the oldest unanswered call of its name. */
function callsPaired(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const waiting: { id: string; name: string }[] = [];
  return blocks.map((block, index) => {
    if (block.type === 'tool_use') {
      const id = block.id ?? `call-${index + 1}`;
      waiting.push({ id, name: block.name ?? 'tool' });
      return { ...block, id };
    }
    if (block.type !== 'tool_result') return block;
    const found = waiting.findIndex(
      (call) => call.id === block.tool_use_id || (!block.tool_use_id && call.name === (block.name ?? call.name)),
    );
    const call = found === -1 ? undefined : waiting.splice(found, 1)[0];
    return call === undefined ? block : { ...block, tool_use_id: call.id, name: block.name ?? call.name };
  });
}

function resultOf(block: ContentBlock): Record<string, unknown> {
  if (!Array.isArray(block.content)) return toolResponse(block.content ?? '');
  const texts = block.content.flatMap((item: unknown) => {
    const parsed = blockSchema.safeParse(item);
    return parsed.success && parsed.data.text ? [parsed.data.text] : [];
  });
  return texts.length > 0 ? { result: texts.join('\n') } : { result: block.content };
}

function idOf(id: string | null | undefined): { id?: string } {
  return id ? { id } : {};
}

function attachmentNames(message: Message): string[] {
  return [...(message.attachments ?? []), ...(message.files ?? [])].flatMap(({ file_name }) => file_name || []);
}
