import { PalimpsestError } from '../errors/index.ts';
import { toInstant } from '../events/index.ts';
import { pauseAfter } from './back-off.ts';
import { causeOf, lostRun } from './failure-cause.ts';
import type { Job, JobHandler } from './job-runner.ts';
import type { ClaimedJob, JobFailure } from './job-store.ts';
import type { RunnerSettings } from './runner-settings.ts';

/** One claim of one job: its handler at work, the lease that is renewed meanwhile, and what is told the store then. */
export class RunningJob {
  readonly #settings: RunnerSettings;
  readonly #job: ClaimedJob;
  readonly #controller = new AbortController();
  /** True once the store has been, or need not be, told how it ended. */
  #isOver = false;
  #isClosing = false;

  constructor(settings: RunnerSettings, job: ClaimedJob) {
    this.#settings = settings;
    this.#job = job;
  }

  /** Runs the handler and tells the store how that ended. Throws only what the store throws. */
  async run(handler: JobHandler): Promise<void> {
    const { attempts, lostBy } = this.#job;
    if (lostBy !== undefined && attempts > this.#settings.maxAttempts) return this.#fail(lostRun(lostBy), attempts - 1);
    const { store, leaseMs } = this.#settings;
    const timer = setInterval(() => void this.#renew(), leaseMs / 3).unref();
    try {
      await handler(this.#view());
    } catch (error) {
      return await this.#fail(error, attempts);
    } finally {
      clearInterval(timer);
    }
    if (this.#end()) await store.complete(this.#job);
  }

  /** Tells the handler that it is to stop, and that what it has not done is given back. */
  stop(): void {
    this.#isClosing = true;
    this.#abort();
  }

  /** Lets others have the job at once, as if it had not been claimed, unless it has ended. */
  async giveBack(): Promise<void> {
    if (!this.#end()) return;
    const { store, clock } = this.#settings;
    await store.fail(this.#job, { freeAt: clock.now(), attempts: this.#job.attempts - 1 });
  }

  async #fail(error: unknown, attempts: number): Promise<void> {
    if (this.#isClosing) return this.giveBack();
    if (this.#end()) await this.#settings.store.fail(this.#job, this.#failure(error, attempts));
  }

  #failure(error: unknown, attempts: number): JobFailure {
    const { clock, maxAttempts } = this.#settings;
    const now = clock.now();
    if (attempts >= maxAttempts) return { cause: causeOf(error, attempts, now) };
    return { freeAt: now + pauseAfter(error, attempts, this.#settings), attempts };
  }

  /** True for the first who asks: only one may tell the store. */
  #end(): boolean {
    const isFirst = !this.#isOver;
    this.#isOver = true;
    return isFirst;
  }

  async #renew(): Promise<void> {
    const { store, clock, leaseMs, onFailure } = this.#settings;
    try {
      if ((await store.renew(this.#job, clock.now() + leaseMs)) === 'held' || !this.#end()) return;
      this.#abort();
    } catch (error) {
      onFailure(error);
    }
  }

  #abort(): void {
    this.#controller.abort(new PalimpsestError('ABORTED', { what: `The job ${this.#job.id}` }));
  }

  #view(): Job {
    const { id, queue, scope, payload, dedupeId, enqueuedAt, attempts, token } = this.#job;
    return {
      ...{ id, queue, scope, payload, attempt: attempts, token, signal: this.#controller.signal },
      ...(dedupeId === undefined ? {} : { dedupeId }),
      enqueuedAt: toInstant(enqueuedAt),
    };
  }
}
