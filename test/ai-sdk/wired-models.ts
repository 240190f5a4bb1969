import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import type { CallParams } from '../../src/edges/integrations/ai-sdk/index.ts';
import { type MiddlewareOptions, palimpsestMiddleware } from '../../src/edges/integrations/ai-sdk/index.ts';
import { type Event, functionCalls, functionResponses, openPalimpsest, type Palimpsest } from '../../src/index.ts';
import { type RecordedRequest, startWireServer, type WireName, type WireServer } from '../wire-server/index.ts';

/** The three wires, for describe.each. */
export const wireNames = ['openai', 'gemini', 'anthropic'] as const satisfies readonly WireName[];

/** A model server, an open Palimpsest, and models of the real provider packages between them. */
export interface Bench {
  readonly server: WireServer;
  readonly palimpsest: Palimpsest;
  /** A model of a wire's provider package, as it is. */
  bare(wire: WireName): LanguageModelV3;
  /** The same with the middleware around it; user u1 and session s1 unless told otherwise. */
  model(wire: WireName, options?: MiddlewareOptions<CallParams>): LanguageModelV3;
  /** The live events of a session of user u1. */
  events(sessionId?: string): Promise<readonly Event[]>;
  close(): Promise<void>;
}

/** Sets up what a test of the middleware needs. */
export async function openBench(): Promise<Bench> {
  const server = await startWireServer();
  const palimpsest = await openPalimpsest({ appName: 'chat', sweepSeconds: 0 });
  const makers: { readonly [wire in WireName]: () => LanguageModelV3 } = {
    openai: () =>
      createOpenAICompatible({ name: 'local', apiKey: 'k', baseURL: server.baseUrl('openai'), includeUsage: true })(
        'canned-small',
      ),
    gemini: () => createGoogleGenerativeAI({ apiKey: 'k', baseURL: server.baseUrl('gemini') })('gemini-2.5-flash'),
    anthropic: () => createAnthropic({ apiKey: 'k', baseURL: server.baseUrl('anthropic') })('claude-sonnet-4-5'),
  };
  const bare = (wire: WireName) => makers[wire]();
  return {
    server,
    palimpsest,
    bare,
    model: (wire, options = {}) =>
      wrapLanguageModel({
        model: bare(wire),
        middleware: palimpsestMiddleware(
          palimpsest,
          typeof options === 'function' ? options : { userId: 'u1', sessionId: 's1', ...options },
        ),
      }),
    events: async (sessionId = 's1') => {
      const session = await palimpsest.user('u1').session(sessionId);
      return (await session.readEffective({ limit: 1000 })).items;
    },
    close: async () => {
      await server.close();
      await palimpsest.close();
    },
  };
}

/** The text of an event as it was said, without thoughts. */
export function textIn({ content }: Event): string {
  return content?.parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join('') ?? '';
}

/** An event in one line: who, and what it says, calls or answers. */
export function inShort(event: Event): string {
  const { author, origin, content, errorCode, interrupted } = event;
  const text = textIn(event);
  const words = [
    ...(text === '' ? [] : [text]),
    ...functionCalls(content).map(({ name, args }) => `${name}(${JSON.stringify(args)})`),
    ...functionResponses(content).map(({ name, response }) => `${name} → ${JSON.stringify(response)}`),
    ...(interrupted ? ['…'] : []),
    ...(errorCode === undefined ? [] : [`!${errorCode}`]),
  ];
  return `${origin === 'tool' ? 'tool' : author}: ${words.join(' ')}`;
}

/** What a request shows the model. */
export function sentMessages({ body }: RecordedRequest): readonly unknown[] {
  const list = body.messages ?? body.contents;
  return Array.isArray(list) ? list : [];
}
