import { PalimpsestError } from '../errors/index.ts';
import {
  type Clock,
  type EraseReceipt,
  type Instant,
  parseId,
  parseInstant,
  parseSessionKey,
  type SessionKey,
  toInstant,
  toMillis,
} from '../events/index.ts';
import { systemClock } from '../internal/index.ts';
import {
  createInMemoryMemoryStore,
  createMemoryService,
  type MemoryService,
  type MemoryStore,
} from '../memory/service/index.ts';
import {
  createInMemorySessionStore,
  createSessionService,
  type SessionInfo,
  type SessionService,
  type SessionStore,
} from '../sessions/index.ts';
import { BackgroundWork } from './background-work.ts';
import { buildContext } from './build-context.ts';
import { eraseUser } from './erase-user.ts';
import { importSession } from './import-session.ts';
import { ingestLog } from './ingest-log.ts';
import { checkOpenOptions, type OpenOptions } from './open-options.ts';
import { createUser } from './open-user.ts';
import type { ContextOptions, ContextRequest, ImportResult, ImportSession, Palimpsest, User } from './palimpsest.ts';

interface Stores {
  readonly sessions: SessionStore;
  readonly memory: MemoryStore;
  backup(to: string): void;
  /** Has nothing left of what was removed; `false` if it could not. */
  scrub(): Promise<boolean>;
  close(): void;
}

const defaultScrubBytes = 256 * 1024 * 1024;
const movedBytes =
  'bytes of removed rows that SQLite had moved may stand in unused parts of the file until it is rewritten: erase again while nobody else is at work, with a larger scrubUpToBytes';

/**
 * Opens a Palimpsest. Throws INVALID_ARGUMENT, NOT_SUPPORTED for a url, and what opening a file throws: FILE_NOT_FOUND,
 * NOT_A_STORE, SCHEMA_NEWER, STORE_BUSY, MISSING_PACKAGE.
 *
 * @example
 * const palimpsest = await openPalimpsest({ file: 'agent.db', appName: 'weather' });
 */
export async function openPalimpsest(options: OpenOptions = {}): Promise<Palimpsest> {
  checkOpenOptions(options);
  const appName = parseId(options.appName ?? 'default', 'appName');
  if (options.url !== undefined) {
    throw new PalimpsestError('NOT_SUPPORTED', {
      capability: 'Opening a url',
      instead: 'Give a file, or neither for memory alone.',
    });
  }
  const stores = options.file === undefined ? memoryStores() : await fileStores(options.file, options);
  return new OpenedPalimpsest(appName, stores, options);
}

class OpenedPalimpsest implements Palimpsest {
  readonly appName: string;
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  readonly #stores: Stores;
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
    this.#background = new BackgroundWork(options.onBackgroundFailure ?? warn);
    this.memory = createMemoryService({ store: stores.memory, clock: this.#clock });
    this.sessions = createSessionService({
      store: stores.sessions,
      clock: this.#clock,
      beforeErase: (session, seqs) => this.#forgetSource(session, seqs),
      ...(options.countTokens ? { countTokens: options.countTokens } : {}),
      ...(options.state ? { merges: options.state } : {}),
      ...(options.redact ? { beforeAppend: options.redact } : {}),
    });
    const sweepSeconds = options.sweepSeconds ?? 60;
    if (sweepSeconds > 0)
      this.#sweeper = setInterval(() => this.#inBackground(() => this.sweep()), sweepSeconds * 1000).unref();
    if (this.#learns) this.#inBackground(() => this.#catchUp());
  }

  get artifacts() {
    return this.sessions.artifacts;
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
          return this.#scrubbed(await eraseUser(parts, { appName: this.appName, userId: id }));
        },
      },
      { userId },
    );
  }

  async context(key: SessionKey, options?: ContextOptions): Promise<ContextRequest> {
    return buildContext({ sessions: this.sessions, memory: this.memory, now: () => this.#clock.now() }, key, options);
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
    const { appName, userId, sessionId } = key;
    const which = { sessionId, incarnation, ...(seqs === 'all' ? {} : { seqs }) };
    return this.memory.delete({ appName, userId }, which);
  }
}

function memoryStores(): Stores {
  return {
    sessions: createInMemorySessionStore(),
    memory: createInMemoryMemoryStore(),
    backup: () => {
      throw new PalimpsestError('NOT_SUPPORTED', {
        capability: 'A backup of memory',
        instead: 'Open a file to have one.',
      });
    },
    scrub: async () => true,
    close: () => undefined,
  };
}

async function fileStores(file: string, options: OpenOptions): Promise<Stores> {
  const { driver, durability, mustExist, scrubUpToBytes = defaultScrubBytes } = options;
  const { openSqlite } = await import('../backends/sqlite/index.ts');
  const opened = await openSqlite({
    file,
    ...(driver ? { driver } : {}),
    ...(durability ? { durability } : {}),
    ...(mustExist ? { mustExist } : {}),
  });
  return {
    sessions: opened.sessions,
    memory: opened.memory,
    backup: (to) => opened.file.backup(to),
    scrub: async () => opened.file.size <= scrubUpToBytes && opened.file.scrub(),
    close: () => opened.file.close(),
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
