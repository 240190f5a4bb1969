import { PalimpsestError } from '../errors/index.ts';
import { toInstant } from '../events/index.ts';
import { pauseAfter } from './back-off.ts';
import { causeOf, lostRun } from './failure-cause.ts';
import type { Job, JobHandler } from './job-runner.ts';
import type { ClaimedJob, HoldOutcome, JobFailure } from './job-store.ts';
import type { RunnerSettings } from './runner-settings.ts';

/** One claim of one job: its handler at work, the lease that is renewed meanwhile, and what is told the store then. */
export class RunningJob {
  readonly #settings: RunnerSettings;
  readonly #job: ClaimedJob;
  readonly #controller = new AbortController();
  #leaseUntil: number;
  #renewing: Promise<void> | undefined;
  /** True once the store has been, or need not be, told how it ended. */
  #isOver = false;
  /** The telling. */
  #ending: Promise<HoldOutcome> | undefined;
  #isClosing = false;

  constructor(settings: RunnerSettings, job: ClaimedJob, leaseUntil: number) {
    this.#settings = settings;
    this.#job = job;
    this.#leaseUntil = leaseUntil;
  }

  /** Runs the handler and tells the store how that ended. Throws only what the store throws. */
  async run(handler: JobHandler): Promise<void> {
    if (this.#lastLoss() !== undefined) return this.giveBack();
    const { store, leaseMs } = this.#settings;
    const timer = setInterval(() => this.#renewInTime(), leaseMs / 3).unref();
    try {
      await handler(this.#view());
    } catch (error) {
      return await this.#fail(error);
    } finally {
      clearInterval(timer);
    }
    await this.#end(() => store.complete(this.#job));
  }

  /** Sees to it that the lease is not over at this time, as long as the job is at work. Throws what the store throws. */
  async keepLease(now: number): Promise<void> {
    await this.#renewing;
    if (this.#leaseUntil > now) return;
    if (this.#isOver) await Promise.allSettled([this.#ending]);
    else await this.#renew(now);
  }

  /** Tells the handler that it is to stop, and that what it has not done is given back. */
  stop(): void {
    this.#isClosing = true;
    this.#abort();
  }

  /** Lets others have the job at once, as if it had not been claimed, unless it has ended or has no attempt left. */
  giveBack(): Promise<void> {
    const asBefore = { freeAt: 0, attempts: this.#job.attempts - 1 };
    return this.#end(() => this.#settings.store.fail(this.#job, this.#lastLoss() ?? asBefore));
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#isClosing) return this.giveBack();
    await this.#end(() => this.#settings.store.fail(this.#job, this.#failure(error)));
  }

  #failure(error: unknown): JobFailure {
    const { attempts } = this.#job;
    const { clock, maxAttempts } = this.#settings;
    const now = clock.now();
    if (attempts >= maxAttempts) return { cause: causeOf(error, attempts, now) };
    const pause = pauseAfter(error, attempts, this.#settings);
    return { freeAt: pause === 0 ? 0 : now + pause, attempts };
  }

  /** The failure of a job whose attempts are used up and whose last one ended with its process. */
  #lastLoss(): JobFailure | undefined {
    const { attempts, lostBy } = this.#job;
    const { clock, maxAttempts } = this.#settings;
    if (lostBy === undefined || attempts <= maxAttempts) return undefined;
    return { cause: causeOf(lostRun(lostBy), attempts - 1, clock.now()) };
  }

  /** Only the first who asks tells the store. */
  async #end(tell: () => Promise<HoldOutcome>): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ending = tell();
    await this.#ending;
  }

  #renewInTime(): void {
    const { clock, onFailure } = this.#settings;
    this.#renewing ??= this.#renew(clock.now())
      .catch(onFailure)
      .finally(() => {
        this.#renewing = undefined;
      });
  }

  async #renew(now: number): Promise<void> {
    const { store, leaseMs } = this.#settings;
    const leaseUntil = now + leaseMs;
    if ((await store.renew(this.#job, leaseUntil)) === 'held') {
      this.#leaseUntil = leaseUntil;
    } else if (!this.#isOver) {
      this.#isOver = true;
      this.#abort();
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
