import type { JsonMap, ModelRequest, Part, Provider, Usage } from '../events/index.ts';

/** How a model is to answer. Everything left out is the provider's default. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly toolName: string };
  /** By provider, as its AI SDK package documents them. */
  readonly providerOptions?: { readonly [provider: string]: JsonMap };
  /** Further HTTP headers. */
  readonly headers?: { readonly [name: string]: string };
}

/** A marked place of a request: what stands up to it, the marked itself included, is to be cached. */
export type CacheMark =
  /** On the last tool, or on the last text of the instruction. */
  | { readonly at: 'tools' | 'instruction'; readonly ttlSeconds: number }
  /** On a part of a content, both by index. */
  | { readonly at: 'content'; readonly content: number; readonly part: number; readonly ttlSeconds: number };

/**
 * What a provider is told about caching a request. The answer is the same without it, and a model that takes none of it
 * is sent the request alone.
 */
export interface CacheDirections {
  /**
   * Anthropic: where `cache_control` stands; at most four are taken. OpenAI itself: where `prompt_cache_breakpoint` stands;
   * tools take none.
   */
  readonly breakpoints?: readonly CacheMark[];
  /** OpenAI: `prompt_cache_key`, which leads requests with one prefix to one machine. */
  readonly cacheKey?: string;
  /** Gemini: an object that holds instruction, tools and so many contents, which are left out of what is sent. */
  readonly cachedContent?: { readonly name: string; readonly contents: number };
}

/** One call of a model. */
export interface ModelCall {
  readonly request: ModelRequest;
  readonly cache?: CacheDirections;
  readonly settings?: ModelSettings;
  /** JSON Schema that the answer's text must be a value of. */
  readonly outputSchema?: JsonMap;
  /** `false`: the answer comes in one go. Default true. */
  readonly streaming?: boolean;
  readonly signal?: AbortSignal;
}

/** A piece of an answer, in the order of the answer. */
export type ModelPiece =
  /** More text of the part at hand; a change of `thought` begins a new part. */
  | { readonly type: 'text'; readonly text: string; readonly thought?: true }
  /** The part at hand is whole; what the provider attaches to it. Between two texts it parts them. */
  | { readonly type: 'end'; readonly thoughtSignature?: string; readonly extensions?: JsonMap }
  /** A whole part of another kind: a call, media, code. */
  | { readonly type: 'part'; readonly part: Part }
  /** The answer is whole. A stream that ends without this piece was cut. */
  | {
      readonly type: 'finish';
      /** In the provider-neutral words of the AI SDK: stop, length, content-filter, tool-calls, error, other. */
      readonly finishReason?: string;
      readonly usage?: Usage;
      /** The model that answered, as the provider names it. */
      readonly modelVersion?: string;
    };

/** Anything that answers requests. */
export interface LanguageModel {
  /** What the provider calls it, such as `gemini-2.5-flash`. */
  readonly name: string;
  /** Who serves it, such as `google.generative-ai`. */
  readonly vendor: string;
  /** Whose rules its requests keep. */
  readonly provider: Provider;
  /**
   * Answers one request. A failure ends the stream with MODEL_FAILED, whatever came before it; an aborted signal with
   * ABORTED.
   */
  call(call: ModelCall): AsyncIterable<ModelPiece>;
}
