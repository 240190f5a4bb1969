import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError } from '../errors/index.ts';
import type { AiSdkEmbeddingModel } from './ai-sdk-embedding-model.ts';
import { embedder } from './embed-with-ai-sdk.ts';

type Embed = (values: string[]) => number[][] | Promise<number[][]>;

function made(embed: Embed, most?: number): AiSdkEmbeddingModel & { readonly asked: string[][] } {
  const asked: string[][] = [];
  return {
    specificationVersion: 'v3',
    provider: 'hand',
    modelId: 'vectors-1',
    maxEmbeddingsPerCall: Promise.resolve(most),
    asked,
    async doEmbed({ values }) {
      asked.push(values);
      return { embeddings: await embed(values) };
    },
  };
}

const lengths: Embed = (values) => values.map((value) => [value.length, 0.5]);

describe('embedder', () => {
  it('keeps the order over calls of the size that the model takes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', '你好', '😀😀😀')),
        fc.integer({ min: 1, max: 4 }),
        async (texts, most) => {
          const model = made(lengths, most);
          const vectors = await embedder(model).embed(texts);
          expect(vectors).toEqual(texts.map((text) => Float32Array.of(text.length, 0.5)));
          expect(model.asked.flat()).toEqual(texts);
          expect(model.asked.length).toBe(Math.ceil(texts.length / most));
        },
      ),
    );
  });

  it('asks once if the model sets no limit, and not at all for nothing', async () => {
    const model = made(lengths);
    await embedder(model).embed(['a', 'b', 'c']);
    await embedder(model).embed([]);
    expect(model.asked).toEqual([['a', 'b', 'c']]);
  });

  it('is called what the model is, or as it is told', () => {
    expect([embedder(made(lengths)).name, embedder(made(lengths), { name: 'x' }).name]).toEqual(['vectors-1', 'x']);
  });

  it.each<[string, Embed]>([
    ['vectors of unequal length', (values) => values.map((_, at) => [1, 2, 3].slice(at))],
    ['fewer vectors', () => [[1]]],
    ['an empty vector', (values) => values.map(() => [])],
    ['a number that is none', (values) => values.map(() => [Number.NaN])],
    ['a number beyond all', (values) => values.map(() => [1e300])],
    ['a text', (values) => values.map(() => JSON.parse('["1"]'))],
    ['no list', () => JSON.parse('"x"')],
    ['a failure', () => Promise.reject(new Error('quota'))],
  ])('fails on %s, having asked once', async (_, embed) => {
    const model = made(embed);
    const error = await embedder(model)
      .embed(['a', 'b'])
      .catch((thrown: unknown) => thrown);
    expect(isPalimpsestError(error, 'MODEL_FAILED') && error.details).toMatchObject({
      model: 'vectors-1',
      attempts: 1,
    });
    expect(model.asked.length).toBe(1);
  });

  it('fails on vectors of unequal length over several calls', async () => {
    let length = 0;
    const model = made((values) => values.map(() => new Array<number>(++length).fill(1)), 1);
    await expect(embedder(model).embed(['a', 'b'])).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('stops at once when it is aborted', async () => {
    const stopping = new AbortController();
    const silent = made(() => new Promise(() => undefined));
    const run = embedder(silent).embed(['a'], { signal: stopping.signal });
    stopping.abort();
    await expect(run).rejects.toMatchObject({ code: 'ABORTED' });
    const early = embedder(made(lengths)).embed(['a'], { signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it.each([undefined, 'text-embedding-3', {}, { specificationVersion: 'v2', modelId: 'm' }])('refuses %j', (given) => {
    expect(() => embedder(given as AiSdkEmbeddingModel)).toThrow(/v3/);
  });
});
