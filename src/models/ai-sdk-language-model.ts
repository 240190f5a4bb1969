/** A JSON value as the AI SDK writes it. */
export type AiSdkJson = null | string | number | boolean | AiSdkJsonObject | AiSdkJson[];

/** A JSON object as the AI SDK writes it. */
export type AiSdkJsonObject = { [key: string]: AiSdkJson | undefined };

/** What providers add to a part or are told with it, each under its own name. */
export type AiSdkProviderOptions = { [provider: string]: AiSdkJsonObject };

interface WithOptions {
  providerOptions?: AiSdkProviderOptions;
}

interface WithMetadata {
  providerMetadata?: AiSdkProviderOptions;
}

/** Text of a message. */
export interface AiSdkTextPart extends WithOptions {
  type: 'text';
  text: string;
}

/** What the model thought. */
export interface AiSdkReasoningPart extends WithOptions {
  type: 'reasoning';
  text: string;
}

/** Media of a message; data is bytes, base64 text, or where they stand. */
export interface AiSdkFilePart extends WithOptions {
  type: 'file';
  filename?: string;
  data: Uint8Array | string | URL;
  mediaType: string;
}

/** A call that the model made. */
export interface AiSdkToolCallPart extends WithOptions {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

/** What a tool gave back. */
export interface AiSdkToolResultPart extends WithOptions {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: AiSdkToolOutput;
}

/** The person's word on a call that needs leave. Belongs to the AI SDK's own exchange and is not read here. */
export interface AiSdkToolApprovalPart extends WithOptions {
  type: 'tool-approval-response';
  approvalId: string;
  approved: boolean;
  reason?: string;
}

/** One piece of a result that is made of several. */
export type AiSdkOutputItem = WithOptions &
  (
    | { type: 'text'; text: string }
    | { type: 'file-data'; data: string; mediaType: string; filename?: string }
    | { type: 'file-url'; url: string; mediaType?: string }
    | { type: 'file-id' | 'image-file-id'; fileId: string | Record<string, string> }
    | { type: 'image-data'; data: string; mediaType: string }
    | { type: 'image-url'; url: string }
    | { type: 'custom' }
  );

/** What a tool gave back, in the forms that providers tell apart. */
export type AiSdkToolOutput =
  | (WithOptions & { type: 'text' | 'error-text'; value: string })
  | (WithOptions & { type: 'json' | 'error-json'; value: AiSdkJson })
  | (WithOptions & { type: 'execution-denied'; reason?: string })
  | { type: 'content'; value: AiSdkOutputItem[] };

/** One message of a prompt. */
export type AiSdkMessage = WithOptions &
  (
    | { role: 'system'; content: string }
    | { role: 'user'; content: (AiSdkTextPart | AiSdkFilePart)[] }
    | {
        role: 'assistant';
        content: (AiSdkTextPart | AiSdkFilePart | AiSdkReasoningPart | AiSdkToolCallPart | AiSdkToolResultPart)[];
      }
    | { role: 'tool'; content: (AiSdkToolResultPart | AiSdkToolApprovalPart)[] }
  );

/** The conversation as an AI SDK model takes it. */
export type AiSdkPrompt = AiSdkMessage[];

/** A tool that a model may call; `provider` tools are run by the provider. */
export type AiSdkTool =
  | (WithOptions & { type: 'function'; name: string; description?: string; inputSchema: object })
  | { type: 'provider'; id: `${string}.${string}`; name: string; args: Record<string, unknown> };

/** One call of an AI SDK model. */
export interface AiSdkCallOptions {
  prompt: AiSdkPrompt;
  maxOutputTokens?: number;
  temperature?: number;
  stopSequences?: string[];
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseFormat?: { type: 'text' } | { type: 'json'; schema?: object; name?: string; description?: string };
  seed?: number;
  tools?: AiSdkTool[];
  toolChoice?: { type: 'auto' | 'none' | 'required' } | { type: 'tool'; toolName: string };
  includeRawChunks?: boolean;
  abortSignal?: AbortSignal;
  headers?: Record<string, string | undefined>;
  providerOptions?: AiSdkProviderOptions;
}

/** Tokens as the AI SDK counts them: totals include cached and reasoning tokens. */
export interface AiSdkUsage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
  raw?: AiSdkJsonObject;
}

/** Why an answer ended. `raw` is the provider's word; `other` without one says that the provider never told. */
export interface AiSdkFinishReason {
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
  raw: string | undefined;
}

/** A call as a model writes it: `input` is JSON text. */
export interface AiSdkToolCall extends WithMetadata {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: string;
  providerExecuted?: boolean;
}

/** Media that the model made. */
export interface AiSdkFile extends WithMetadata {
  type: 'file';
  mediaType: string;
  data: string | Uint8Array;
}

/** What is not read: sources, what the provider's own tools gave, questions for leave. */
interface AiSdkUnreadContent {
  type: 'source' | 'tool-result' | 'tool-approval-request';
}

/** One piece of a whole answer. */
export type AiSdkContent =
  | (WithMetadata & { type: 'text' | 'reasoning'; text: string })
  | AiSdkToolCall
  | AiSdkFile
  | AiSdkUnreadContent;

/** An answer that comes in one go. */
export interface AiSdkGenerateResult {
  content: AiSdkContent[];
  finishReason: AiSdkFinishReason;
  usage: AiSdkUsage;
  response?: { modelId?: string };
}

/** One piece of an answer that comes bit by bit. */
export type AiSdkStreamPart =
  | (WithMetadata & { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string })
  | (WithMetadata & { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string })
  | AiSdkToolCall
  | AiSdkFile
  | { type: 'response-metadata'; modelId?: string }
  | (WithMetadata & { type: 'finish'; usage: AiSdkUsage; finishReason: AiSdkFinishReason })
  | { type: 'error'; error: unknown }
  | AiSdkUnreadContent
  | { type: 'stream-start' | 'raw' | 'tool-input-start' | 'tool-input-delta' | 'tool-input-end' };

/**
 * A language model of the AI SDK (specification v3), as far as it is used here. Written out so that the types of this
 * library need no package of theirs; a model of any provider package fits.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v3';
  /** Who serves it, such as `google.generative-ai`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCallOptions): PromiseLike<AiSdkGenerateResult>;
  doStream(options: AiSdkCallOptions): PromiseLike<{ stream: ReadableStream<AiSdkStreamPart> }>;
}

/**
 * A language model of the AI SDK's specification v4, as provider packages for ai 7 make them. What it is given and gives
 * is translated, so its types are not written out.
 */
export interface AiSdkLanguageModelV4 {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}
