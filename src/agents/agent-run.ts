import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import type { JsonMap } from '../events/index.ts';
import { type Block, type Content, type Event, type EventInput, functionCalls, text, textOf } from '../events/index.ts';
import { uuidV7 } from '../internal/index.ts';
import type { LanguageModel, Logger, ModelCall, Span } from '../models/index.ts';
import type { AgentOptions, CallbackContext, RunEvent } from './agent-options.ts';
import type { AgentParts } from './create-agent.ts';
import { fillInstruction } from './instruction-text.ts';
import type { Invocation, PreparedRequest } from './invocation-driver.ts';
import { modelEvent } from './model-event.ts';
import { callModel, contentInstead, type ModelTurn, type TurnEvent } from './model-turn.ts';
import { ArtifactWriter } from './run-artifacts.ts';
import type { RunStates, StateWriter } from './run-state.ts';
import { runTools } from './run-tools.ts';
import { toolMemory } from './tool-memory.ts';
import { readOutput } from './tools/index.ts';

/** At most this many model calls a run, unless the agent says otherwise. */
const defaultMaxSteps = 25;
const defaultToolTimeoutMs = 120_000;

/** What one run works with. */
export interface RunParts extends Pick<AgentParts, 'artifacts' | 'memory' | 'open' | 'clock'> {
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
  constructor(options: AgentOptions, parts: RunParts) {
    this.#options = options;
    this.#parts = parts;
    const { key, invocationId, session } = parts.invocation;
    const project = session.projectId === undefined ? {} : { projectId: session.projectId };
    this.#base = { sessionKey: key, ...project, invocationId, agentName: options.name };
    this.#state = parts.states.writer();
    this.#artifacts = new ArtifactWriter(parts.artifacts, key);
  }

  /** Yields pieces and stored events until the run is over. A reader who leaves early stops it. */
  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    const { name, callbacks } = this.#options;
    const instead = await callbacks?.beforeAgent?.(this.#callbackContext());
    if (instead) yield await this.#recordTurn({ content: contentInstead(instead) });
    else yield* this.#steps();
    const more = await callbacks?.afterAgent?.(this.#callbackContext());
    if (more) yield await this.#recordTurn({ content: contentInstead(more) });
    const actions = this.#takeActions();
    if (Object.keys(actions).length > 0) yield await this.#record({ author: name, actions });
  }

  async *#steps(): AsyncGenerator<RunEvent, void, undefined> {
    const limit = this.#options.maxSteps ?? defaultMaxSteps;
    for (let step = 0; step < limit; step++) {
      const event = yield* this.#modelStep();
      if (functionCalls(event.content).length === 0) return;
      let endsRun = false;
      for await (const answered of runTools(event, this.#toolParts())) {
        yield answered.event;
        endsRun ||= answered.endsRun;
      }
      this.#throwIfStopped();
      if (endsRun) return;
    }
    const error = new PalimpsestError('STEP_LIMIT', { sessionId: this.#base.sessionKey.sessionId, limit });
    yield await this.#recordTurn({ errorCode: error.code, errorMessage: error.message });
    throw error;
  }

  /** One call of the model, from the request to the stored event. Throws the failure of the call, once it is stored. */
  async *#modelStep(): AsyncGenerator<RunEvent, Event, undefined> {
    const prepared = await this.#prepare();
    const chosen = await this.#chooseCall(prepared);
    if ('content' in chosen) {
      const event = await this.#recordTurn({ content: contentInstead(chosen.content) });
      yield event;
      return event;
    }
    const id = uuidV7(this.#parts.clock.now());
    const identity = { id, invocationId: this.#base.invocationId, author: this.#options.name };
    let turn: ModelTurn | undefined;
    let event: Event | undefined;
    const store = async () => {
      if (turn === undefined || event !== undefined) return;
      const { kept, failed } = await this.#finished(turn);
      event = await this.#recordTurn(kept, { id, prepared });
      if (failed !== undefined) throw failed.error;
    };
    try {
      const keep = (kept: ModelTurn) => {
        turn = kept;
      };
      yield* callModel(this.#parts.model, chosen.call, { identity, span: this.#parts.span, keep });
    } finally {
      await store();
    }
    if (event === undefined) throw new PalimpsestError('ABORTED', { what: 'The run' });
    yield event;
    if (turn?.failure !== undefined) throw this.#reasonFor(turn.failure);
    return event;
  }

  /**
   * What of a turn is stored: a whole answer as the callback has it, with its output where one is asked for. If the
   * application's own code fails here, what the model said is stored all the same.
   */
  async #finished({ event, failure }: ModelTurn): Promise<{ kept: TurnEvent; failed?: { readonly error: unknown } }> {
    if (failure !== undefined || event.content === undefined) return { kept: event };
    try {
      const instead = await this.#options.callbacks?.afterModel?.(event.content, this.#callbackContext());
      const content = instead ? contentInstead(instead) : event.content;
      const problem = functionCalls(content).length === 0 ? await this.#keepOutput(content) : undefined;
      return { kept: { ...event, content, ...problem } };
    } catch (error) {
      return { kept: event, failed: { error } };
    }
  }

  /** Writes the answer under the agent's output key; what does not fit the output schema is said on the event. */
  async #keepOutput(content: Content): Promise<Pick<EventInput, 'errorCode' | 'errorMessage'> | undefined> {
    const { outputSchema, outputKey } = this.#options;
    const answer = textOf(content);
    if (answer === '') return undefined;
    if (outputSchema === undefined) {
      if (outputKey !== undefined) this.#state.set(outputKey, answer);
      return undefined;
    }
    const output = await readOutput(outputSchema, answer);
    if ('problem' in output) return { errorCode: 'INVALID_OUTPUT', errorMessage: output.problem };
    if (outputKey !== undefined) this.#state.set(outputKey, output.value);
    return undefined;
  }

  async #prepare(): Promise<PreparedRequest> {
    const { examples, documents, history, recall, settings, tools = [] } = this.#options;
    const { model, outputJsonSchema, invocation } = this.#parts;
    return invocation.request({
      provider: model.provider,
      model: model.name,
      instruction: await this.#instruction(),
      tools: tools.map(({ declaration }) => declaration),
      ...(examples && { examples }),
      ...(documents && { documents }),
      ...(history && { history }),
      ...(recall === undefined ? {} : { recall }),
      config: JSON.parse(JSON.stringify({ settings, outputSchema: outputJsonSchema })),
    });
  }

  async #instruction(): Promise<readonly Block[]> {
    const { instruction } = this.#options;
    if (instruction === undefined) return [];
    const state = this.#parts.states.writer();
    const filled =
      typeof instruction === 'string'
        ? fillInstruction(instruction, (key) => state.get(key))
        : await instruction({ ...this.#base, state: Object.freeze(lookOnly(state)) });
    return filled.trim() === '' ? [] : [{ kind: 'instruction', stable: true, content: text(filled) }];
  }

  async #chooseCall({
    request,
  }: PreparedRequest): Promise<{ readonly call: ModelCall } | { readonly content: Content | string }> {
    const { settings, streaming, callbacks } = this.#options;
    const { outputJsonSchema } = this.#parts;
    const call: ModelCall = {
      request,
      ...(settings && { settings }),
      ...(outputJsonSchema && { outputSchema: outputJsonSchema }),
      ...(streaming === undefined ? {} : { streaming }),
      signal: this.#parts.invocation.signal,
    };
    const chosen = (await callbacks?.beforeModel?.(call, this.#callbackContext())) ?? { call };
    return 'call' in chosen ? { call: { ...chosen.call, signal: this.#parts.invocation.signal } } : chosen;
  }

  #toolParts(): Parameters<typeof runTools>[1] {
    const { tools = [], callbacks = {}, toolTimeoutMs = defaultToolTimeoutMs } = this.#options;
    const { logger, memory, span, states, artifacts } = this.#parts;
    const { sessionKey, projectId } = this.#base;
    return {
      tools,
      callbacks,
      base: this.#base,
      signal: this.#parts.invocation.signal,
      timeoutMs: toolTimeoutMs,
      logger,
      memory: toolMemory(memory, sessionKey, projectId),
      span,
      newState: () => states.writer(),
      newArtifacts: () => new ArtifactWriter(artifacts, sessionKey),
      record: (event) => this.#record(event),
    };
  }

  /** Stores what the agent said. If that cannot be stored, the log says so in its place, and the failure is thrown. */
  async #recordTurn(
    turn: TurnEvent,
    answering?: { readonly id: string; readonly prepared: PreparedRequest },
  ): Promise<Event> {
    const parts = {
      id: answering?.id ?? uuidV7(this.#parts.clock.now()),
      author: this.#options.name,
      tools: this.#options.tools ?? [],
      callIds: this.#callIds,
      ...(answering === undefined ? {} : { journal: answering.prepared.journal }),
    };
    try {
      return await this.#record(modelEvent({ ...parts, turn, actions: this.#takeActions() }));
    } catch (error) {
      if (!isPalimpsestError(error) || this.#parts.invocation.signal.aborted || turn.content === undefined) throw error;
      const { usage } = turn;
      const failed = { interrupted: true, errorCode: error.code, errorMessage: error.message, ...(usage && { usage }) };
      await this.#record(modelEvent({ ...parts, turn: failed, actions: {} }));
      throw error;
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

function lookOnly(state: StateWriter): Pick<StateWriter, 'get' | 'has' | 'all'> {
  return { get: (key) => state.get(key), has: (key) => state.has(key), all: () => state.all() };
}
