import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { anthropicWire } from './anthropic-wire.ts';
import { geminiWire } from './gemini-wire.ts';
import { openAiWire } from './openai-wire.ts';
import { argumentsText, isHang, isRefusal, joined, type Reply, type ScriptedReply, type Turn } from './reply-script.ts';
import { sendJson, sendRefusal, sendReply } from './send-reply.ts';
import { vectorOf } from './vector-of.ts';
import { type Answer, isObject, type JsonObject, type Route, type Wire, type WireName } from './wire.ts';

/** A request as it came, and how it ended. */
export interface RecordedRequest extends Route {
  readonly wire: WireName;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** The body byte by byte. */
  readonly bodyText: string;
  /** `closed`: the client went away, or the server cut the answer off. */
  readonly outcome: Promise<'answered' | 'closed'>;
}

/** How a server is started. */
export interface WireServerOptions {
  /** Requests without this key get the service's 401. Default: any key will do. */
  readonly apiKey?: string;
  /** Default: any that is free. */
  readonly port?: number;
}

/** A local server that speaks three services' wire formats, by a script. */
export interface WireServer {
  /** Such as `http://127.0.0.1:4711`. */
  readonly url: string;
  /** Where a client of the service is to be pointed. */
  baseUrl(wire: WireName): string;
  /** Every request since the start, or since `clear()`, oldest first; refused ones too. */
  readonly requests: readonly RecordedRequest[];
  /** What the next requests to generate get, one each. A request that the service would refuse uses none up. */
  reply(...replies: readonly ScriptedReply<RecordedRequest>[]): void;
  /** What requests get for which no reply is queued. Without it they get a 400 that says so. */
  answerBy(answer: (request: RecordedRequest) => Reply): void;
  /** What the next requests for embeddings get in place of vectors. */
  failEmbedding(...replies: readonly ScriptedReply<RecordedRequest>[]): void;
  /** Forgets requests, and replies that nobody fetched. */
  clear(): void;
  close(): Promise<void>;
}

const wires: readonly Wire[] = [openAiWire, geminiWire, anthropicWire];
const basePaths: Readonly<Record<WireName, string>> = {
  openai: '/openai/v1',
  gemini: '/gemini/v1beta',
  anthropic: '/anthropic/v1',
};
const models = ['canned-small', 'canned-large'];

/** Starts a server on this machine only. */
export async function startWireServer(options: WireServerOptions = {}): Promise<WireServer> {
  const script = new Script(options.apiKey);
  const server = createServer((request, response) => {
    script.serve(request, response).catch((error: unknown) => {
      // A client that went away while it was speaking; or a scripted function that threw, which its test should see.
      if (!response.destroyed && !response.headersSent) sendJson(response, { error: { message: String(error) } }, 500);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url,
    baseUrl: (wire) => `${url}${basePaths[wire]}`,
    requests: script.requests,
    reply: (...replies) => void script.replies.push(...replies),
    answerBy(answer) {
      script.otherwise = answer;
    },
    failEmbedding: (...replies) => void script.embeddingFaults.push(...replies),
    clear: () => script.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What is to be answered, and what was asked. */
class Script {
  readonly requests: RecordedRequest[] = [];
  readonly replies: ScriptedReply<RecordedRequest>[] = [];
  readonly embeddingFaults: ScriptedReply<RecordedRequest>[] = [];
  otherwise: ((request: RecordedRequest) => Reply) | undefined;
  readonly #apiKey: string | undefined;
  #answers = 0;

  constructor(apiKey: string | undefined) {
    this.#apiKey = apiKey;
  }

  clear(): void {
    for (const list of [this.requests, this.replies, this.embeddingFaults]) list.length = 0;
  }

  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const outcome = new Promise<'answered' | 'closed'>((resolve) =>
      response.once('close', () => resolve(response.writableFinished ? 'answered' : 'closed')),
    );
    const bodyText = await readAll(incoming);
    const path = incoming.url ?? '/';
    const method = incoming.method ?? 'GET';
    const body = parsed(bodyText);
    const found = routeOf(method, path.replace(/\?.*/, ''), body ?? {});
    if (found === undefined) return sendJson(response, { error: { message: `nothing is served at ${path}` } }, 404);
    const { wire, route } = found;
    const { headers } = incoming;
    const request = { ...route, wire: wire.name, method, path, headers, body: body ?? {}, bodyText, outcome };
    this.requests.push(request);
    if (this.#apiKey !== undefined && wire.keyOf(headers) !== this.#apiKey) {
      const message = `Incorrect API key provided: ${wire.keyOf(headers) ?? 'none'}`;
      return sendRefusal(response, { status: 401, message }, wire);
    }
    if (body === undefined) return sendRefusal(response, { status: 400, message: 'the body is not JSON' }, wire);
    await this.#answer(request, wire, response);
  }

  async #answer(request: RecordedRequest, wire: Wire, response: ServerResponse): Promise<void> {
    if (request.kind === 'models')
      return sendJson(response, {
        object: 'list',
        data: models.map((id) => ({ id, object: 'model', owned_by: 'none' })),
      });
    if (request.kind === 'embed') return this.#embed(request, wire, response);
    const refusal = wire.refuses(request.body, request.headers);
    if (refusal !== undefined) return sendRefusal(response, { status: 400, message: refusal }, wire);
    const scripted = this.replies.shift() ?? this.otherwise;
    if (scripted === undefined)
      return sendRefusal(response, { status: 400, message: 'the wire server has no reply queued' }, wire);
    const reply = typeof scripted === 'function' ? scripted(request) : scripted;
    const { model, body, isStreaming } = request;
    const usage = usageOf(reply, request);
    const answer: Omit<Answer, 'turn'> = { model, number: ++this.#answers, usage, body };
    await sendReply(response, reply, { wire, answer, isStreaming });
  }

  async #embed(request: RecordedRequest, wire: Wire, response: ServerResponse): Promise<void> {
    const scripted = this.embeddingFaults.shift();
    const reply = typeof scripted === 'function' ? scripted(request) : scripted;
    if (reply === undefined)
      return sendJson(response, wire.embeddings(wire.textsOf(request.body).map(vectorOf), request.body));
    if (isRefusal(reply)) return sendRefusal(response, reply, wire);
    if (!isHang(reply)) sendJson(response, wire.embeddings([], request.body));
  }
}

function routeOf(method: string, path: string, body: JsonObject): { wire: Wire; route: Route } | undefined {
  for (const wire of wires) {
    const route = wire.route(method, path, body);
    if (route !== undefined) return { wire, route };
  }
  return undefined;
}

function parsed(text: string): JsonObject | undefined {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The script's figures, else four characters a token. */
function usageOf(reply: Reply, { bodyText }: RecordedRequest): Answer['usage'] {
  const turn: Turn = isRefusal(reply) || isHang(reply) ? {} : reply;
  const written = [joined(turn.thought), joined(turn.text), ...(turn.calls ?? []).map(argumentsText)].join('');
  return {
    inputTokens: Math.ceil(bodyText.length / 4),
    outputTokens: Math.ceil(written.length / 4),
    ...turn.usage,
  };
}
