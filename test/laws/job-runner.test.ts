import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PalimpsestError } from '../../src/errors/index.ts';
import { createJobRunner, type Job, type JobHold, type JobRunner, type JobStore } from '../../src/jobs/index.ts';
import { forwardJobs, type JobSubject } from '../../src/testing/index.ts';
import { inMemoryJobs, sqliteJobs } from './job-subjects.ts';

const maxAttempts = 3;

/** How an attempt of a job goes; `crash` takes its process along. */
type Attempt = 'done' | 'fails' | 'crash';

type Step =
  | { readonly do: 'enqueue'; readonly line: number; readonly plan: readonly Attempt[] }
  | { readonly do: 'pass'; readonly millis: number }
  | { readonly do: 'settle' }
  | { readonly do: 'reopen'; readonly slot: number };

const attempt = fc.constantFrom<Attempt>('done', 'done', 'fails', 'fails', 'crash');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('enqueue'), line: fc.nat(3), plan: fc.array(attempt) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass'), millis: fc.constantFrom(1, 500, 5_000, 31_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen'), slot: fc.nat(1) }) },
);

interface Process {
  readonly runner: JobRunner;
  readonly crashed: Promise<void>;
  isDead: boolean;
}

/** Two processes that run jobs from one store, and what became of each job. */
class Story {
  readonly #subject: JobSubject;
  readonly #processes: Process[];
  readonly #everyProcess: Process[] = [];
  readonly #enqueued: { readonly id: string; readonly line: string; readonly plan: readonly Attempt[] }[] = [];
  /** Ids in the order in which they ended, by line. */
  readonly #ended = new Map<string, string[]>();
  readonly #fate = new Map<string, 'done' | 'dead'>();
  /** Those that lost an attempt because another job took their process along. */
  readonly #struck = new Set<string>();
  /** Processes at work, by line. */
  readonly #atWork = new Map<string, Set<Process>>();

  constructor(subject: JobSubject) {
    this.#subject = subject;
    this.#processes = [this.#open(subject.first), this.#open(subject.second)];
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'pass') this.#subject.clock.advance(step.millis);
    else if (step.do === 'settle') await this.#settle();
    else if (step.do === 'reopen') await this.#reopen(step.slot);
    else await this.#enqueue(step);
  }

  async expectEnd(): Promise<void> {
    for (let rounds = 0; this.#fate.size < this.#enqueued.length; rounds++) {
      expect(rounds, `of ${this.#enqueued.length} jobs only ${this.#fate.size} have ended`).toBeLessThan(400);
      await this.#settle();
      this.#subject.clock.advance(31_000);
    }
    const fates = this.#enqueued.map(({ id }) => [id, this.#fate.get(id)]);
    const planned = this.#enqueued.map(({ id, plan }) => [
      id,
      this.#struck.has(id) ? this.#fate.get(id) : fateOf(plan),
    ]);
    expect(fates).toEqual(planned);
    for (const [line, ended] of this.#ended) {
      expect(ended).toEqual(this.#enqueued.filter((job) => job.line === line).map(({ id }) => id));
    }
    const letters = await this.#subject.second.deadLetters({ filter: { appName: 'a' }, limit: 1_000 });
    const dead = fates.filter(([, fate]) => fate === 'dead').map(([id]) => id);
    expect(letters.map(({ id }) => id).sort()).toEqual(dead.sort());
    const cause = letters.map(({ cause }) => [cause.attempts, cause.code]);
    for (const [attempts, code] of cause)
      expect([attempts, code === undefined || code === 'ABORTED']).toEqual([3, true]);
  }

  async close(): Promise<void> {
    for (const { runner } of this.#everyProcess) await runner.close().catch(onlyClosed);
    await this.#subject.dispose();
  }

  async #enqueue({ line, plan }: Step & { do: 'enqueue' }): Promise<void> {
    const [process] = this.#processes;
    const scope = { appName: 'a', userId: `用户 ${line}` };
    const enqueued = await process?.runner.enqueue({ queue: 'q', scope, payload: { plan } });
    if (enqueued !== undefined) this.#enqueued.push({ id: enqueued.id, line: scope.userId, plan });
    await this.#replaceDead();
  }

  async #settle(): Promise<void> {
    const settled = this.#processes.map(({ runner, crashed }) =>
      Promise.race([runner.settled().catch(onlyClosed), crashed]),
    );
    await Promise.all(settled);
    await this.#replaceDead();
  }

  async #reopen(slot: number): Promise<void> {
    await this.#processes[slot]?.runner.close().catch(onlyClosed);
    this.#processes[slot] = this.#open(slot === 0 ? this.#subject.first : this.#subject.second);
  }

  async #replaceDead(): Promise<void> {
    for (const [slot, { isDead }] of this.#processes.entries()) {
      if (isDead) this.#processes[slot] = this.#open(slot === 0 ? this.#subject.first : this.#subject.second);
    }
  }

  #open(store: JobStore): Process {
    let crash = (): void => undefined;
    const crashed = new Promise<void>((resolve) => {
      crash = resolve;
    });
    const runner = createJobRunner({
      clock: this.#subject.clock,
      random: () => 0.5,
      store: this.#mortal(store, () => process.isDead),
      handlers: { q: (job) => this.#handle(job, process, crash) },
      ...{ maxAttempts, maxRunning: 2, firstDelayMs: 1_000, longestDelayMs: 3_000, closeWaitMs: 0, pollMs: 60_000 },
    });
    const process: Process = { runner, crashed, isDead: false };
    this.#everyProcess.push(process);
    return process;
  }

  /** A store that notes how jobs end, and is out of reach for a process that is dead. */
  #mortal(store: JobStore, isDead: () => boolean): JobStore {
    const reach = (hold?: JobHold): JobStore => {
      if (!isDead()) return store;
      if (hold !== undefined) this.#struck.add(hold.id);
      throw new PalimpsestError('CLOSED', { what: 'The dead process' });
    };
    return forwardJobs(store, {
      claim: async (claim) => reach().claim(claim),
      renew: async (hold, leaseUntil) => reach().renew(hold, leaseUntil),
      complete: async (hold) => {
        const outcome = await reach(hold).complete(hold);
        if (outcome === 'held') this.#note(hold.id, 'done');
        return outcome;
      },
      fail: async (hold, failure) => {
        const outcome = await reach(hold).fail(hold, failure);
        if (outcome === 'held' && failure.freeAt === undefined) this.#note(hold.id, 'dead');
        return outcome;
      },
    });
  }

  async #handle(job: Job, process: Process, crash: () => void): Promise<void> {
    const line = job.scope.userId;
    if (process.isDead) return this.#strike(job);
    const others = this.#atWork.get(line) ?? new Set<Process>();
    this.#atWork.set(line, others.add(process));
    expect([...others].filter(({ isDead }) => !isDead)).toEqual([process]);
    await new Promise((resolve) => setImmediate(resolve));
    if (process.isDead) return this.#strike(job);
    const { plan } = job.payload as { readonly plan: readonly Attempt[] };
    const now = plan[job.attempt - 1] ?? 'done';
    if (now === 'crash') {
      process.isDead = true;
      crash();
      return forever;
    }
    others.delete(process);
    if (now === 'fails') throw new TypeError('按计划失败');
  }

  #strike({ id }: Job): Promise<never> {
    this.#struck.add(id);
    return forever;
  }

  #note(id: string, fate: 'done' | 'dead'): void {
    expect(this.#fate.get(id), `${id} ended twice`).toBeUndefined();
    this.#fate.set(id, fate);
    const line = this.#enqueued.find((job) => job.id === id)?.line ?? '';
    this.#ended.set(line, [...(this.#ended.get(line) ?? []), id]);
  }
}

const forever = new Promise<never>(() => undefined);

function fateOf(plan: readonly Attempt[]): 'done' | 'dead' {
  const attempts = Array.from({ length: maxAttempts }, (_, index) => plan[index] ?? 'done');
  return attempts.includes('done') ? 'done' : 'dead';
}

/** What a process says that was taken out of its work. */
function onlyClosed(error: unknown): void {
  expect(error).toMatchObject({ code: 'CLOSED' });
}

const count = Number(process.env.FUZZ_COUNT ?? 40);

test.each([
  ['in memory', inMemoryJobs],
  ['on SQLite', sqliteJobs],
] as const)(
  '%s every job ends once, as planned and in order, whatever crashes',
  {
    timeout: 60_000 + count * 1_000,
  },
  async (_name, create) => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 40 }), async (steps) => {
      const story = new Story(await create());
      try {
        for (const step of steps) await story.take(step);
        await story.expectEnd();
      } finally {
        await story.close();
      }
    });
    await fc.assert(property, { numRuns: count });
  },
);
