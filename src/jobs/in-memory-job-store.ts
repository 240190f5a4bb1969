import type {
  ClaimedJob,
  DeadJob,
  DeadJobQuery,
  HoldOutcome,
  JobClaim,
  JobClaimed,
  JobFailure,
  JobFilter,
  JobHold,
  JobRow,
  JobScope,
  JobStore,
} from './job-store.ts';

interface LiveJob {
  readonly row: JobRow;
  readonly place: number;
  attempts: number;
  /** When it can be claimed as soon as it is the head of its line. */
  freeAt: number;
  token: number;
  /** Who holds it; `undefined` while it waits. */
  owner: string | undefined;
}

/** A job store that ends with the process. */
export function createInMemoryJobStore(): JobStore {
  return new InMemoryJobStore();
}

class InMemoryJobStore implements JobStore {
  readonly name = 'in-memory';
  /** Never empty ones, the head first. */
  readonly #lines = new Map<string, LiveJob[]>();
  readonly #byId = new Map<string, LiveJob>();
  /** By id, the oldest first. */
  readonly #dead = new Map<string, DeadJob>();
  #lastPlace = 0;
  #lastToken = 0;

  async enqueue(row: JobRow): Promise<{ readonly outcome: 'enqueued' | 'waiting'; readonly id: string }> {
    return this.#enqueue(row, row.enqueuedAt);
  }

  async claim({ queues, owner, now, leaseUntil }: JobClaim): Promise<JobClaimed> {
    let first: LiveJob | undefined;
    for (const [head] of this.#lines.values()) {
      if (head !== undefined && queues.includes(head.row.queue) && isSooner(head, first)) first = head;
    }
    if (first === undefined) return {};
    if (first.freeAt > now) return { freeAt: first.freeAt };
    const lostBy = first.owner;
    first.attempts += 1;
    first.token = ++this.#lastToken;
    first.owner = owner;
    first.freeAt = leaseUntil;
    return { job: claimedJob(first, lostBy) };
  }

  async renew(hold: JobHold, leaseUntil: number): Promise<HoldOutcome> {
    const job = this.#held(hold);
    if (job === undefined) return 'lost';
    job.freeAt = leaseUntil;
    return 'held';
  }

  async complete(hold: JobHold): Promise<HoldOutcome> {
    const job = this.#held(hold);
    if (job === undefined) return 'lost';
    this.#leaveLine(job);
    return 'held';
  }

  async fail(hold: JobHold, failure: JobFailure): Promise<HoldOutcome> {
    const job = this.#held(hold);
    if (job === undefined) return 'lost';
    job.owner = undefined;
    if (failure.freeAt !== undefined) {
      job.freeAt = failure.freeAt;
      job.attempts = failure.attempts;
      return 'held';
    }
    this.#leaveLine(job);
    this.#dead.set(job.row.id, { ...job.row, cause: failure.cause, place: ++this.#lastPlace });
    return 'held';
  }

  async deadLetters({ filter, queue, before, limit }: DeadJobQuery): Promise<readonly DeadJob[]> {
    return [...this.#dead.values()]
      .reverse()
      .filter((dead) => isWithin(dead.scope, filter) && (queue === undefined || dead.queue === queue))
      .filter((dead) => before === undefined || dead.place < before)
      .slice(0, limit);
  }

  async requeue(filter: JobFilter, id: string, now: number): Promise<'enqueued' | 'waiting' | 'absent'> {
    const dead = this.#dead.get(id);
    if (dead === undefined || !isWithin(dead.scope, filter)) return 'absent';
    const { cause, place, ...row } = dead;
    const { outcome } = this.#enqueue(row, now);
    if (outcome === 'enqueued') this.#dead.delete(id);
    return outcome;
  }

  async remove(filter: JobFilter): Promise<number> {
    const jobs = [...this.#byId.values()].filter(({ row }) => isWithin(row.scope, filter));
    const dead = [...this.#dead.values()].filter(({ scope }) => isWithin(scope, filter));
    for (const job of jobs) this.#leaveLine(job);
    for (const { id } of dead) this.#dead.delete(id);
    return jobs.length + dead.length;
  }

  #enqueue(row: JobRow, freeAt: number): { outcome: 'enqueued' | 'waiting'; id: string } {
    const name = lineName(row);
    const line = this.#lines.get(name) ?? [];
    const equal = row.dedupeId === undefined ? undefined : line.find((job) => isEqual(job, row));
    if (equal !== undefined) return { outcome: 'waiting', id: equal.row.id };
    const job = { row, place: ++this.#lastPlace, attempts: 0, freeAt, token: 0, owner: undefined };
    line.push(job);
    this.#lines.set(name, line);
    this.#byId.set(row.id, job);
    return { outcome: 'enqueued', id: row.id };
  }

  #held({ id, token }: JobHold): LiveJob | undefined {
    const job = this.#byId.get(id);
    return job?.owner !== undefined && job.token === token ? job : undefined;
  }

  #leaveLine(job: LiveJob): void {
    const name = lineName(job.row);
    const rest = (this.#lines.get(name) ?? []).filter((other) => other !== job);
    if (rest.length > 0) this.#lines.set(name, rest);
    else this.#lines.delete(name);
    this.#byId.delete(job.row.id);
  }
}

function lineName({ queue, scope }: JobRow): string {
  return JSON.stringify([queue, scope.appName, scope.userId, scope.projectId ?? '', scope.sessionId ?? '']);
}

function isSooner(job: LiveJob, than: LiveJob | undefined): boolean {
  if (than === undefined || job.freeAt < than.freeAt) return true;
  return job.freeAt === than.freeAt && job.place < than.place;
}

function isEqual(job: LiveJob, row: JobRow): boolean {
  return job.owner === undefined && job.row.dedupeId === row.dedupeId;
}

function isWithin(scope: JobScope, filter: JobFilter): boolean {
  const names = ['appName', 'userId', 'projectId', 'sessionId'] as const;
  return names.every((name) => filter[name] === undefined || filter[name] === scope[name]);
}

function claimedJob({ row, attempts, token }: LiveJob, lostBy: string | undefined): ClaimedJob {
  return { ...row, attempts, token, ...(lostBy === undefined ? {} : { lostBy }) };
}
