/**
 * What the library asks of the outside: language models, embedders, loggers, traces, schemas. Any AI SDK model becomes
 * one of its own by languageModel() or embedder(); withRetries() puts patience around one.
 */
export type { AiSdkEmbeddingModel } from './ai-sdk-embedding-model.ts';
export type {
  AiSdkCallOptions,
  AiSdkContent,
  AiSdkGenerateResult,
  AiSdkLanguageModel,
  AiSdkLanguageModelV4,
  AiSdkMessage,
  AiSdkPrompt,
  AiSdkStreamPart,
  AiSdkUsage,
} from './ai-sdk-language-model.ts';
export { isContextTooLong } from './context-too-long.ts';
export { embedder } from './embed-with-ai-sdk.ts';
export type { Embedder } from './embedder.ts';
export { type CallerPrompt, fromPrompt } from './from-prompt.ts';
export { type GeminiPromptCacheOptions, geminiPromptCacheClient } from './gemini-prompt-cache-client.ts';
export type {
  CacheDirections,
  CacheMark,
  LanguageModel,
  ModelCall,
  ModelPiece,
  ModelSettings,
} from './language-model.ts';
export { asLanguageModel, languageModel, type ModelAdapterOptions, providerOf } from './language-model-of.ts';
export { type Logger, silentLogger } from './logger.ts';
export { modelFailure } from './model-failure.ts';
export type { CachedObject, CachedPrefix, PromptCacheClient } from './prompt-cache-client.ts';
export { PieceReader, piecesOfResult } from './read-pieces.ts';
export { type ModelReply, ReplyCollector } from './reply-collector.ts';
export type { RetryOptions } from './retry-options.ts';
export type {
  SchemaInput,
  SchemaIssue,
  SchemaOutput,
  SchemaResult,
  StandardSchema,
} from './standard-schema.ts';
export { inChild, type Span, type SpanAttributes, silentTelemetry, type Telemetry } from './telemetry.ts';
export { toPrompt } from './to-prompt.ts';
export { withRetries } from './with-retries.ts';
