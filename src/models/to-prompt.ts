import type { Content, FileData, ModelRequest, Part, Provider, Role } from '../events/index.ts';
import type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkPrompt,
  AiSdkProviderOptions,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolApprovalPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from './ai-sdk-language-model.ts';
import { CallIds } from './call-ids.ts';
import { mergedOptions } from './merged-options.ts';
import { isForeignThought, notesOf, optionsFor, readable } from './provider-notes.ts';
import { outputOf } from './tool-output.ts';

/** How a prompt differs from its request for the sake of a provider's cache. */
export interface PromptCaching {
  /** What goes with the last text of the instruction. */
  readonly instruction?: AiSdkProviderOptions | undefined;
  /** What goes with a part. */
  readonly part?: (content: number, part: number) => AiSdkProviderOptions | undefined;
  /** The provider holds the instruction and so many contents: they are left out. */
  readonly heldContents?: number | undefined;
}

/**
 * Writes a request as the prompt of an AI SDK model: each instruction text a system message, then the contents, split
 * where tools speak. Pure, and written from the front: what follows a message never changes it, so that equal prefixes of
 * requests are equal prefixes of prompts. Signatures and other metadata go to the provider that made them only, and
 * thoughts that another one signed are left out.
 */
export function toPrompt(request: ModelRequest, provider: Provider, caching: PromptCaching = {}): AiSdkPrompt {
  const ids = new CallIds();
  const { heldContents } = caching;
  // What is left out is gone through as well: responses behind it are told by the ids of calls in it.
  const said = request.contents.map((content, index) => {
    const messages = messagesOf(content, provider, ids, (part) => caching.part?.(index, part));
    return index < (heldContents ?? 0) ? [] : messages;
  });
  return [...(heldContents === undefined ? instructionOf(request, caching) : []), ...said.flat()];
}

function instructionOf({ instruction }: ModelRequest, caching: PromptCaching): readonly AiSdkMessage[] {
  return instruction.map((content, index) => {
    const options = index + 1 === instruction.length ? caching.instruction : undefined;
    return { role: 'system', content, ...(options === undefined ? {} : { providerOptions: options }) };
  });
}

type Said = AiSdkTextPart | AiSdkFilePart;

type Spoken =
  | { readonly role: 'user'; readonly part: Said }
  | { readonly role: 'assistant'; readonly part: Said | AiSdkReasoningPart | AiSdkToolCallPart }
  | { readonly role: 'tool'; readonly part: AiSdkToolResultPart };

function messagesOf(
  content: Content,
  provider: Provider,
  ids: CallIds,
  cachingOf: (part: number) => AiSdkProviderOptions | undefined,
): readonly AiSdkMessage[] {
  const messages: AiSdkMessage[] = [];
  for (const [index, part] of content.parts.entries()) {
    const spoken = isForeignThought(part, provider) ? undefined : speak(part, content.role, ids);
    if (spoken === undefined) continue;
    const options = mergedOptions(optionsFor(part, provider), cachingOf(index));
    if (options !== undefined) spoken.part.providerOptions = options;
    const message = addTo(messages, spoken);
    const messageOptions = readable(notesOf(part).messageOptions, provider);
    if (messageOptions !== undefined) message.providerOptions = messageOptions;
  }
  return messages;
}

/** Adds to the last message if it has the role, else as a new one. */
function addTo(messages: AiSdkMessage[], { role, part }: Spoken): AiSdkMessage {
  const last = messages.at(-1);
  if (last?.role === role) {
    const content: (Spoken['part'] | AiSdkToolApprovalPart)[] = last.content;
    content.push(part);
    return last;
  }
  const message = { role, content: [part] } as AiSdkMessage;
  messages.push(message);
  return message;
}

/** A part in the role it has to be said in; `undefined` for one that says nothing. */
function speak(part: Part, side: Role, ids: CallIds): Spoken | undefined {
  const { functionCall: call, functionResponse: response } = part;
  if (call !== undefined) {
    const toolCallId = ids.ofCall(call);
    return {
      role: 'assistant',
      part: { type: 'tool-call', toolCallId, toolName: call.name, input: call.args ?? {} },
    };
  }
  if (response !== undefined) {
    const output = outputOf(response.response, notesOf(part).output);
    const toolCallId = ids.ofResponse(response);
    return { role: 'tool', part: { type: 'tool-result', toolCallId, toolName: response.name, output } };
  }
  if (part.text !== undefined && part.thought === true && side === 'model')
    return { role: 'assistant', part: { type: 'reasoning', text: part.text } };
  const said = textOrFile(part, side);
  return said && { role: side === 'model' ? 'assistant' : 'user', part: said };
}

function textOrFile(part: Part, side: Role): Said | undefined {
  const { inlineData, fileData, executableCode: code, codeExecutionResult: result } = part;
  if (inlineData !== undefined) {
    const { mimeType: mediaType, data, displayName } = inlineData;
    return { type: 'file', mediaType, data, ...nameOf(displayName) };
  }
  if (fileData !== undefined) return fileOrName(fileData, side);
  if (code !== undefined) return said(`\`\`\`${(code.language ?? '').toLowerCase()}\n${code.code}\n\`\`\``);
  if (result !== undefined) return said(`[${result.outcome}]\n${result.output ?? ''}`.trimEnd());
  return part.text === undefined || part.text === '' ? undefined : said(part.text);
}

/** A file that the provider can fetch. One that it cannot, or that it would refuse from the model, is named. */
function fileOrName({ fileUri, mimeType, displayName }: FileData, side: Role): Said {
  if (side === 'user' && fetchable.test(fileUri) && URL.canParse(fileUri)) {
    const mediaType = mimeType ?? 'application/octet-stream';
    return { type: 'file', mediaType, data: new URL(fileUri), ...nameOf(displayName) };
  }
  return said(`[file ${[displayName, fileUri, mimeType].filter((word) => word !== undefined).join(', ')}]`);
}

const fetchable = /^(https?|gs):\/\//;

function said(text: string): AiSdkTextPart {
  return { type: 'text', text };
}

function nameOf(filename: string | undefined): { readonly filename?: string } {
  return filename === undefined ? {} : { filename };
}
