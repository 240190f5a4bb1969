import { PalimpsestError } from '../errors/index.ts';
import type { AiSdkEmbeddingModel } from './ai-sdk-embedding-model.ts';
import type { Embedder } from './embedder.ts';
import { abortedCall, modelFailure } from './model-failure.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * Makes an Embedder of an AI SDK embedding model of specification v3 or v4. Texts go out in as few calls as the model allows,
 * one after the other; nothing is repeated. Throws INVALID_ARGUMENT for what is no such model.
 */
export function embedder(model: AiSdkEmbeddingModel, options: { readonly name?: string } = {}): Embedder {
  const { specificationVersion, doEmbed, modelId }: Partial<AiSdkEmbeddingModel> = model ?? {};
  if (
    (specificationVersion !== 'v3' && specificationVersion !== 'v4') ||
    typeof doEmbed !== 'function' ||
    typeof modelId !== 'string'
  )
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'model',
      reason:
        'is no embedding model of specification v3 or v4. Give one of an AI SDK provider package for ai 6 or 7, such as openai.embedding(id)',
    });
  const name = options.name ?? modelId;
  return Object.freeze({
    name,
    embed: (texts: readonly string[], { signal }: { readonly signal?: AbortSignal } = {}) =>
      embedAll({ model, name, texts, signal }),
  });
}

interface Embedding {
  readonly model: AiSdkEmbeddingModel;
  readonly name: string;
  readonly texts: readonly string[];
  readonly signal: AbortSignal | undefined;
}

async function embedAll(embedding: Embedding): Promise<readonly Float32Array[]> {
  const { model, name, texts, signal } = embedding;
  if (signal?.aborted) throw abortedCall();
  const vectors: Float32Array[] = [];
  try {
    const most = batchSize(await model.maxEmbeddingsPerCall);
    for (let from = 0; from < texts.length; from += most) {
      const values = texts.slice(from, from + most);
      const batch = model.doEmbed({ values, ...(signal === undefined ? {} : { abortSignal: signal }) });
      const { embeddings } = await unlessAborted(batch, signal);
      for (const vector of vectorsOf(embeddings, values.length, name)) vectors.push(vector);
    }
  } catch (error) {
    throw signal?.aborted ? abortedCall() : modelFailure(error, name);
  }
  if (vectors.some(({ length }) => length !== vectors[0]?.length)) throw refused(name, 'vectors of unequal length');
  return vectors;
}

function batchSize(most: number | undefined): number {
  return most !== undefined && most >= 1 ? Math.floor(most) : Number.POSITIVE_INFINITY;
}

function vectorsOf(embeddings: unknown, wanted: number, name: string): readonly Float32Array[] {
  if (!Array.isArray(embeddings) || embeddings.length !== wanted)
    throw refused(name, `${Array.isArray(embeddings) ? embeddings.length : 'no'} vectors for ${wanted} texts`);
  return embeddings.map((embedding: unknown) => {
    if (!Array.isArray(embedding) || embedding.length === 0) throw refused(name, 'an empty vector');
    const vector = Float32Array.from(embedding);
    if (!embedding.every((value) => typeof value === 'number') || !vector.every(Number.isFinite))
      throw refused(name, 'a vector with what is no finite number');
    return vector;
  });
}

function refused(model: string, what: string): PalimpsestError {
  return new PalimpsestError('MODEL_FAILED', { model, reason: `it gave ${what}`, attempts: 1 });
}
