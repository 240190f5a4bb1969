import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Embedder, embedder } from '../../src/models/index.ts';
import { startWireServer, type WireServer } from '../wire-server/index.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterEach(() => server.clear());
afterAll(() => server.close());

const names = { openai: 'local-embedding', gemini: 'gemini-embedding-001' };

function embedderAt(wire: keyof typeof names): Embedder {
  const options = { baseURL: server.baseUrl(wire), apiKey: 'k' };
  if (wire === 'gemini') return embedder(createGoogleGenerativeAI(options).embeddingModel(names.gemini));
  return embedder(createOpenAICompatible({ ...options, name: 'local' }).embeddingModel(names.openai));
}

describe.each(['openai', 'gemini'] as const)('%s', (wire) => {
  it('gives a vector for each text, in their order', async () => {
    const texts = ['北京', 'tea', '茶', 'tea'];
    const vectors = await embedderAt(wire).embed(texts);
    expect(vectors.map((vector) => [vector.constructor, vector.length])).toEqual(Array(4).fill([Float32Array, 16]));
    expect(vectors[1]).toEqual(vectors[3]);
    expect(vectors[0]).not.toEqual(vectors[2]);
    const [alone] = await embedderAt(wire).embed(['茶']);
    expect(alone).toEqual(vectors[2]);
    expect(embedderAt(wire).name).toBe(names[wire]);
  });

  it('asks for nothing when there is nothing', async () => {
    expect(await embedderAt(wire).embed([])).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('sends many texts in several requests', async () => {
    const texts = Array.from({ length: 2100 }, (_, index) => `文 ${index}`);
    const vectors = await embedderAt(wire).embed(texts);
    expect(vectors).toHaveLength(2100);
    expect(server.requests.length).toBeGreaterThan(1);
    const [last] = await embedderAt(wire).embed(['文 2099']);
    expect(vectors[2099]).toEqual(last);
  });

  it('fails with status and reason, and on fewer vectors than texts', async () => {
    server.failEmbedding({ status: 429, retryAfter: 3, message: '太快了' });
    await expect(embedderAt(wire).embed(['a', 'b'])).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      details: { model: names[wire], status: 429, retryAfterMs: 3000, reason: '太快了' },
    });
    server.failEmbedding({});
    await expect(embedderAt(wire).embed(['a', 'b'])).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('stops', async () => {
    const controller = new AbortController();
    server.failEmbedding(() => {
      queueMicrotask(() => controller.abort());
      return { hang: true };
    });
    await expect(embedderAt(wire).embed(['a', 'b'], { signal: controller.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await expect(server.requests[0]?.outcome).resolves.toBe('closed');
  });
});
