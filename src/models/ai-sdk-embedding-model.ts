/**
 * An embedding model of the AI SDK (specification v3 or v4, which are alike here), as far as it is used here. Written out so that the types of this
 * library need no package of theirs; a model of any provider package fits.
 */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: { values: string[]; abortSignal?: AbortSignal }): PromiseLike<{ embeddings: number[][] }>;
}
