import type { Content, Part } from '../events/index.ts';
import type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkPrompt,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from './ai-sdk-language-model.ts';
import { callPart } from './call-part.ts';
import { filePart } from './file-part.ts';
import { addNotes, lastingOptions, readNotes } from './provider-notes.ts';
import { responseOf } from './tool-output.ts';

/** A caller's prompt in the words of the log. */
export interface CallerPrompt {
  /** Texts of the system messages, in order. */
  readonly instruction: readonly string[];
  /** The rest of the conversation; what tools gave stands on the user's side. */
  readonly contents: readonly Content[];
}

/**
 * Reads the prompt that an AI SDK model is given. Provider options are kept in `extensions.aiSdk`, in the form in which
 * answers are read, so that a message that comes back equals the answer it was; those that place cache marks hold for
 * one request and are left out, as are calls that the provider ran by itself and words on leave to call. Throws NOT_JSON
 * for a tool's result that JSON cannot hold.
 */
export function fromPrompt(prompt: AiSdkPrompt): CallerPrompt {
  const instruction: string[] = [];
  const contents: Content[] = [];
  prompt.forEach((message, index) => {
    if (message.role === 'system') instruction.push(message.content);
    else contents.push(...contentOf(message, `prompt[${index}]`));
  });
  return { instruction, contents };
}

type Spoken = Exclude<AiSdkMessage, { role: 'system' }>;

function contentOf(message: Spoken, path: string): readonly Content[] {
  const isAssistant = message.role === 'assistant';
  const parts = message.content.flatMap((part, index): readonly Part[] => {
    if (part.type === 'tool-approval-response') return [];
    if (part.type === 'tool-result') return isAssistant ? [] : [resultPart(part, `${path}.content[${index}].output`)];
    return partOf(part);
  });
  const last = parts.pop();
  if (last === undefined) return [];
  const messageOptions = lastingOptions(message.providerOptions);
  parts.push(messageOptions === undefined ? last : addNotes(last, { messageOptions }));
  return [{ role: isAssistant ? 'model' : 'user', parts }];
}

function partOf(part: AiSdkTextPart | AiSdkFilePart | AiSdkReasoningPart | AiSdkToolCallPart): readonly Part[] {
  const { providerOptions: metadata } = part;
  switch (part.type) {
    case 'text':
      return [{ text: part.text, ...readNotes(metadata) }];
    case 'reasoning':
      return [{ text: part.text, thought: true, ...readNotes(metadata) }];
    case 'file':
      return [{ ...(filePart(part) ?? unreadable(part)), ...readNotes(metadata) }];
    case 'tool-call':
      return part.providerExecuted === true ? [] : [callPart({ ...part, metadata })];
  }
}

function resultPart(part: AiSdkToolResultPart, path: string): Part {
  const { response, form } = responseOf(part.output, path);
  const functionResponse = { id: part.toolCallId, name: part.toolName, response };
  const read = { functionResponse, ...readNotes(part.providerOptions) };
  return form === undefined ? read : addNotes(read, { output: form });
}

/** A file whose data is none, so that at least its place in the conversation is kept. */
function unreadable({ filename, mediaType }: AiSdkFilePart): Part {
  return { text: `[file ${filename ?? mediaType}, which cannot be read]` };
}
