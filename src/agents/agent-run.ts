import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import {
  asks,
  type Block,
  type Content,
  type Event,
  type EventActionsInput,
  type EventInput,
  functionCalls,
  type JsonMap,
  type RequestJournal,
  text,
  textOf,
} from '../events/index.ts';
import { uuidV7 } from '../internal/index.ts';
import { isContextTooLong, type LanguageModel, type Logger, type ModelCall, type Span } from '../models/index.ts';
import type { AgentOptions, CallbackContext, InstructionContext, RunEvent } from './agent-options.ts';
import { choiceReturned, contentReturned, instructionReturned } from './callback-returns.ts';
import { readBlocks } from './check-agent-options.ts';
import type { AgentParts } from './create-agent.ts';
import { frozenCopy } from './frozen-copy.ts';
import { fillInstruction } from './instruction-text.ts';
import type { FinishReport, Invocation, PreparedRequest, RequestInput } from './invocation-driver.ts';
import { isRefused } from './is-refused.ts';
import { modelEvent } from './model-event.ts';
import { callModel, type ModelTurn } from './model-turn.ts';
import { nothingSaid } from './read-run-input.ts';
import { ArtifactWriter } from './run-artifacts.ts';
import { RunHistory } from './run-history.ts';
import type { RunStates, StateWriter } from './run-state.ts';
import { runTools } from './run-tools.ts';
import { configOf, type SentRequest, sentRequest } from './sent-request.ts';
import { type StoredTurn, storeTurn, type TurnEffects } from './store-turn.ts';
import { toolMemory } from './tool-memory.ts';
import { readOutput } from './tools/index.ts';
import type { TurnEvent } from './turn-event.ts';
import { unlessAborted } from './until-aborted.ts';

/** At most this many model calls a run, unless the agent says otherwise. */
const defaultMaxSteps = 25;
const defaultToolTimeoutMs = 120_000;

/** What one run works with. */
export interface RunParts extends Pick<AgentParts, 'artifacts' | 'memory' | 'forget' | 'history' | 'open' | 'clock'> {
  readonly logger: Logger;
  readonly model: LanguageModel;
  readonly outputJsonSchema: JsonMap | undefined;
  readonly invocation: Invocation;
  readonly states: RunStates;
  readonly span: Span;
}

/** One run of an agent over an invocation that has begun: model calls and tool calls until there is an answer. */
export class AgentRun {
  readonly #options: AgentOptions;
  readonly #parts: RunParts;
  readonly #base: Pick<CallbackContext, 'sessionKey' | 'projectId' | 'invocationId' | 'agentName'>;
  /** What callbacks write goes with the next event. */
  readonly #state: StateWriter;
  readonly #artifacts: ArtifactWriter;
  readonly #callIds = new Set<string>();
  #documents: readonly Block[] | undefined;
  #asked: FinishReport['asked'];

  constructor(options: AgentOptions, parts: RunParts) {
    this.#options = options;
    this.#parts = parts;
    const { key, invocationId, session } = parts.invocation;
    const project = session.projectId === undefined ? {} : { projectId: session.projectId };
    this.#base = { sessionKey: key, ...project, invocationId, agentName: options.name };
    this.#state = parts.states.writer();
    this.#artifacts = new ArtifactWriter(parts.artifacts, key);
  }

  /** What is to be told at the end of the invocation. */
  get report(): FinishReport {
    return this.#asked === undefined ? {} : { asked: this.#asked };
  }

  /** Yields pieces and stored events until the run is over. A reader who leaves early stops it. */
  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    const { beforeAgent, afterAgent } = this.#options.callbacks ?? {};
    const context = () => this.#callbackContext();
    const before = beforeAgent && contentReturned('beforeAgent', await this.#ask(() => beforeAgent(context())));
    if (before) yield* this.#tell({ content: before });
    else yield* this.#steps();
    const after = afterAgent && contentReturned('afterAgent', await this.#ask(() => afterAgent(context())));
    if (after) yield* this.#tell({ content: after });
    const actions = this.#takeActions();
    if (Object.keys(actions).length > 0) yield* this.#tell({}, actions);
  }

  async *#steps(): AsyncGenerator<RunEvent, void, undefined> {
    const limit = this.#options.maxSteps ?? defaultMaxSteps;
    for (let step = 0; step < limit; step++) {
      const event = yield* this.#modelStep();
      if (functionCalls(event.content).length === 0) return;
      let endsRun = false;
      for await (const answered of runTools(event, this.#toolParts(event))) {
        yield answered.event;
        endsRun ||= answered.endsRun;
      }
      this.#throwIfStopped();
      if (endsRun) return;
    }
    const error = new PalimpsestError('STEP_LIMIT', { sessionId: this.#base.sessionKey.sessionId, limit });
    yield* this.#tell({ errorCode: error.code, errorMessage: error.message });
    throw error;
  }

  /**
   * One step of the model, from the request to the stored event; what its provider refuses as too long is asked again
   * once, shorter. Throws the failure of the call, once it is stored.
   */
  async *#modelStep(): AsyncGenerator<RunEvent, Event, undefined> {
    const id = uuidV7(this.#parts.clock.now());
    const first = yield* this.#call(await this.#prepare(), id);
    if (!('refused' in first)) return first;
    const { maximumTokens } = first.refused.failure.details;
    const shorter = await this.#prepare(maximumTokens === undefined ? {} : { maximumTokens });
    const last = shorter.leftOut === undefined ? first : yield* this.#call(shorter, id);
    return 'refused' in last ? yield* this.#keep(await this.#storeAnswer(last.refused, id), last.refused) : last;
  }

  /** One call of the model; a refusal of a request that is too long is left to the caller, all else is stored. */
  async *#call(
    prepared: PreparedRequest,
    id: string,
  ): AsyncGenerator<RunEvent, Event | { readonly refused: RefusedTurn }, undefined> {
    const chosen = await this.#chooseCall(prepared);
    if ('content' in chosen) return yield* this.#tell({ content: chosen.content });
    const identity = { id, invocationId: this.#base.invocationId, author: this.#options.name };
    let turn: (ModelTurn & { readonly sent: SentRequest }) | undefined;
    let stored: StoredTurn | undefined;
    try {
      const keep = (kept: ModelTurn) => {
        turn = { ...kept, sent: chosen.sent };
      };
      yield* callModel(this.#parts.model, chosen.call, { identity, span: this.#parts.span, keep });
    } finally {
      if (turn !== undefined && !isRefusedAsTooLong(turn)) stored = await this.#storeAnswer(turn, id);
    }
    if (stored !== undefined) return yield* this.#keep(stored, turn);
    if (turn !== undefined && isRefusedAsTooLong(turn)) return { refused: turn };
    throw new PalimpsestError('ABORTED', { what: 'The run' });
  }

  /** Yields what was stored. Throws what has gone wrong. */
  async *#keep(stored: StoredTurn, turn: ModelTurn | undefined): AsyncGenerator<RunEvent, Event, undefined> {
    yield stored.event;
    if (turn?.failure !== undefined) throw this.#reasonFor(turn.failure);
    if (stored.failed !== undefined) throw stored.failed.error;
    return stored.event;
  }

  async #storeAnswer(turn: ModelTurn & { readonly sent: SentRequest }, id: string): Promise<StoredTurn> {
    const { failure, sent } = turn;
    if (isPalimpsestError(failure, 'MODEL_FAILED')) this.#parts.logger.error('a model call failed', failure.details);
    const { kept, output, failed } = await this.#finished(turn);
    const metadata = { ...kept.customMetadata, ...sent.metadata };
    const said = Object.keys(metadata).length === 0 ? kept : { ...kept, customMetadata: metadata };
    const effects = { actions: this.#takeActions(), ...(output && { output }) };
    const stored = await this.#storeTurn(said, effects, { id, ...(sent.journal && { journal: sent.journal }) });
    return failed === undefined ? stored : { ...stored, failed };
  }

  /**
   * What of a turn is stored: a whole answer as the callback has it, with its output where one is asked for. If the
   * application's own code fails here, what the model said is stored all the same.
   */
  async #finished({ event, failure }: ModelTurn): Promise<FinishedTurn> {
    const { content: said } = event;
    if (failure !== undefined || said === undefined) return { kept: event };
    const afterModel = this.#options.callbacks?.afterModel;
    try {
      const returned = afterModel && (await this.#ask(() => afterModel(frozenCopy(said), this.#callbackContext())));
      const content = contentReturned('afterModel', returned) ?? said;
      if (functionCalls(content).length > 0) return { kept: { ...event, content } };
      const { problem, output } = await this.#outputOf(content);
      return { kept: { ...event, content, ...problem }, ...(output && { output }) };
    } catch (error) {
      return { kept: event, failed: { error } };
    }
  }

  /** What the answer puts under the agent's output key; what does not fit the output schema is said on the event. */
  async #outputOf(content: Content): Promise<{ readonly problem?: Problem; readonly output?: EventActionsInput }> {
    const { outputSchema, outputKey } = this.#options;
    const answer = textOf(content);
    if (answer === '') return {};
    if (outputSchema === undefined) return this.#outputActions(outputKey, answer);
    const read = await this.#ask(() => readOutput(outputSchema, answer));
    if ('problem' in read) return { problem: { errorCode: 'INVALID_OUTPUT', errorMessage: read.problem } };
    return this.#outputActions(outputKey, read.value);
  }

  /** A schema may make of an answer what state cannot hold; the answer stays one. */
  #outputActions(
    key: string | undefined,
    value: unknown,
  ): { readonly problem?: Problem; readonly output?: EventActionsInput } {
    if (key === undefined) return {};
    const writer = this.#parts.states.writer();
    try {
      writer.set(key, value);
      return { output: writer.take() };
    } catch (error) {
      if (!isRefused(error)) throw error;
      return { problem: { errorCode: error.code, errorMessage: error.message } };
    }
  }

  async #prepare(tooLong?: RequestInput['tooLong']): Promise<PreparedRequest> {
    const { examples, history, recall, settings, tools = [] } = this.#options;
    const { model, outputJsonSchema, invocation } = this.#parts;
    const prepared = await invocation.request({
      provider: model.provider,
      model: model.name,
      instruction: await this.#instruction(),
      tools: tools.map(({ declaration }) => declaration),
      ...(examples && { examples }),
      documents: await this.#findDocuments(),
      ...(history && { history }),
      ...(recall === undefined ? {} : { recall }),
      config: configOf({ settings, outputSchema: outputJsonSchema }),
      cacheFor: { vendor: model.vendor },
      ...(tooLong && { tooLong }),
    });
    if (prepared.assembly.sources.every((seqs) => seqs.length === 0)) throw nothingSaid();
    return prepared;
  }

  async #instruction(): Promise<readonly Block[]> {
    const { instruction } = this.#options;
    if (instruction === undefined) return [];
    const state = this.#parts.states.writer();
    const filled =
      typeof instruction === 'string'
        ? fillInstruction(instruction, (key) => state.get(key))
        : instructionReturned(await this.#ask(() => instruction(this.#instructionContext())));
    return filled.trim() === '' ? [] : [{ kind: 'instruction', stable: true, content: text(filled) }];
  }

  #instructionContext(): InstructionContext {
    return { ...this.#base, state: Object.freeze(lookOnly(this.#parts.states.writer())) };
  }

  /** Found once, so that they keep their place and their words from step to step. */
  async #findDocuments(): Promise<readonly Block[]> {
    const { documents = [] } = this.#options;
    if (typeof documents !== 'function') return documents;
    if (this.#documents === undefined) {
      const { begun, signal } = this.#parts.invocation;
      const question = begun.findLast(asks)?.content;
      const context = { ...this.#instructionContext(), signal, ...(question && { question }) };
      this.#documents = readBlocks('documents', await this.#ask(() => documents(context)));
    }
    return this.#documents;
  }

  async #chooseCall(
    prepared: PreparedRequest,
  ): Promise<{ readonly call: ModelCall; readonly sent: SentRequest } | { readonly content: Content }> {
    const { settings, streaming, callbacks } = this.#options;
    const { outputJsonSchema, invocation } = this.#parts;
    const { signal } = invocation;
    const call: ModelCall = {
      request: prepared.request,
      ...(prepared.cache && { cache: prepared.cache }),
      ...(settings && { settings }),
      ...(outputJsonSchema && { outputSchema: outputJsonSchema }),
      ...(streaming === undefined ? {} : { streaming }),
      signal,
    };
    const beforeModel = callbacks?.beforeModel;
    if (beforeModel === undefined) return { call, sent: { journal: prepared.journal } };
    const shown = frozenCopy(call);
    const chosen = choiceReturned(await this.#ask(() => beforeModel(shown, this.#callbackContext())));
    if (chosen === undefined) return { call: shown, sent: { journal: prepared.journal } };
    if ('content' in chosen) return chosen;
    const { cache, ...rest } = chosen.call;
    // Directions name places of the request that they were made for.
    const kept = cache !== undefined && rest.request === shown.request ? { cache } : {};
    return { call: { ...rest, ...kept, signal }, sent: sentRequest(prepared, { shown, chosen: chosen.call }) };
  }

  #toolParts(event: Event): Parameters<typeof runTools>[1] {
    const { tools = [], callbacks = {}, toolTimeoutMs = defaultToolTimeoutMs } = this.#options;
    const { logger, span, states, artifacts, invocation, history } = this.#parts;
    const { sessionKey } = this.#base;
    return {
      tools,
      callbacks,
      base: this.#base,
      signal: invocation.signal,
      timeoutMs: toolTimeoutMs,
      logger,
      memory: toolMemory(this.#parts, invocation.session, event),
      ...(history && {
        history: new RunHistory({
          sessions: history,
          key: sessionKey,
          record: (marks) => invocation.record(marks),
          ask: (asked) => {
            this.#asked = asked;
          },
        }),
      }),
      span,
      newState: () => states.writer(),
      newArtifacts: () => new ArtifactWriter(artifacts, sessionKey),
      record: (answer) => this.#record(answer),
    };
  }

  /** Stores and yields what the agent says by itself. */
  async *#tell(turn: TurnEvent, actions = this.#takeActions()): AsyncGenerator<RunEvent, Event, undefined> {
    const { event, failed } = await this.#storeTurn(turn, { actions });
    yield event;
    if (failed !== undefined) throw failed.error;
    return event;
  }

  #storeTurn(
    turn: TurnEvent,
    effects: TurnEffects,
    { id = uuidV7(this.#parts.clock.now()), journal }: { readonly id?: string; readonly journal?: RequestJournal } = {},
  ): Promise<StoredTurn> {
    const { name: author, tools = [] } = this.#options;
    const said = modelEvent({ id, author, turn, tools, callIds: this.#callIds, ...(journal && { journal }) });
    return storeTurn(said, effects, (event) => this.#record(event));
  }

  /** Waits for the application's own code, which may hang, no longer than the run lasts. */
  async #ask<T>(work: () => T | PromiseLike<T>): Promise<T> {
    const { signal } = this.#parts.invocation;
    try {
      return await unlessAborted(work, signal);
    } catch (error) {
      throw signal.aborted && isPalimpsestError(error, 'ABORTED') ? this.#reasonFor(error) : error;
    }
  }

  async #record(event: EventInput): Promise<Event> {
    const [stored] = await this.#parts.invocation.record([event]);
    if (stored === undefined) throw new PalimpsestError('ABORTED', { what: 'The run' });
    if (stored.actions.stateDelta ?? stored.actions.stateRemoved) await this.#renewState();
    return stored;
  }

  async #renewState(): Promise<void> {
    const session = await this.#parts.open(this.#base.sessionKey);
    if (session !== undefined) this.#parts.states.renew(session.state);
  }

  #takeActions(): NonNullable<EventInput['actions']> {
    return { ...this.#state.take(), ...this.#artifacts.take() };
  }

  #callbackContext(): CallbackContext {
    return { ...this.#base, state: this.#state, artifacts: this.#artifacts };
  }

  #throwIfStopped(): void {
    if (this.#parts.invocation.signal.aborted)
      throw this.#reasonFor(new PalimpsestError('ABORTED', { what: 'The run' }));
  }

  /** A run that is stopped because another has taken its session says that. */
  #reasonFor(failure: PalimpsestError): PalimpsestError {
    const reason: unknown = this.#parts.invocation.signal.reason;
    return isPalimpsestError(reason) ? reason : failure;
  }
}

/** A turn without a word: the provider would not read the request, as it is too long. */
interface RefusedTurn extends ModelTurn {
  readonly failure: PalimpsestError<'MODEL_FAILED'>;
  readonly sent: SentRequest;
}

function isRefusedAsTooLong(turn: ModelTurn & { readonly sent: SentRequest }): turn is RefusedTurn {
  return turn.event.content === undefined && isContextTooLong(turn.failure);
}

interface FinishedTurn extends Pick<TurnEffects, 'output'> {
  readonly kept: TurnEvent;
  readonly failed?: { readonly error: unknown };
}

type Problem = Pick<EventInput, 'errorCode' | 'errorMessage'>;

function lookOnly(state: StateWriter): Pick<StateWriter, 'get' | 'has' | 'all'> {
  return { get: (key) => state.get(key), has: (key) => state.has(key), all: () => state.all() };
}
