import {
  type EraseReceipt,
  type Event,
  type EventInput,
  isFinal,
  type Page,
  type SessionKey,
} from '../events/index.ts';
import type { MemoryService } from '../memory/service/index.ts';
import type { AppendOptions, AppendResult, ReadOptions, Session, SessionService } from '../sessions/index.ts';
import type { OpenSession } from './palimpsest.ts';

/** What the handles of users and sessions work with. */
export interface UserParts {
  readonly appName: string;
  readonly sessions: SessionService;
  readonly memory: MemoryService;
  /** Has memory read a session's log, in the background. */
  readonly learn: (key: SessionKey) => void;
  readonly eraseSession: (key: SessionKey) => Promise<EraseReceipt>;
  readonly eraseUser: (userId: string) => Promise<EraseReceipt>;
}

/** A session at hand. It shows the facts as of its last call; the calls themselves always meet the newest log. */
export class SessionHandle implements OpenSession {
  readonly #parts: UserParts;
  #session: Session;

  constructor(parts: UserParts, session: Session) {
    this.#parts = parts;
    this.#session = session;
  }

  get info(): Session {
    return this.#session;
  }

  get key(): SessionKey {
    return this.#session.key;
  }

  get version(): number {
    return this.#session.version;
  }

  get state(): Session['state'] {
    return this.#session.state;
  }

  async append(events: readonly EventInput[], options?: AppendOptions): Promise<AppendResult> {
    const result = await this.#parts.sessions.append(this.key, events, options);
    if (result.events.some(isWorthLearning)) this.#parts.learn(this.key);
    await this.#refresh(result.version);
    return result;
  }

  async read(options?: ReadOptions): Promise<Page<Event>> {
    return this.#parts.sessions.read(this.key, options);
  }

  async readEffective(options?: ReadOptions): Promise<Page<Event>> {
    return this.#parts.sessions.readEffective(this.key, options);
  }

  async rewind(options: { readonly beforeInvocationId: string; readonly shared?: boolean }): Promise<Event> {
    return this.#afterwards(await this.#parts.sessions.rewind(this.key, options));
  }

  async fork(options: { readonly atSeq: number; readonly sessionId?: string }): Promise<OpenSession> {
    return new SessionHandle(this.#parts, await this.#parts.sessions.fork(this.key, options));
  }

  async end(): Promise<Event> {
    return this.#afterwards(await this.#parts.sessions.end(this.key));
  }

  async delete(): Promise<EraseReceipt> {
    return this.#parts.eraseSession(this.key);
  }

  async #afterwards(event: Event): Promise<Event> {
    await this.#refresh(event.seq);
    this.#parts.learn(this.key);
    return event;
  }

  /** What others have appended since is not seen through this handle, so its version stays at its own call's. */
  async #refresh(version: number): Promise<void> {
    const now = await this.#parts.sessions.open(this.key);
    if (now !== undefined) this.#session = Object.freeze({ ...now, version });
  }
}

/** True for what ends an invocation or a session, and for a rewind, which makes memory take things back. */
function isWorthLearning(event: Event): boolean {
  return isFinal(event) || event.actions.sessionEnd === true || event.actions.rewind !== undefined;
}
