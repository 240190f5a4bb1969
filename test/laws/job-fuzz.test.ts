import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSqliteJobStore, SqliteFile } from '../../src/backends/sqlite/index.ts';
import { createInMemoryJobStore, type JobFilter, type JobHold, type JobStore } from '../../src/jobs/index.ts';

/** The store in memory, and what has happened so far. */
interface Model {
  readonly store: JobStore;
  readonly holds: JobHold[];
  now: number;
  made: number;
}

/** One call, made on both stores; what it answers must not depend on the store. */
class Call implements fc.AsyncCommand<Model, JobStore[]> {
  readonly #name: string;
  readonly #made: (store: JobStore, model: Model) => Promise<unknown>;
  readonly #handle: number;
  readonly #after: (model: Model, answer: unknown) => void;

  constructor(
    [name, handle]: readonly [string, number],
    made: (store: JobStore, model: Model) => Promise<unknown>,
    after: (model: Model, answer: unknown) => void = () => undefined,
  ) {
    this.#name = name;
    this.#made = made;
    this.#handle = handle;
    this.#after = after;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, handles: JobStore[]): Promise<void> {
    const expected = await this.#made(model.store, model);
    const store = handles[this.#handle] ?? model.store;
    expect(await this.#made(store, model), this.#name).toEqual(expected);
    this.#after(model, expected);
  }

  toString(): string {
    return `${this.#name} on ${this.#handle}`;
  }
}

const handle = fc.nat(1);
const queue = fc.constantFrom('q', 'r', '队列');
const scope = fc.constantFrom(
  { appName: 'a', userId: 'b/c' },
  { appName: 'a', userId: 'b/c', sessionId: 's' },
  { appName: 'a', userId: 'b/c', sessionId: 's', projectId: 'p' },
  { appName: 'a', userId: '用户', sessionId: 's' },
  { appName: 'a/b', userId: 'c' },
);
const filter: fc.Arbitrary<JobFilter> = fc.oneof(scope, fc.constantFrom({ appName: 'a' }, { appName: 'a/b' }));
const hold = (model: Model, which: number): JobHold => model.holds.at(-1 - which) ?? { id: 'none', token: 0 };
/** Dead letters are numbered by each store as it likes. */
const unplaced = async (store: JobStore, query: Parameters<JobStore['deadLetters']>[0]) =>
  (await store.deadLetters(query)).map(({ place, ...letter }) => letter);

const enqueue = fc
  .record({ handle, queue, scope, dedupeId: fc.constantFrom(undefined, undefined, 'x', '一'), text: fc.string() })
  .map(({ handle, queue, scope, dedupeId, text }) => {
    const made = (store: JobStore, { made, now }: Model) => {
      const body = { id: `j${made}`, queue, scope, payload: { text, 茶: made }, enqueuedAt: now };
      return store.enqueue(dedupeId === undefined ? body : { ...body, dedupeId });
    };
    return new Call([`enqueue ${JSON.stringify({ queue, scope, dedupeId, text })}`, handle], made, (model) => {
      model.made += 1;
    });
  });

const claim = fc
  .record({ handle, queues: fc.uniqueArray(queue, { minLength: 1 }), leaseMs: fc.constantFrom(1, 5, 30) })
  .map(({ handle, queues, leaseMs }) => {
    const made = (store: JobStore, { now }: Model) =>
      store.claim({ queues, owner: `工人 ${handle}`, now, leaseUntil: now + leaseMs });
    return new Call([`claim ${queues} for ${leaseMs}`, handle], made, (model, answer) => {
      const { job } = answer as Awaited<ReturnType<JobStore['claim']>>;
      if (job !== undefined) model.holds.push(job);
    });
  });

const end = fc
  .record({
    handle,
    which: fc.nat(3),
    how: fc.constantFrom('renew', 'complete', 'retry', 'give back', 'die'),
    millis: fc.nat(9),
  })
  .map(({ handle, which, how, millis }) => {
    const cause = { message: `坏 ${millis}\u0000`, attempts: which, at: millis };
    const made = (store: JobStore, model: Model) => {
      const held = hold(model, which);
      if (how === 'renew') return store.renew(held, model.now + millis);
      if (how === 'complete') return store.complete(held);
      if (how === 'die') return store.fail(held, { cause });
      return store.fail(held, { freeAt: how === 'retry' ? model.now + millis : 0, attempts: which });
    };
    return new Call([`${how} the hold ${which} before the last, ${millis}`, handle], made);
  });

const others = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -10, max: 20 }).map((millis) => passTime(millis)) },
  {
    weight: 2,
    arbitrary: fc
      .record({ handle, filter, which: fc.nat(40) })
      .map(
        ({ handle, filter, which }) =>
          new Call([`requeue j${which} of ${JSON.stringify(filter)}`, handle], (store) =>
            store.requeue(filter, `j${which}`),
          ),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ handle, filter, limit: fc.integer({ min: 1, max: 3 }) })
      .map(
        ({ handle, filter, limit }) =>
          new Call([`dead letters of ${JSON.stringify(filter)}`, handle], (store) =>
            unplaced(store, { filter, queue: 'q', limit }),
          ),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ handle, filter })
      .map(
        ({ handle, filter }) => new Call([`remove ${JSON.stringify(filter)}`, handle], (store) => store.remove(filter)),
      ),
  },
);

function passTime(millis: number): Call {
  return new Call(
    [`${millis} ms pass`, 0],
    async () => undefined,
    (model) => {
      model.now += millis;
    },
  );
}

/** Claims and ends all that is left, in both; what is left over is nothing. */
async function drain(model: Model, store: JobStore): Promise<void> {
  model.now += 1_000;
  for (;;) {
    const asked = { queues: ['q', 'r', '队列'], owner: 'drain', now: model.now, leaseUntil: model.now + 1 };
    const [left, right] = [await model.store.claim(asked), await store.claim(asked)];
    expect(right).toEqual(left);
    if (left.job === undefined) break;
    expect(await store.complete(left.job)).toBe(await model.store.complete(left.job));
  }
  for (const appName of ['a', 'a/b']) {
    const query = { filter: { appName }, limit: 1_000 };
    expect(await unplaced(store, query)).toEqual(await unplaced(model.store, query));
    expect(await store.remove({ appName })).toBe(await model.store.remove({ appName }));
  }
}

/** As it was made; a run that failed has left its jobs. */
async function empty(file: SqliteFile): Promise<void> {
  await file.write(() => {
    for (const table of ['jobs', 'dead_jobs']) file.run(`DELETE FROM ${table}`);
    file.run('UPDATE job_tokens SET last = 0');
  });
}

const count = Number(process.env.FUZZ_COUNT ?? 80);
const timeout = 30_000 + count * 500;

test(`SQLite answers ${count} random lists of calls on jobs as memory does`, { timeout }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-job-fuzz-'));
  const path = join(folder, 'jobs.db');
  const [file, second] = [await SqliteFile.open({ file: path }), await SqliteFile.open({ file: path })];
  const real = [createSqliteJobStore(file), createSqliteJobStore(second)];
  const commands = fc.commands([enqueue, claim, claim, end, others], { size: 'large', maxCommands: 60 });
  try {
    const property = fc.asyncProperty(commands, async (calls) => {
      await empty(file);
      const model: Model = { store: createInMemoryJobStore(), holds: [], now: 1_000, made: 0 };
      await fc.asyncModelRun(() => ({ model, real }), calls);
      for (const store of real.slice(0, 1)) await drain(model, store);
      for (const table of ['jobs', 'dead_jobs']) expect(file.all(`SELECT * FROM ${table}`), table).toEqual([]);
    });
    await fc.assert(property, { numRuns: count });
  } finally {
    for (const one of [file, second]) one.close();
    rmSync(folder, { recursive: true });
  }
});
