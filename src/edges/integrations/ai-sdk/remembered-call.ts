import {
  asLanguageModel,
  fromPrompt,
  functionCalls,
  type Invocation,
  isPalimpsestError,
  type ModelReply,
  modelFailure,
  type Palimpsest,
  PalimpsestError,
  providerOf,
  ReplyCollector,
  type RequestJournal,
  type TurnEvent,
  turnEvent,
} from '../../../index.ts';
import type { CalledModel, CallParams } from './call-params.ts';
import type { CallOptions } from './middleware-options.ts';
import type { OpenLoop, OpenLoops } from './open-loops.ts';
import { paramsFor, requestOfCall } from './request-of-call.ts';
import { promptAsV3 } from './specification.ts';

/** What a remembered call is made of. */
export interface RememberedCallParts<Params extends CallParams> {
  readonly palimpsest: Palimpsest;
  readonly loops: OpenLoops;
  readonly options: CallOptions;
  readonly params: Params;
  readonly model: CalledModel;
}

/** Where an answer goes. */
export interface AnswerKeeper {
  /** The answer, or what had come of it, has been stored or is about to be. */
  readonly isKept: boolean;
  /** Stores a whole answer and gives the session back. Throws what appending throws. */
  keep(reply: ModelReply): Promise<void>;
  /** Stores what had come of an answer that failed, and gives the session back. Throws what appending throws. */
  keepFailure(error: unknown, reply: ModelReply): Promise<void>;
}

/** One call of a model: what the model is sent comes from the log, and what it answers goes there, once. */
export class RememberedCall<Params extends CallParams> implements AnswerKeeper {
  /** What the model is to be called with. */
  readonly params: Params;
  readonly #parts: RememberedCallParts<Params>;
  readonly #invocation: Invocation;
  readonly #journal: RequestJournal;
  #isKept = false;

  private constructor(
    parts: RememberedCallParts<Params>,
    begun: { readonly invocation: Invocation; readonly journal: RequestJournal; readonly params: Params },
  ) {
    this.#parts = parts;
    this.#invocation = begun.invocation;
    this.#journal = begun.journal;
    this.params = begun.params;
  }

  /** Throws SESSION_BUSY, ABORTED and what appending throws; nothing is held then. */
  static async begin<Params extends CallParams>(parts: RememberedCallParts<Params>): Promise<RememberedCall<Params>> {
    const { palimpsest, loops, options, params, model } = parts;
    const {
      key,
      projectId,
      agentName,
      waitMs,
      prompt: promptIs = 'tail',
      provider = providerOf(model.provider, model.modelId),
    } = options;
    const { instruction, contents } = fromPrompt(promptAsV3(params.prompt));
    const signal = params.abortSignal === undefined ? {} : { signal: params.abortSignal };
    const project = projectId === undefined ? {} : { projectId };
    // It writes the summaries too, unless the application has said who does.
    const own = asLanguageModel(model);
    const invocation = await loops.begin({ key, contents, waitMs, ...signal }, palimpsest, () =>
      palimpsest.invocations.begin({
        key,
        agentName,
        prompt: contents,
        promptIs,
        ...project,
        ...signal,
        ...(own && { model: own }),
      }),
    );
    try {
      const asked = requestOfCall(params, model, { provider, instruction, options });
      const { request, journal } = await invocation.request(asked);
      const sent = paramsFor(params, model, { request, provider, signal: invocation.signal });
      return new RememberedCall(parts, { invocation, journal, params: sent });
    } catch (error) {
      await loops.end(invocation);
      throw error;
    }
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  /** Aborts when the caller's does, and when the session is lost to another run. */
  get signal(): AbortSignal {
    return this.#invocation.signal;
  }

  /** Work that the answer depends on. When it fails, so has the answer. */
  async whileOpen<T>(work: () => PromiseLike<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.keepFailure(error, new ReplyCollector());
      throw error;
    }
  }

  keep(reply: ModelReply): Promise<void> {
    return this.#store(reply);
  }

  keepFailure(error: unknown, reply: ModelReply): Promise<void> {
    const { params, model } = this.#parts;
    const isStopped = params.abortSignal?.aborted === true && !isPalimpsestError(error);
    const failure = isStopped
      ? new PalimpsestError('ABORTED', { what: 'The model call' }, { cause: error })
      : modelFailure(error, model.modelId);
    return this.#store(reply, failure);
  }

  /** The first call decides; an answer is stored once. */
  async #store(reply: ModelReply, failure?: PalimpsestError): Promise<void> {
    if (this.#isKept) return;
    this.#isKept = true;
    let loop: OpenLoop | undefined;
    try {
      const seq = await this.#record(turnEvent(reply, failure));
      loop = failure === undefined ? this.#loopOf(reply, seq) : undefined;
    } finally {
      await this.#parts.loops.end(this.#invocation, loop);
    }
  }

  /** Appends what was said and returns its seq. If it cannot be stored, the log says so in its place. */
  async #record(turn: TurnEvent): Promise<number | undefined> {
    const said = { author: this.#parts.options.agentName, request: this.#journal };
    try {
      return (await this.#invocation.record([{ ...said, ...turn }])).at(-1)?.seq;
    } catch (error) {
      if (!isPalimpsestError(error) || this.signal.aborted || turn.content === undefined) throw error;
      await this.#invocation.record([{ ...said, ...turnEvent({ usage: turn.usage }, error) }]);
      throw error;
    }
  }

  #loopOf({ content }: ModelReply, seq: number | undefined): OpenLoop | undefined {
    const callIds = functionCalls(content).flatMap(({ id }) => id ?? []);
    const { options, params } = this.#parts;
    const { key, toolLoopMs: longestMs } = options;
    if (seq === undefined || callIds.length === 0 || longestMs === 0) return undefined;
    return { key, seq, callIds, longestMs, ...(params.abortSignal && { signal: params.abortSignal }) };
  }
}
