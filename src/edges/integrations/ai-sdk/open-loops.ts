import {
  type Content,
  defaultLeaseSeconds,
  functionCalls,
  functionResponses,
  type Invocation,
  isPalimpsestError,
  type Palimpsest,
  PalimpsestError,
  type SessionKey,
  toInstant,
} from '../../../index.ts';

/** Who wants a session: what it knows of the conversation, and how long it would wait. */
export interface Claim {
  readonly key: SessionKey;
  readonly contents: readonly Content[];
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** An answer that asked for tools: whoever made the call is at work on them and will come back. */
export interface OpenLoop {
  readonly key: SessionKey;
  /** The event of the answer. */
  readonly seq: number;
  readonly callIds: readonly string[];
  /** The longest that it keeps the session to itself. */
  readonly longestMs: number;
  readonly signal?: AbortSignal;
}

interface Held extends OpenLoop {
  readonly until: number;
  readonly stop: () => void;
}

const firstPauseMs = 10;
const longestPauseMs = 250;

/**
 * Keeps two tool loops over one session apart. A loop is several calls of the model; between two of them, while its tools
 * are at work, no run holds the session. A call that knows nothing of the answer that is being worked on belongs to
 * somebody else and finds the session busy. Within this process only.
 */
export class OpenLoops {
  readonly #held = new Map<string, Held>();
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Claims that are under way, of each session, in the order in which they came. */
  readonly #lines = new Map<string, Claim[]>();

  /**
   * Begins an invocation when the session is free and nobody has waited longer; a loop that goes on waits behind nobody.
   * Throws SESSION_BUSY, ABORTED, and what beginning throws.
   */
  async begin(claim: Claim, palimpsest: Palimpsest, begin: () => Promise<Invocation>): Promise<Invocation> {
    const name = nameOf(claim.key);
    const line = this.#lines.get(name) ?? [];
    this.#lines.set(name, line);
    line.push(claim);
    try {
      return await this.#beginFirst(claim, palimpsest, begin);
    } finally {
      line.splice(line.indexOf(claim), 1);
      if (line.length === 0) this.#lines.delete(name);
    }
  }

  async #beginFirst(claim: Claim, palimpsest: Palimpsest, begin: () => Promise<Invocation>): Promise<Invocation> {
    const until = Date.now() + claim.waitMs;
    for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
      try {
        return await this.#inTurn(claim.key, async () => {
          if (!this.#goesOn(claim)) this.#requireFirst(claim);
          await this.#giveWay(claim, palimpsest);
          return begin();
        });
      } catch (error) {
        if (!isPalimpsestError(error, 'SESSION_BUSY') || Date.now() >= until) throw error;
      }
      await pauseFor(Math.min(pause, Math.max(1, until - Date.now())), claim.signal);
    }
  }

  /** Ends an invocation. With a loop, the session stays its own until it goes on. */
  async end(invocation: Invocation, loop?: OpenLoop): Promise<void> {
    await this.#inTurn(invocation.key, async () => {
      if (loop !== undefined && loop.signal?.aborted !== true) this.#hold(loop);
      await invocation.finish();
    });
  }

  #hold(loop: OpenLoop): void {
    const name = nameOf(loop.key);
    this.#drop(name);
    const drop = () => this.#drop(name);
    const timer = setTimeout(drop, loop.longestMs);
    if (typeof timer === 'object') timer.unref();
    loop.signal?.addEventListener('abort', drop, { once: true });
    const stop = () => {
      clearTimeout(timer);
      loop.signal?.removeEventListener('abort', drop);
    };
    this.#held.set(name, { ...loop, until: Date.now() + loop.longestMs, stop });
  }

  #drop(name: string): void {
    this.#held.get(name)?.stop();
    this.#held.delete(name);
  }

  /** True for the loop that has the session: it shows the answer that its tools were at work on. */
  #goesOn({ key, contents }: Claim): boolean {
    const held = this.#held.get(nameOf(key));
    return held !== undefined && knows(contents, held.callIds);
  }

  #requireFirst(claim: Claim): void {
    const [first] = this.#lines.get(nameOf(claim.key)) ?? [];
    if (first === claim) return;
    const freeAt = toInstant(Date.now() + defaultLeaseSeconds * 1000);
    throw new PalimpsestError('SESSION_BUSY', { sessionId: claim.key.sessionId, freeAt });
  }

  async #giveWay(claim: Claim, { sessions }: Palimpsest): Promise<void> {
    const { key } = claim;
    const name = nameOf(key);
    const held = this.#held.get(name);
    if (held === undefined) return;
    if (!this.#goesOn(claim)) {
      // The loop may have gone on elsewhere.
      const session = await sessions.open(key);
      if (session?.version === held.seq)
        throw new PalimpsestError('SESSION_BUSY', { sessionId: key.sessionId, freeAt: toInstant(held.until) });
    }
    this.#drop(name);
  }

  /** One after the other for each session: looking whether it is free and taking it are one step. */
  async #inTurn<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    const name = nameOf(key);
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work, work);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }
}

const ofPalimpsest = new WeakMap<Palimpsest, OpenLoops>();

/** The one record of loops for all middleware over an open Palimpsest: many make one for each request. */
export function loopsOf(palimpsest: Palimpsest): OpenLoops {
  const loops = ofPalimpsest.get(palimpsest) ?? new OpenLoops();
  ofPalimpsest.set(palimpsest, loops);
  return loops;
}

function nameOf({ userId, sessionId }: SessionKey): string {
  return JSON.stringify([userId, sessionId]);
}

function knows(contents: readonly Content[], callIds: readonly string[]): boolean {
  const isOne = ({ id }: { readonly id?: string }) => id !== undefined && callIds.includes(id);
  return contents.some((content) => functionCalls(content).some(isOne) || functionResponses(content).some(isOne));
}

function pauseFor(millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new PalimpsestError('ABORTED', { what: 'Waiting for the session' }, { cause: signal?.reason }));
    };
    if (signal?.aborted === true) return reject(new PalimpsestError('ABORTED', { what: 'Waiting for the session' }));
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, millis);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
