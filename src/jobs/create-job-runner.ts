import { AsyncLocalStorage } from 'node:async_hooks';
import { PalimpsestError } from '../errors/index.ts';
import { type Page, parseId, toInstant } from '../events/index.ts';
import { encodeCursor, uuidV7 } from '../internal/index.ts';
import type {
  DeadLetter,
  DeadLetterOptions,
  Enqueued,
  JobHandler,
  JobRunner,
  JobRunnerOptions,
  NewJob,
} from './job-runner.ts';
import type { ClaimedJob, DeadLetterRow, JobFilter, JobScope } from './job-store.ts';
import { pause } from './pause.ts';
import { bad, readDeadLetterOptions, readFilter, readJob, readJobScope } from './read-job.ts';
import { type RunnerSettings, readHandlers, readRunnerOptions } from './runner-settings.ts';
import { RunningJob } from './running-job.ts';

/** Opens a runner over a store. Throws INVALID_ARGUMENT for a bad option. */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  return new StoreJobRunner(readRunnerOptions(options));
}

class StoreJobRunner implements JobRunner {
  readonly #settings: RunnerSettings;
  readonly #handlers: Map<string, JobHandler>;
  readonly #running = new Map<RunningJob, Promise<void>>();
  /** Which of them a call comes from. */
  readonly #inside = new AsyncLocalStorage<RunningJob>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** When the next job is free, as of the last claim. */
  #freeAt: number | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #failure: { readonly error: unknown } | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: RunnerSettings) {
    this.#settings = { ...settings, onFailure: (error) => this.#note(error, settings.onFailure) };
    this.#handlers = new Map(settings.handlers);
    void this.#look();
  }

  async enqueue(job: NewJob): Promise<Enqueued> {
    this.#refuseClosed();
    const { store, clock } = this.#settings;
    const now = clock.now();
    const enqueued = await store.enqueue({ ...readJob(job), id: uuidV7(now), enqueuedAt: now });
    void this.#look();
    return enqueued;
  }

  handle(queue: string, handler: JobHandler): void {
    this.#refuseClosed();
    for (const [name, one] of readHandlers({ [queue]: handler })) this.#handlers.set(name, one);
    void this.#look();
  }

  async settled({ backOffs = false }: { readonly backOffs?: boolean } = {}): Promise<void> {
    this.#refuseInside();
    for (;;) {
      this.#refuseClosed();
      await this.#look();
      if (this.#running.size > 0) await Promise.race(this.#running.values());
      else if (backOffs && this.#freeAt !== undefined) await pause(this.#idleMs(), this.#closing.signal);
      else return this.#throwFailure();
    }
  }

  async deadLetters(options: DeadLetterOptions): Promise<Page<DeadLetter>> {
    this.#refuseClosed();
    const query = readDeadLetterOptions(options);
    const found = await this.#settings.store.deadLetters({ ...query, limit: query.limit + 1 });
    const shown = found.slice(0, query.limit);
    const items = shown.map(deadLetter);
    const last = shown.at(-1);
    return found.length > query.limit && last ? { items, nextCursor: encodeCursor([last.place]) } : { items };
  }

  async requeue(filter: JobFilter, id: string): Promise<'enqueued' | 'waiting' | 'absent'> {
    this.#refuseClosed();
    const outcome = await this.#settings.store.requeue(readFilter(filter), parseId(id, 'id'));
    void this.#look();
    return outcome;
  }

  async erase(scope: JobScope): Promise<number> {
    this.#refuseClosed();
    return this.#settings.store.remove(readJobScope(scope));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    for (const running of this.#running.keys()) running.stop();
    await this.#looking;
    const patience = new AbortController();
    const ended = Promise.all(this.#running.values()).then(() => patience.abort());
    await Promise.race([ended, pause(this.#settings.closeWaitMs, patience.signal)]);
    await Promise.all(Array.from(this.#running.keys(), (running) => running.giveBack()));
    this.#throwFailure();
  }

  /** Claims as many jobs as may run. Whoever asks meanwhile waits for one more look, so that none is overlooked. */
  #look(): Promise<void> {
    this.#lookAgain = true;
    this.#looking ??= this.#lookWhileAsked();
    return this.#looking;
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false;
      await nextTurn();
      try {
        await this.#claimJobs();
      } catch (error) {
        this.#freeAt = undefined;
        this.#settings.onFailure(error);
      }
    }
    this.#looking = undefined;
    this.#setTimer();
  }

  async #claimJobs(): Promise<void> {
    const { store, clock, owner, leaseMs, maxRunning } = this.#settings;
    while (!this.#isClosed() && this.#handlers.size > 0 && this.#running.size < maxRunning) {
      const now = clock.now();
      const leaseUntil = now + leaseMs;
      // A clock that has jumped is past the leases of what runs here, which would be claimed and run twice.
      await Promise.all(Array.from(this.#running.keys(), (running) => running.keepLease(now)));
      const claimed = await store.claim({ queues: [...this.#handlers.keys()], owner, now, leaseUntil });
      if (claimed.job === undefined) {
        this.#freeAt = claimed.freeAt;
        return;
      }
      await this.#start(claimed.job, leaseUntil);
      await nextTurn();
    }
  }

  async #start(job: ClaimedJob, leaseUntil: number): Promise<void> {
    const running = new RunningJob(this.#settings, job, leaseUntil);
    const handler = this.#handlers.get(job.queue);
    if (handler === undefined || this.#isClosed()) return running.giveBack();
    // Begins when it is among those that run: a handler may ask the runner at once.
    const ended = Promise.resolve()
      .then(() => this.#inside.run(running, () => running.run(handler)))
      .catch((error: unknown) => this.#settings.onFailure(error))
      .then(() => {
        this.#running.delete(running);
        void this.#look();
      });
    this.#running.set(running, ended);
  }

  /** While all that may run do, the end of one of them is what to wait for. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed() || this.#handlers.size === 0 || this.#running.size >= this.#settings.maxRunning) return;
    this.#timer = setTimeout(() => void this.#look(), this.#idleMs()).unref();
  }

  #idleMs(): number {
    const { clock, pollMs } = this.#settings;
    return this.#freeAt === undefined ? pollMs : Math.min(pollMs, Math.max(1, this.#freeAt - clock.now()));
  }

  #note(error: unknown, tell: (error: unknown) => void): void {
    this.#failure ??= { error };
    try {
      tell(error);
    } catch {
      // The failure itself is kept and thrown; that nobody could be told adds nothing to it.
      return;
    }
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #refuseInside(): void {
    const running = this.#inside.getStore();
    if (running === undefined || !this.#running.has(running)) return;
    throw bad(
      'settled()',
      'cannot be called by a handler of the same runner, which it would wait for; call it elsewhere',
    );
  }

  #refuseClosed(): void {
    if (this.#isClosed()) throw new PalimpsestError('CLOSED', { what: 'The job runner' });
  }
}

/** Lets timers and sockets have their turn: jobs that enqueue jobs would starve them. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function deadLetter({ place, enqueuedAt, cause, ...row }: DeadLetterRow): DeadLetter {
  return Object.freeze({
    ...row,
    enqueuedAt: toInstant(enqueuedAt),
    cause: Object.freeze({ ...cause, at: toInstant(cause.at) }),
  });
}
