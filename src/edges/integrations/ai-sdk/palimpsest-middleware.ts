import { type ModelReply, type Palimpsest, piecesOfResult, ReplyCollector } from '../../../index.ts';
import type { CalledModel, CallParams } from './call-params.ts';
import { checkPalimpsest } from './check-palimpsest.ts';
import { checkFixedOptions, type MiddlewareOptions, readCallOptions } from './middleware-options.ts';
import { loopsOf } from './open-loops.ts';
import { RememberedCall } from './remembered-call.ts';
import { resultAsV3 } from './specification.ts';
import { watchStream } from './watch-stream.ts';

/** A model that answers in one go. */
export interface GeneratingModel<Params, Result> extends CalledModel {
  doGenerate(params: Params): PromiseLike<Result>;
}

/** A model that answers bit by bit. */
export interface StreamingModel<Params, Result> extends CalledModel {
  doStream(params: Params): PromiseLike<Result>;
}

/** A model that says which files it can fetch by itself. */
export interface WithUrls {
  readonly supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>;
}

/** A middleware for wrapLanguageModel of ai 6 and ai 7; a `LanguageModelV3Middleware`. */
export interface PalimpsestMiddleware {
  readonly specificationVersion: 'v3';
  overrideSupportedUrls(call: { readonly model: WithUrls }): Promise<Record<string, RegExp[]>>;
  wrapGenerate<Params extends CallParams, Result extends { readonly content: readonly unknown[] }>(call: {
    readonly params: Params;
    readonly model: GeneratingModel<Params, Result>;
  }): Promise<Result>;
  wrapStream<Params extends CallParams, Part, Result extends { readonly stream: ReadableStream<Part> }>(call: {
    readonly params: Params;
    readonly model: StreamingModel<Params, Result>;
  }): Promise<Result>;
}

/**
 * Gives a model the memory of a session, in any loop of the AI SDK: each call is sent the session's context instead of
 * the messages it was made with, which only say what is new, with what memory recalls behind its stable part; and what
 * the model answers is appended, once. Options of one call stand in its `providerOptions.palimpsest` and come before the
 * middleware's own. Throws INVALID_ARGUMENT naming the option; a call fails with SESSION_BUSY while another one is at
 * work on the session, and with what appending throws.
 *
 * @example
 * const model = wrapLanguageModel({
 *   model: google('gemini-2.5-flash'),
 *   middleware: palimpsestMiddleware(palimpsest, { userId: 'u1', sessionId: 's1' }),
 * });
 */
export function palimpsestMiddleware(
  palimpsest: Palimpsest,
  options: MiddlewareOptions<CallParams> = {},
): PalimpsestMiddleware {
  checkPalimpsest(palimpsest);
  checkFixedOptions(options);
  const loops = loopsOf(palimpsest);
  async function begin<Params extends CallParams>(params: Params, model: CalledModel): Promise<RememberedCall<Params>> {
    const ofCall = await readCallOptions(palimpsest, options, params);
    return RememberedCall.begin({ palimpsest, loops, options: ofCall, params, model });
  }
  // The model is called with other params than the call was made with, so not through the closures that know only those.
  return {
    specificationVersion: 'v3',
    async overrideSupportedUrls({ model }) {
      // Media of the session's own stand in messages that come back from a browser; nobody is to download them.
      const supported = await model.supportedUrls;
      return { ...supported, '*/*': [...(supported['*/*'] ?? []), artifactUrl] };
    },
    async wrapGenerate({ params, model }) {
      const call = await begin(params, model);
      const answer = await call.whileOpen(async () => {
        const result = await model.doGenerate(call.params);
        return { result, reply: replyOf(result, model) };
      });
      await call.keep(answer.reply);
      return answer.result;
    },
    async wrapStream({ params, model }) {
      const call = await begin(params, model);
      return call.whileOpen(async () => {
        const result = await model.doStream(call.params);
        const watched = { call, signal: call.signal, model: model.modelId };
        return { ...result, stream: watchStream(result.stream, watched) };
      });
    },
  };
}

const artifactUrl = /^artifact:/;

function replyOf(result: { readonly content: readonly unknown[] }, { modelId }: CalledModel): ModelReply {
  const reply = new ReplyCollector();
  for (const piece of piecesOfResult(resultAsV3(result), modelId)) reply.add(piece);
  return reply;
}
