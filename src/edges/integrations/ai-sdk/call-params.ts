/** What a model is called with, as far as it is read here: both specifications of the AI SDK fit. */
export interface CallParams {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly toolChoice?: unknown;
  readonly responseFormat?: unknown;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly abortSignal?: AbortSignal;
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The model that is called. */
export interface CalledModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}
