import type { SessionKey } from '../../events/index.ts';
import { freshTriggerState, type TriggerState } from './decide.ts';
import type { TriggerRest } from './rest-after.ts';

const mostSessions = 1000;
const longestPause = 64;
const minuteMs = 60_000;

/** What is remembered of an agent in a session, from one fold to the next. */
export interface AgentMemory {
  triggers: TriggerState;
  /** Tokens of instruction, tools and blocks, as they were last observed. */
  overheadTokens: number;
  /** The log as the last decision saw it: requests from there on are not counted yet. */
  decidedSeq: number;
  /** How long no trigger can fire, as far as it is known. */
  rest: TriggerRest | undefined;
  /** Tokens of the last request that was told, and of the one before the last decision. */
  sentTokens: number;
  restsFrom: number;
  /** Tokens of the prompt after a fold at the ceiling, if it was still there: no other one is tried for as much. */
  fullAt: number | undefined;
  /** What has been paid for sending again old results that could be shown cut. */
  trimRent: number;
}

/** What is remembered of a session. All of it is a hint: whoever has forgotten it decides a little worse. */
export class SessionMemory {
  readonly #agents = new Map<string, AgentMemory>();
  #failures = 0;
  #folds = 0;
  #invocationsLeft = 0;
  #pausesUntil = 0;
  #blockedBy = '';

  agent(name: string): AgentMemory {
    const known = this.#agents.get(name);
    if (known !== undefined) return known;
    const agent: AgentMemory = {
      triggers: freshTriggerState,
      overheadTokens: 0,
      decidedSeq: 0,
      trimRent: 0,
      rest: undefined,
      sentTokens: 0,
      restsFrom: 0,
      fullAt: undefined,
    };
    this.#agents.set(name, agent);
    return agent;
  }

  /** How many folds were made: a prompt that was measured at another count is another one now. */
  get folds(): number {
    return this.#folds;
  }

  /** The last attempt at a summary failed. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  isBackingOff(now: number): boolean {
    return this.#invocationsLeft > 0 && now < this.#pausesUntil;
  }

  /** Counts an invocation; true if it falls into a pause. */
  passInvocation(now: number): boolean {
    const isPause = this.isBackingOff(now);
    this.#invocationsLeft = isPause ? this.#invocationsLeft - 1 : 0;
    return isPause;
  }

  /** Begins a pause of 1, 2, 4 … 64 invocations or minutes, whichever is over first. */
  noteFailure(now: number): void {
    this.#invocationsLeft = Math.min(longestPause, 2 ** this.#failures);
    this.#pausesUntil = now + this.#invocationsLeft * minuteMs;
    this.#failures++;
  }

  noteSuccess(): void {
    this.#folds++;
    this.#failures = 0;
    this.#invocationsLeft = 0;
    this.#blockedBy = '';
  }

  /** True the first time that folds are blocked by these events. */
  isNewlyBlocked(by: readonly number[]): boolean {
    const before = this.#blockedBy;
    this.#blockedBy = by.join(' ');
    return this.#blockedBy !== before;
  }
}

/** What is remembered of the sessions that were folded last. */
export class FoldMemory {
  readonly #sessions = new Map<string, SessionMemory>();

  /** The memory of a session; of the name that nameOfSession() gives. */
  of(name: string): SessionMemory {
    const session = this.#sessions.get(name) ?? new SessionMemory();
    this.#sessions.delete(name);
    this.#sessions.set(name, session);
    if (this.#sessions.size > mostSessions) {
      const oldest = this.#sessions.keys().next();
      if (!oldest.done) this.#sessions.delete(oldest.value);
    }
    return session;
  }
}

/** One text for a session. Ids may contain any separator, so it is JSON. */
export function nameOfSession({ appName, userId, sessionId }: SessionKey): string {
  return JSON.stringify([appName, userId, sessionId]);
}
