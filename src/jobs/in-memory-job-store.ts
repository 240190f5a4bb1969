import type {
  ClaimedJob,
  ClaimOutcome,
  DeadLetterQuery,
  DeadLetterRow,
  HoldOutcome,
  JobClaim,
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
  /** The one behind it in its line. */
  next: LiveJob | undefined;
  /** When it can be claimed as soon as it is the head of its line; 0 if it waits for no time. */
  freeAt: number;
  token: number;
  /** Who holds it; `undefined` while it waits. */
  owner: string | undefined;
}

interface Line {
  head: LiveJob;
  tail: LiveJob;
}

/** A job store that ends with the process. */
export function createInMemoryJobStore(): JobStore {
  return new InMemoryJobStore();
}

class InMemoryJobStore implements JobStore {
  readonly name = 'in-memory';
  readonly #lines = new Map<string, Line>();
  readonly #byId = new Map<string, LiveJob>();
  /** By id, the oldest first. */
  readonly #dead = new Map<string, DeadLetterRow>();
  #lastPlace = 0;
  #lastToken = 0;

  async enqueue(row: JobRow): Promise<{ readonly outcome: 'enqueued' | 'waiting'; readonly id: string }> {
    return this.#enqueue(row);
  }

  async claim({ queues, owner, now, leaseUntil }: JobClaim): Promise<ClaimOutcome> {
    let timed: LiveJob | undefined;
    let fresh: LiveJob | undefined;
    for (const { head } of this.#lines.values()) {
      if (!queues.includes(head.row.queue)) continue;
      if (head.freeAt === 0) fresh = sooner(head, fresh);
      else timed = sooner(head, timed);
    }
    const first = timed !== undefined && timed.freeAt <= now ? timed : fresh;
    if (first === undefined) return timed === undefined ? {} : { freeAt: timed.freeAt };
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

  async deadLetters({ filter, queue, before, limit }: DeadLetterQuery): Promise<readonly DeadLetterRow[]> {
    return [...this.#dead.values()]
      .reverse()
      .filter((dead) => isWithin(dead.scope, filter) && (queue === undefined || dead.queue === queue))
      .filter((dead) => before === undefined || dead.place < before)
      .slice(0, limit);
  }

  async requeue(filter: JobFilter, id: string): Promise<'enqueued' | 'waiting' | 'absent'> {
    const dead = this.#dead.get(id);
    if (dead === undefined || !isWithin(dead.scope, filter)) return 'absent';
    const { cause, place, ...row } = dead;
    const { outcome } = this.#enqueue(row);
    if (outcome === 'enqueued') this.#dead.delete(id);
    return outcome;
  }

  async remove(filter: JobFilter): Promise<number> {
    const jobs = [...this.#byId.values()].filter(({ row }) => isWithin(row.scope, filter));
    const dead = [...this.#dead.values()].filter(({ scope }) => isWithin(scope, filter));
    // All jobs of a line have one scope, so a line goes as a whole.
    for (const { row } of jobs) {
      this.#lines.delete(lineName(row));
      this.#byId.delete(row.id);
    }
    for (const { id } of dead) this.#dead.delete(id);
    return jobs.length + dead.length;
  }

  #enqueue(row: JobRow): { outcome: 'enqueued' | 'waiting'; id: string } {
    const name = lineName(row);
    const line = this.#lines.get(name);
    const equal = row.dedupeId === undefined ? undefined : equalIn(line, row.dedupeId);
    if (equal !== undefined) return { outcome: 'waiting', id: equal.row.id };
    const waits = { attempts: 0, freeAt: 0, token: 0, owner: undefined };
    const job: LiveJob = { row, place: ++this.#lastPlace, next: undefined, ...waits };
    if (line === undefined) this.#lines.set(name, { head: job, tail: job });
    else {
      line.tail.next = job;
      line.tail = job;
    }
    this.#byId.set(row.id, job);
    return { outcome: 'enqueued', id: row.id };
  }

  #held({ id, token }: JobHold): LiveJob | undefined {
    const job = this.#byId.get(id);
    return job?.owner !== undefined && job.token === token ? job : undefined;
  }

  /** Removes the head of a line, the only one that is ever held; the next one is the head then. */
  #leaveLine({ row, next }: LiveJob): void {
    const name = lineName(row);
    const line = this.#lines.get(name);
    if (line === undefined || next === undefined) this.#lines.delete(name);
    else line.head = next;
    this.#byId.delete(row.id);
  }
}

function lineName({ queue, scope }: JobRow): string {
  return JSON.stringify([queue, scope.appName, scope.userId, scope.projectId ?? '', scope.sessionId ?? '']);
}

function sooner(job: LiveJob, other: LiveJob | undefined): LiveJob {
  if (other === undefined || job.freeAt < other.freeAt) return job;
  return job.freeAt === other.freeAt && job.place < other.place ? job : other;
}

/** The first of a line that waits with this and is not held. */
function equalIn(line: Line | undefined, dedupeId: string): LiveJob | undefined {
  let job = line?.head;
  while (job !== undefined && !(job.owner === undefined && job.row.dedupeId === dedupeId)) job = job.next;
  return job;
}

function isWithin(scope: JobScope, filter: JobFilter): boolean {
  const names = ['appName', 'userId', 'projectId', 'sessionId'] as const;
  return names.every((name) => filter[name] === undefined || filter[name] === scope[name]);
}

function claimedJob({ row, attempts, token }: LiveJob, lostBy: string | undefined): ClaimedJob {
  return { ...row, attempts, token, ...(lostBy === undefined ? {} : { lostBy }) };
}
