import type { Content, JsonMap, ToolDeclaration } from '../events/index.ts';
import type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkProviderOptions,
  AiSdkToolCallPart,
  AiSdkToolOutput,
  AiSdkToolResultPart,
} from './ai-sdk-language-model.ts';
import { toPrompt } from './to-prompt.ts';

/** A part as Gemini reads it. */
export type GeminiPart = { readonly [field: string]: unknown };

/** A content as Gemini reads it. */
export interface GeminiContent {
  readonly role: 'user' | 'model';
  readonly parts: readonly GeminiPart[];
}

/**
 * Writes contents as `@ai-sdk/google` sends them, calls and responses under the same ids: what the cache holds and what
 * follows it are read as one conversation.
 */
export function geminiContents(contents: readonly Content[]): readonly GeminiContent[] {
  return toPrompt({ instruction: [], tools: [], contents, transient: [] }, 'gemini').flatMap((message) => {
    const parts = partsOf(message);
    return parts.length === 0 ? [] : { role: message.role === 'assistant' ? 'model' : 'user', parts };
  });
}

/** Writes tools as Gemini takes them. */
export function geminiTools(tools: readonly ToolDeclaration[]): readonly JsonMap[] {
  if (tools.length === 0) return [];
  const declarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    ...(parameters === undefined ? {} : { parametersJsonSchema: parameters }),
  }));
  return [{ functionDeclarations: declarations }];
}

type SpokenPart = Exclude<AiSdkMessage['content'], string>[number];

function partsOf({ role, content }: AiSdkMessage): readonly GeminiPart[] {
  if (role === 'system') return [];
  const spoken: readonly SpokenPart[] = content;
  return spoken.map(partOf).filter((part) => part !== undefined);
}

function partOf(part: SpokenPart): GeminiPart | undefined {
  switch (part.type) {
    case 'text':
      return { text: part.text, ...signatureOf(part.providerOptions) };
    case 'reasoning':
      return part.text === '' ? undefined : { text: part.text, thought: true, ...signatureOf(part.providerOptions) };
    case 'file':
      return { ...fileOf(part), ...signatureOf(part.providerOptions) };
    case 'tool-call':
      return { functionCall: callOf(part), ...signatureOf(part.providerOptions) };
    case 'tool-result':
      return { functionResponse: responseOf(part) };
    default:
      return undefined;
  }
}

function signatureOf(options: AiSdkProviderOptions = {}): GeminiPart {
  const thoughtSignature = options.google?.thoughtSignature ?? options.vertex?.thoughtSignature;
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

function fileOf({ data, mediaType }: AiSdkFilePart): GeminiPart {
  if (data instanceof URL) return { fileData: { mimeType: mediaType, fileUri: data.href } };
  return {
    inlineData: { mimeType: mediaType, data: typeof data === 'string' ? data : Buffer.from(data).toString('base64') },
  };
}

function callOf({ toolCallId, toolName, input }: AiSdkToolCallPart): GeminiPart {
  return { id: toolCallId, name: toolName, args: input };
}

function responseOf({ toolCallId, toolName, output }: AiSdkToolResultPart): GeminiPart {
  return { id: toolCallId, name: toolName, response: { name: toolName, content: outputValue(output) } };
}

function outputValue(output: AiSdkToolOutput): unknown {
  return 'value' in output ? output.value : output.reason;
}
