/** Turns texts into vectors of one length. */
export interface Embedder {
  /** Stands beside the vectors that it made: vectors of different embedders are not compared. */
  readonly name: string;
  /** One vector for each text, in their order. Throws MODEL_FAILED or ABORTED. */
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<readonly Float32Array[]>;
}
