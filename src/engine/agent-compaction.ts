import type { RequestLimits, RunCompaction, RunReport } from '../agents/index.ts';
import {
  type AgentRequest,
  type ComingRequest,
  type CompactionFor,
  type CompactionLog,
  type CompactionOutcome,
  type CompactOptions,
  type Compactor,
  ceilingOf,
  createCompactor,
  foldPricesOf,
  type Trigger,
} from '../context/compaction/index.ts';
import { cacheRulesFor } from '../context/prompt-cache/index.ts';
import { PalimpsestError } from '../errors/index.ts';
import { type Clock, isPlainObject, type JsonMap, type SessionKey } from '../events/index.ts';
import { canonicalJson } from '../internal/index.ts';
import { createJobRunner, type Job, type JobRunner, type JobStore } from '../jobs/index.ts';
import { type LanguageModel, type Logger, languageModel, type ModelSettings, type Telemetry } from '../models/index.ts';
import {
  type CompactionOption,
  type CompactionSettings,
  quietBelow,
  settingsOf,
  triggersOf,
} from './compaction-option.ts';
import { CurrentModel } from './current-model.ts';

/** What folds are made with. */
export interface AgentCompactionParts {
  /** Of the application; agents may say otherwise. */
  readonly option: CompactionOption | undefined;
  readonly log: CompactionLog;
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Pick<Telemetry, 'count'>;
  /** The request that an agent would send next. */
  readonly nextRequest: (
    key: SessionKey,
    agentName: string,
  ) => Promise<Pick<AgentRequest, 'request' | 'cache'> | undefined>;
  readonly inBackground: (work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}

/** An agent whose sessions may be folded. */
export interface FoldedAgent {
  readonly model: LanguageModel;
  readonly settings?: ModelSettings;
  /** Its model has a tool to ask for folds. */
  readonly asksForFolds: boolean;
  readonly compaction?: CompactionOption;
  /** Known by the name of a loop that is not ours: one of our own comes before it. */
  readonly isGuest?: true;
}

/** What is kept of an agent from its first run on. */
interface Known {
  readonly settings: CompactionSettings;
  readonly triggers: readonly Trigger[];
  /** Tells whether another agent of the same name is folded in another way. */
  readonly rules: string;
  readonly model: CurrentModel;
  readonly summarizer: CurrentModel;
  modelSettings: ModelSettings | undefined;
  contextWindow: number;
  compactor: Compactor;
}

const queuePrefix = 'compaction ';
const longestQueue = 256;
const pollMs = 10_000;
const defaultContextWindow = 128_000;

/**
 * Folds the logs of agents: after each run through a job, so that it is done though the process may die, while a run goes
 * on, and before a request at the ceiling. Each agent has a compactor of its own, made when it is first met.
 */
export class AgentCompaction implements RunCompaction {
  readonly #parts: AgentCompactionParts;
  readonly #agents = new Map<string, Known>();
  /** The models of all that were met, also of those whose sessions are not folded by themselves. */
  readonly #models = new Map<string, LanguageModel>();
  /** Names of those that are agents of ours. */
  readonly #own = new Set<string>();
  readonly #closing = new AbortController();
  /** The last run of sessions that are folded when nothing happens in them for a while. */
  readonly #idle = new Map<string, { readonly key: SessionKey; readonly report: RunReport; readonly since: number }>();
  #runner: JobRunner | undefined;

  constructor(parts: AgentCompactionParts) {
    this.#parts = parts;
  }

  /** Has an agent's sessions folded from now on, unless they are not to be. */
  meet(name: string, { model, settings, asksForFolds, compaction, isGuest }: FoldedAgent): void {
    if (isGuest === true && this.#own.has(name)) return;
    if (isGuest !== true) this.#own.add(name);
    this.#models.set(name, model);
    const wanted = settingsOf(this.#parts.option, compaction);
    if (wanted === undefined || this.#closing.signal.aborted) {
      this.#agents.delete(name);
      return;
    }
    const triggers = triggersOf(wanted, asksForFolds);
    const { model: _, ...rest } = wanted;
    const rules = canonicalJson(JSON.parse(JSON.stringify({ ...rest, triggers })));
    const summarizer = wanted.model === undefined ? model : languageModel(wanted.model);
    const known = this.#agents.get(name);
    if (known?.rules === rules) {
      if (known.model.name !== model.name) this.#forgetLimit(known);
      known.model.renew(model);
      known.summarizer.renew(summarizer);
      known.modelSettings = settings;
      return;
    }
    const { contextWindow = defaultContextWindow } = wanted;
    const models = { model: new CurrentModel(model), summarizer: new CurrentModel(summarizer) };
    const draft = { settings: wanted, triggers, rules, ...models, modelSettings: settings, contextWindow };
    this.#agents.set(name, { ...draft, compactor: this.#compactorOf(draft) });
    this.#runnerOf().handle(queueOf(name), (job) => this.#work(job));
  }

  limitsOf(agentName: string): RequestLimits | undefined {
    const known = this.#agents.get(agentName);
    if (known === undefined) return undefined;
    return { ceiling: ceilingOf(known.contextWindow), isAlwaysAsked: known.settings.when === 'beforeRequest' };
  }

  noteLimit(agentName: string, tokens: number): void {
    const known = this.#agents.get(agentName);
    if (known === undefined || tokens >= known.contextWindow) return;
    known.contextWindow = Math.max(1, Math.floor(tokens));
    known.compactor = this.#compactorOf(known);
    this.#parts.logger.warn('A model takes fewer tokens than was thought.', { agentName, tokens });
  }

  /** What one model takes says nothing about another. */
  #forgetLimit(known: Known): void {
    const { contextWindow = defaultContextWindow } = known.settings;
    if (known.contextWindow === contextWindow) return;
    known.contextWindow = contextWindow;
    known.compactor = this.#compactorOf(known);
  }

  async beforeModelCall(key: SessionKey, request: ComingRequest): Promise<CompactionOutcome> {
    const known = this.#agents.get(request.agentName);
    return known?.compactor.beforeModelCall(key, request) ?? { status: 'nothingToDo', why: 'notDue' };
  }

  duringRun(key: SessionKey, run: CompactionFor & Pick<RunReport, 'promptTokens'>): void {
    const { promptTokens, ...report } = run;
    const known = this.#agents.get(run.agentName);
    if (known === undefined || isQuiet(known, run) || rests(known, key, run)) return;
    const { signal } = this.#closing;
    this.#parts.inBackground(() => known.compactor.duringInvocation(key, { ...report, signal }));
  }

  afterRun(key: SessionKey, report: RunReport): void {
    const known = this.#agents.get(report.agentName);
    if (known === undefined) return;
    const { since, name } = { since: this.#parts.clock.now(), name: nameOf(key, report.agentName) };
    if (known.triggers.some(({ kind }) => kind === 'idle')) this.#idle.set(name, { key, report, since });
    const isPlain = report.asked === undefined && report.isTaskComplete !== true;
    if (rests(known, key, report) && isPlain) return;
    if (isQuiet(known, report) && isPlain) return;
    this.#parts.inBackground(() => this.#enqueue(key, report));
  }

  /** Has sessions folded in which nothing has happened for as long as their agents' triggers want. */
  async sweep(now: number): Promise<void> {
    for (const [name, { key, report, since }] of this.#idle) {
      const { triggers = [] } = this.#agents.get(report.agentName) ?? {};
      const idle = triggers.find(({ kind }) => kind === 'idle');
      if (idle?.kind === 'idle' && now - since < idle.seconds * 1000) continue;
      this.#idle.delete(name);
      const { agentName, provider } = report;
      if (idle !== undefined) await this.#enqueue(key, { agentName, ...(provider && { provider }) });
    }
  }

  /** Folds now. Throws INVALID_ARGUMENT where no model is known that would write the summary. */
  async compact(key: SessionKey, options: CompactOptions & { readonly model?: CompactionSettings['model'] } = {}) {
    const { model, ...rest } = options;
    const agentName = rest.agentName ?? this.#onlyAgent() ?? 'assistant';
    const known = model === undefined ? this.#agents.get(agentName) : undefined;
    const compactor = known?.compactor ?? this.#compactorFor(model ?? this.#models.get(agentName));
    return compactor.compact(key, { ...rest, agentName });
  }

  /** Lets go of what is kept for a session that is gone. */
  forget(key: SessionKey): void {
    for (const [name, entry] of this.#idle) if (isSame(entry.key, key)) this.#idle.delete(name);
  }

  async settled(): Promise<void> {
    await this.#runner?.settled();
  }

  /** What is not done yet is left to the next process. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#runner?.close();
  }

  #runnerOf(): JobRunner {
    const { jobs: store, clock, onFailure } = this.#parts;
    this.#runner ??= createJobRunner({ store, clock, onFailure, pollMs });
    return this.#runner;
  }

  async #enqueue(key: SessionKey, report: RunReport): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const { appName, userId, sessionId } = key;
    const { promptTokens: _, ...told } = report;
    // A report that says no more than that a run is over says nothing new while one waits.
    const isPlain = report.asked === undefined && report.isTaskComplete !== true;
    await this.#runnerOf().enqueue({
      queue: queueOf(report.agentName),
      scope: { appName, userId, sessionId },
      payload: JSON.parse(JSON.stringify(told)),
      ...(isPlain ? { dedupeId: 'runIsOver' } : {}),
    });
  }

  async #work({ scope, payload, signal }: Job): Promise<void> {
    const report = readReport(payload);
    const { appName, userId } = scope;
    const sessionId = 'sessionId' in scope ? scope.sessionId : undefined;
    const known = report && this.#agents.get(report.agentName);
    if (report === undefined || known === undefined || sessionId === undefined) return;
    const outcome = await known.compactor.afterInvocation({ appName, userId, sessionId }, { ...report, signal });
    // What was stopped is given back, for whoever runs next.
    if (signal.aborted && outcome.status === 'failed') throw outcome.error;
  }

  #onlyAgent(): string | undefined {
    const [name, ...others] = this.#models.keys();
    return others.length === 0 ? name : undefined;
  }

  /** For a call that names no agent that is known here. */
  #compactorFor(given: CompactionSettings['model']): Compactor {
    const settings = settingsOf(this.#parts.option, {}) ?? {};
    const model = given ?? settings.model;
    if (model === undefined) {
      const reason =
        'is missing: give the model that writes the summary, or make an agent, or set compaction: { model }';
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'model', reason });
    }
    const summarizer = new CurrentModel(languageModel(model));
    const { contextWindow = defaultContextWindow } = settings;
    return this.#compactorOf({ settings, triggers: [], model: summarizer, summarizer, contextWindow });
  }

  #compactorOf(draft: Pick<Known, 'settings' | 'triggers' | 'model' | 'summarizer' | 'contextWindow'>): Compactor {
    const { log, clock, logger, telemetry } = this.#parts;
    const { settings, triggers, model, summarizer, contextWindow } = draft;
    const { model: _, ...rest } = settings;
    return createCompactor({
      ...rest,
      ...{ log, clock, logger, telemetry, triggers, contextWindow },
      model: summarizer,
      prices: foldPricesOf({ agent: model, summarizer }),
      // Whoever names a model means it, unless it is known that another way is cheaper.
      ...(settings.model === undefined || (isPriced(model) && isPriced(summarizer))
        ? { requestOf: (key, agentName) => this.#requestOf(key, agentName) }
        : {}),
    });
  }

  async #requestOf(key: SessionKey, agentName: string): Promise<AgentRequest | undefined> {
    const known = this.#agents.get(agentName);
    const next = known && (await this.#parts.nextRequest(key, agentName));
    if (known === undefined || next === undefined) return undefined;
    const { model, modelSettings: settings } = known;
    return { ...next, model, ...(settings && { settings }) };
  }
}

function isPriced({ provider, name }: LanguageModel): boolean {
  return cacheRulesFor({ provider, model: name }).prices !== undefined;
}

function isQuiet({ triggers, settings }: Known, { promptTokens = 0 }: Pick<RunReport, 'promptTokens'>): boolean {
  return promptTokens < quietBelow(triggers, settings);
}

function rests({ compactor }: Known, key: SessionKey, { agentName, promptTokens }: RunReport): boolean {
  return promptTokens !== undefined && compactor.rests(key, { agentName, promptTokens });
}

/** Names of agents may be as long as those of queues. */
function queueOf(agentName: string): string {
  return [...`${queuePrefix}${agentName}`].slice(0, longestQueue).join('').trimEnd();
}

function readReport({ agentName, ...rest }: JsonMap): RunReport | undefined {
  if (typeof agentName !== 'string') return undefined;
  const { provider, isTaskComplete, asked } = rest;
  const isKnown = provider === 'gemini' || provider === 'anthropic' || provider === 'openai';
  const focus = isPlainObject(asked) && typeof asked.focus === 'string' ? { focus: asked.focus } : {};
  return {
    agentName,
    ...(isKnown ? { provider } : {}),
    ...(isTaskComplete === true ? { isTaskComplete } : {}),
    ...(isPlainObject(asked) ? { asked: focus } : {}),
  };
}

function nameOf({ appName, userId, sessionId }: SessionKey, agentName: string): string {
  return JSON.stringify([appName, userId, sessionId, agentName]);
}

function isSame(a: SessionKey, b: SessionKey): boolean {
  return a.appName === b.appName && a.userId === b.userId && a.sessionId === b.sessionId;
}
