import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Content, ModelRequest, ToolDeclaration } from '../../src/events/index.ts';
import {
  type LanguageModel,
  languageModel,
  type ModelCall,
  type ModelPiece,
  ReplyCollector,
} from '../../src/models/index.ts';
import type { WireName, WireServer } from '../wire-server/index.ts';

/** All wires, for tables of tests. */
export const wireNames: readonly WireName[] = ['openai', 'gemini', 'anthropic'];

/** The key that the models show. */
export const apiKey = 'key-of-the-test-0123456789';

/** What each wire calls its model here. */
export const modelNames: Readonly<Record<WireName, string>> = {
  openai: 'local-model',
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-sonnet-4-5',
};

/** The real provider package of a wire, pointed at a server. */
export function modelAt(server: WireServer, wire: WireName, key = apiKey): LanguageModel {
  const options = { baseURL: server.baseUrl(wire), apiKey: key };
  if (wire === 'gemini') return languageModel(createGoogleGenerativeAI(options)(modelNames.gemini));
  if (wire === 'anthropic') return languageModel(createAnthropic(options)(modelNames.anthropic));
  const local = createOpenAICompatible({
    ...options,
    name: 'local',
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  return languageModel(local(modelNames.openai));
}

/** A request with a conversation. */
export function requestOf(contents: readonly Content[], tools: readonly ToolDeclaration[] = []): ModelRequest {
  return { instruction: ['你是一个助手。', 'Be brief.'], tools, contents, transient: [] };
}

/** What a call gave: its pieces, put together, and the error that ended it. */
export interface Outcome {
  readonly pieces: readonly ModelPiece[];
  readonly reply: ReplyCollector;
  readonly error: unknown;
}

/** Calls a model and waits for the end, good or bad. */
export async function outcomeOf(model: LanguageModel, call: ModelCall): Promise<Outcome> {
  const pieces: ModelPiece[] = [];
  const reply = new ReplyCollector();
  try {
    for await (const piece of model.call(call)) {
      pieces.push(piece);
      reply.add(piece);
    }
    return { pieces, reply, error: undefined };
  } catch (error) {
    return { pieces, reply, error };
  }
}

/** The texts of an outcome's pieces, one each. */
export function textsOf({ pieces }: Outcome): readonly string[] {
  return pieces.flatMap((piece) => (piece.type === 'text' && piece.thought !== true ? piece.text : []));
}
