import {
  type Agent,
  type AgentOptions,
  asksForFolds,
  type ClosableDriver,
  createAgent,
  createInvocationDriver,
  type InvocationDriver,
} from '../agents/index.ts';
import { type CompactionOutcome, type ExpandOptions, expandSummary } from '../context/compaction/index.ts';
import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import {
  type Clock,
  type EraseReceipt,
  type Event,
  type Instant,
  isPlainObject,
  type JsonMap,
  type Page,
  parseId,
  parseInstant,
  parseSessionKey,
  type SessionKey,
  toInstant,
  toMillis,
} from '../events/index.ts';
import { systemClock } from '../internal/index.ts';
import { createMemoryService, type MemoryService } from '../memory/service/index.ts';
import { type Logger, languageModel, silentLogger } from '../models/index.ts';
import { createSessionService, type SessionInfo, type SessionService } from '../sessions/index.ts';
import { AgentCompaction } from './agent-compaction.ts';
import { BackgroundWork } from './background-work.ts';
import { buildContext } from './build-context.ts';
import { cachePolicyOf, cacheRulesIn } from './cache-option.ts';
import { checkCompactionOption } from './check-compaction-option.ts';
import { checkState } from './check-state.ts';
import { eraseUser } from './erase-user.ts';
import { explainPast } from './explain-past.ts';
import { forgetMemories } from './forget-memories.ts';
import { importSession } from './import-session.ts';
import { ingestLog } from './ingest-log.ts';
import { LateTelemetry } from './late-telemetry.ts';
import { LateTokenizer } from './late-tokenizer.ts';
import { checkOpenOptions, type OpenOptions } from './open-options.ts';
import { openStores, type Stores } from './open-stores.ts';
import { createUser } from './open-user.ts';
import type {
  CompactRequest,
  ContextOptions,
  ContextRequest,
  FacadeAgentOptions,
  ImportResult,
  ImportSession,
  Palimpsest,
  PastRequest,
  User,
} from './palimpsest.ts';
import { type DeclaredState, mergesOf, type StateKeys, schemasOf } from './state-keys.ts';
import { costSums } from './sum-costs.ts';

const movedBytes =
  'bytes of removed rows that SQLite had moved may stand in unused parts of the file until it is rewritten: erase again while nobody else is at work, with a larger scrubUpToBytes';

/**
 * Opens a Palimpsest. Throws INVALID_ARGUMENT, NOT_SUPPORTED for a url, and what opening a file throws: FILE_NOT_FOUND,
 * NOT_A_STORE, SCHEMA_NEWER, STORE_BUSY, MISSING_PACKAGE.
 *
 * State is typed by the schemas of its keys, or by hand: `openPalimpsest<MyState>()`. What an older log holds is not
 * checked when it is read.
 *
 * @example
 * const palimpsest = await openPalimpsest({ file: 'agent.db', appName: 'weather' });
 */
export async function openPalimpsest<const Keys extends StateKeys>(
  options: Omit<OpenOptions, 'state'> & { readonly state: Keys },
): Promise<Palimpsest<DeclaredState<Keys>>>;
export async function openPalimpsest<State extends object = JsonMap>(
  options?: OpenOptions<State>,
): Promise<Palimpsest<State>>;
export async function openPalimpsest(options: OpenOptions = {}): Promise<Palimpsest> {
  checkOpenOptions(options);
  const appName = parseId(options.appName ?? 'default', 'appName');
  if (options.url !== undefined) {
    throw new PalimpsestError('NOT_SUPPORTED', {
      capability: 'Opening a url',
      instead: 'Give a file, or neither for memory alone.',
    });
  }
  return new OpenedPalimpsest(appName, await openStores(options), options);
}

class OpenedPalimpsest implements Palimpsest {
  readonly appName: string;
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly invocations: InvocationDriver;
  readonly #driver: ClosableDriver;
  readonly #compaction: AgentCompaction;
  readonly #stores: Stores;
  readonly #logger: Logger;
  readonly #telemetry: LateTelemetry;
  readonly #tokenizer: LateTokenizer;
  readonly #clock: Clock;
  readonly #idleSeconds: number;
  readonly #learns: boolean;
  readonly #background: BackgroundWork;
  readonly #ingesting = new Map<string, Promise<void>>();
  readonly #sweeper: NodeJS.Timeout | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(appName: string, stores: Stores, options: OpenOptions) {
    this.appName = appName;
    this.#stores = stores;
    this.#clock = options.clock ?? systemClock;
    this.#idleSeconds = options.idleSeconds ?? 900;
    this.#learns = options.ingest !== 'never';
    this.#logger = options.logger ?? silentLogger;
    this.#telemetry = new LateTelemetry(options.telemetry ?? 'auto', this.#logger);
    this.#tokenizer = new LateTokenizer(options.countTokens, this.#logger);
    const onFailure = options.onBackgroundFailure ?? failureListener(options.logger);
    this.#background = new BackgroundWork(onFailure);
    this.memory = createMemoryService({ store: stores.memory, clock: this.#clock });
    this.sessions = this.#openSessions(options);
    this.#compaction = new AgentCompaction({
      option: options.compaction,
      log: this.sessions,
      jobs: stores.jobs,
      clock: this.#clock,
      logger: this.#logger,
      telemetry: this.#telemetry,
      nextRequest: (key, agentName) => this.#driver.nextRequest(key, agentName),
      inBackground: (work) => this.#inBackground(work),
      onFailure,
    });
    const cache = cachePolicyOf(options.cache);
    this.#driver = createInvocationDriver({
      sessions: this.sessions,
      memory: this.memory,
      clock: this.#clock,
      countTokens: this.#tokenizer,
      logger: this.#logger,
      telemetry: this.#telemetry,
      ...(cache ? { cache } : {}),
      compaction: this.#compaction,
      afterRun: (key) => this.#learnInBackground(key),
    });
    this.invocations = {
      begin: async (input) => {
        await Promise.all([this.#telemetry.load(), this.#tokenizer.load()]);
        const { agentName, model } = input;
        if (model !== undefined) this.#compaction.meet(agentName, { model, asksForFolds: false, isGuest: true });
        return this.#driver.begin(input);
      },
    };
    const sweepSeconds = options.sweepSeconds ?? 60;
    if (sweepSeconds > 0)
      this.#sweeper = setInterval(() => this.#inBackground(() => this.sweep()), sweepSeconds * 1000).unref();
    if (this.#learns) this.#inBackground(() => this.#catchUp());
  }

  #openSessions(options: OpenOptions): SessionService {
    const { state = {}, redact, cache } = options;
    const beforeAppend = this.#tokenizer.before(checkState(schemasOf(state), redact));
    return createSessionService({
      store: this.#stores.sessions,
      clock: this.#clock,
      countTokens: this.#tokenizer,
      merges: mergesOf(state),
      sumCosts: costSums(cacheRulesIn(cache)),
      beforeErase: (session, seqs) => this.#forgetSource(session, seqs),
      ...(beforeAppend ? { beforeAppend } : {}),
    });
  }

  get artifacts() {
    return this.sessions.artifacts;
  }

  agent<Own extends object>(options: FacadeAgentOptions<NoInfer<Own>>): Agent {
    const made = agentOptionsOf(options);
    const agent = createAgent(made, {
      appName: this.appName,
      driver: this.invocations,
      artifacts: this.artifacts,
      memory: this.memory,
      forget: (owner, id) => forgetMemories({ sessions: this.sessions, memory: this.memory }, owner, { id }),
      history: this.sessions,
      open: (key) => this.sessions.open(key),
      clock: this.#clock,
      logger: this.#logger,
      telemetry: () => this.#telemetry.load(),
    });
    const { model, settings, tools = [] } = made;
    const { compaction } = options;
    if (compaction !== undefined) checkCompactionOption(compaction);
    this.#compaction.meet(agent.name, {
      ...{ model, asksForFolds: asksForFolds(tools) },
      ...(settings && { settings }),
      ...(compaction && { compaction }),
    });
    return agent;
  }

  user(userId: string): User {
    return createUser(
      {
        appName: this.appName,
        sessions: this.sessions,
        memory: this.memory,
        learn: (key) => this.#learnInBackground(key),
        eraseSession: (key) => this.eraseSession(key),
        eraseUser: async (id) => {
          const now = () => toInstant(this.#clock.now());
          const parts = { sessions: this.sessions, memory: this.memory, now };
          const receipt = await eraseUser(parts, { appName: this.appName, userId: id });
          await this.#stores.jobs.remove({ appName: this.appName, userId: id });
          return this.#scrubbed(receipt);
        },
      },
      { userId },
    );
  }

  async context(key: SessionKey, options?: ContextOptions): Promise<ContextRequest> {
    await this.#tokenizer.load();
    const { sessions, memory } = this;
    const parts = { sessions, memory, countTokens: this.#tokenizer, now: () => this.#clock.now() };
    return buildContext(parts, key, options);
  }

  async explain(key: SessionKey, seq: number): Promise<PastRequest> {
    await this.#tokenizer.load();
    return explainPast({ sessions: this.sessions, countTokens: this.#tokenizer }, key, seq);
  }

  compact(key: SessionKey, options?: CompactRequest): Promise<CompactionOutcome> {
    return this.#compaction.compact(parseSessionKey(key), options);
  }

  expand(key: SessionKey, compactionSeq: number, options?: ExpandOptions): Promise<Page<Event>> {
    return expandSummary(this.sessions, key, compactionSeq, options);
  }

  async import(session: ImportSession, options: { readonly from: string }): Promise<ImportResult> {
    const key = parseSessionKey({ appName: this.appName, userId: session?.userId, sessionId: session?.sessionId });
    const result = await importSession(this.sessions, key, session, parseId(options?.from, 'from'));
    this.#learnInBackground(key);
    return result;
  }

  async eraseSession(key: SessionKey): Promise<EraseReceipt> {
    return this.#scrubbed(await this.sessions.delete(key));
  }

  async sweep(
    now: Instant = toInstant(this.#clock.now()),
  ): Promise<{ readonly expired: number; readonly ended: number }> {
    const moment = parseInstant(now, 'now');
    const expired = await this.sessions.sweepExpired(moment);
    await this.#compaction.sweep(toMillis(moment));
    const idleSince = toInstant(toMillis(moment) - this.#idleSeconds * 1000);
    let ended = 0;
    for (;;) {
      const sessions = await this.sessions.endIdle({ appName: this.appName, idleSince });
      for (const { key } of sessions) this.#learnInBackground(key);
      ended += sessions.length;
      if (sessions.length === 0) return { expired, ended };
    }
  }

  async settled(): Promise<void> {
    await this.#background.settled();
    await this.#compaction.settled();
  }

  async backup(file: string): Promise<void> {
    this.#stores.backup(file);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    try {
      await this.#driver.close();
      await this.#compaction.close();
      await this.#background.settled();
    } finally {
      await this.memory.close();
      await this.sessions.close();
      this.#stores.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What was erased is gone from the tables whatever happens here, so the receipt is given all the same. */
  async #tryScrub(): Promise<boolean> {
    try {
      return await this.#stores.scrub();
    } catch (error) {
      this.#background.start(async () => {
        throw error;
      });
      return false;
    }
  }

  async #scrubbed(receipt: EraseReceipt): Promise<EraseReceipt> {
    if (await this.#tryScrub()) return receipt;
    return Object.freeze({ ...receipt, left: Object.freeze([...receipt.left, movedBytes]) });
  }

  #inBackground(work: () => Promise<unknown>): void {
    if (!this.#closed) this.#background.start(work);
  }

  #learnInBackground(key: SessionKey): void {
    if (this.#learns) this.#inBackground(() => this.#learn(key));
  }

  /** One reader of a log at a time; a call during a read has it look once more. */
  #learn(key: SessionKey): Promise<void> {
    const name = JSON.stringify(key);
    const next = (this.#ingesting.get(name) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => ingestLog(this, key));
    const tracked = next.finally(() => {
      if (this.#ingesting.get(name) === tracked) this.#ingesting.delete(name);
    });
    this.#ingesting.set(name, tracked);
    return tracked;
  }

  /** Reads what an earlier process left unread. */
  async #catchUp(): Promise<void> {
    for (const seen = new Set<string>(); ; ) {
      const behind = (await this.sessions.listBehind({ appName: this.appName, limit: 100 })).filter(
        ({ incarnation }) => !seen.has(incarnation),
      );
      if (behind.length === 0 || this.#closed) return;
      for (const { key, incarnation } of behind) {
        if (this.#closed) return;
        seen.add(incarnation);
        const learning = this.#learn(key);
        // One log that cannot be read is reported and does not keep the others waiting.
        this.#inBackground(() => learning);
        await Promise.allSettled([learning]);
      }
    }
  }

  async #forgetSource(
    { key, incarnation }: SessionInfo,
    seqs: Parameters<NonNullable<Parameters<typeof createSessionService>[0]['beforeErase']>>[1],
  ): Promise<number> {
    this.#driver.forget(key);
    this.#compaction.forget(key);
    const { appName, userId, sessionId } = key;
    // Jobs of the same file may quote what they are about, whoever has enqueued them.
    if (seqs === 'all') await this.#stores.jobs.remove({ appName, userId, sessionId });
    const which = { sessionId, incarnation, ...(seqs === 'all' ? {} : { seqs }) };
    return this.memory.delete({ appName, userId }, which);
  }
}

/** An AI SDK model becomes one of ours, and what is no matter of the agent's goes; what is wrong with the rest it says. */
function agentOptionsOf<State extends object>(options: FacadeAgentOptions<State>): AgentOptions<State> {
  const given: unknown = options;
  if (!isPlainObject(given)) return options as AgentOptions<State>;
  const { compaction: _, ...rest } = options;
  return (given.model === undefined ? rest : { ...rest, model: languageModel(options.model) }) as AgentOptions<State>;
}

function failureListener(logger: Logger | undefined): (error: unknown) => void {
  if (logger === undefined) return (error) => process.emitWarning(error instanceof Error ? error : String(error));
  return (error) => {
    const code = isPalimpsestError(error) ? { code: error.code } : {};
    const stack = error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
    logger.error('Work in the background failed.', { error: String(error), ...code, ...stack });
  };
}
