import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { WireServer } from '../wire-server/index.ts';

/** A JSON object that nobody has checked. */
type Fields = Readonly<Record<string, unknown>>;

/** A call of the service, as it came. */
export interface CacheCall {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: Fields;
  readonly status: number;
}

/** A local server that keeps Gemini's `cachedContents`, in front of one that answers requests. */
export interface CachedContentsServer {
  /** Where clients of Gemini are to be pointed. */
  readonly baseUrl: string;
  /** Calls for objects, oldest first. */
  readonly calls: readonly CacheCall[];
  /** Requests to generate as they came; those with an object reach the other server whole. */
  readonly generated: readonly Fields[];
  /** Names of the objects that stand. */
  readonly names: readonly string[];
  /** From now on calls for objects are refused with this status. */
  refuse(status: number | undefined): void;
  /** Objects are gone, as after their time. */
  lose(): void;
  close(): Promise<void>;
}

/** Starts the server on this machine only. */
export async function startCachedContentsServer(wires: WireServer): Promise<CachedContentsServer> {
  const cache = new CachedContents(wires.baseUrl('gemini'));
  const server = createServer((request, response) => {
    cache.serve(request, response).catch((error: unknown) => {
      if (!response.destroyed) sendJson(response, 500, { error: { message: String(error) } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1beta`,
    calls: cache.calls,
    generated: cache.generated,
    get names() {
      return [...cache.objects.keys()];
    },
    refuse(status) {
      cache.refusal = status;
    },
    lose: () => cache.objects.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class CachedContents {
  readonly calls: CacheCall[] = [];
  readonly generated: Fields[] = [];
  readonly objects = new Map<string, Fields>();
  refusal: number | undefined;
  readonly #upstream: string;
  #made = 0;

  constructor(upstream: string) {
    this.#upstream = upstream;
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const body: Fields = text === '' ? {} : JSON.parse(text);
    const path = (incoming.url ?? '/').replace('/v1beta/', '');
    if (path.startsWith('models/')) return this.#generate(path, body, incoming, response);
    const method = incoming.method ?? 'GET';
    const [status, answer] = this.#answer(method, path, body);
    const key = incoming.headers['x-goog-api-key'];
    this.calls.push({ method, path, key: typeof key === 'string' ? key : undefined, body, status });
    sendJson(response, status, answer);
  }

  #answer(method: string, path: string, body: Fields): readonly [status: number, answer: object] {
    if (this.refusal !== undefined) return [this.refusal, { error: { code: this.refusal, message: '现在不行' } }];
    if (method === 'DELETE') return this.objects.delete(path) ? [200, {}] : [404, { error: { code: 404 } }];
    if (method !== 'POST' || path !== 'cachedContents') return [404, { error: { code: 404 } }];
    const ttl = /^(\d+)s$/.exec(String(body.ttl))?.[1];
    if (ttl === undefined || !String(body.model).startsWith('models/'))
      return [400, { error: { code: 400, message: 'ttl or model is missing' } }];
    const name = `cachedContents/object-${++this.#made}`;
    this.objects.set(name, body);
    return [200, { name, model: body.model, expireTime: new Date(Date.now() + Number(ttl) * 1000).toISOString() }];
  }

  /** The other server gets what the model would read: what the object holds, and behind it what was sent. */
  async #generate(path: string, body: Fields, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.generated.push(body);
    const { cachedContent, ...rest } = body;
    const held = this.objects.get(String(cachedContent));
    if (cachedContent !== undefined && held === undefined)
      return sendJson(response, 403, {
        error: { code: 403, message: 'CachedContent not found (or permission denied)' },
      });
    const given = ['systemInstruction', 'tools', 'toolConfig'].filter((name) => rest[name] !== undefined);
    if (held !== undefined && given.length > 0)
      return sendJson(response, 400, { error: { code: 400, message: `${given} cannot stand beside cachedContent` } });
    const { ttl: _, model: __, contents: first = [], ...head } = held ?? {};
    const whole =
      held === undefined ? rest : { ...rest, ...head, contents: [...listOf(first), ...listOf(rest.contents)] };
    const answer = await fetch(`${this.#upstream}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': String(incoming.headers['x-goog-api-key']) },
      body: JSON.stringify(whole),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
