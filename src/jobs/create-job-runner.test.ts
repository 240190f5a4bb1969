import { afterEach, describe, expect, it, vi } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { createJobRunner } from './create-job-runner.ts';
import { createInMemoryJobStore } from './in-memory-job-store.ts';
import type { JobRunner, JobRunnerOptions } from './job-runner.ts';
import type { JobStore } from './job-store.ts';

const scope = { appName: 'a', userId: '用户' };
const full = new PalimpsestError('STORE_FULL', { file: 'jobs.db' });

/** A store in memory with one primitive that fails. */
function failing(primitive: 'claim' | 'complete' | 'fail'): JobStore {
  const store = createInMemoryJobStore();
  vi.spyOn(store, primitive).mockRejectedValue(full);
  return store;
}

afterEach(() => vi.useRealTimers());

describe('a runner', () => {
  it.each([
    [{ store: undefined }, 'store'],
    [{ handlers: { q: 'no function' } }, 'handlers.q'],
    [{ maxRunning: 0 }, 'maxRunning'],
    [{ maxAttempts: 1.5 }, 'maxAttempts'],
    [{ leaseMs: 0 }, 'leaseMs'],
    [{ firstDelayMs: -1 }, 'firstDelayMs'],
    [{ longestDelayMs: Number.NaN }, 'longestDelayMs'],
    [{ pollMs: 0 }, 'pollMs'],
    [{ closeWaitMs: 2 ** 31 }, 'closeWaitMs'],
  ])('refuses a bad option: %o', (option, argument) => {
    const options = { store: createInMemoryJobStore(), ...option } as object as JobRunnerOptions;
    const details: unknown = expect.objectContaining({ argument });
    expect(() => createJobRunner(options)).toThrowError(expect.objectContaining({ code: 'INVALID_ARGUMENT', details }));
  });

  it.each(['claim', 'complete', 'fail'] as const)(
    'tells of a store that fails at %s, and throws it once',
    async (what) => {
      const heard: unknown[] = [];
      const handler = async ({ payload }: { readonly payload: object }) => {
        if ('fails' in payload) throw new TypeError('broken');
      };
      const onFailure = (error: unknown) => {
        heard.push(error);
        throw new TypeError('the listener is broken too');
      };
      const runner = createJobRunner({ store: failing(what), handlers: { q: handler }, onFailure });
      await runner.enqueue({ queue: 'q', scope, payload: what === 'fail' ? { fails: true } : {} });
      await expect(runner.settled()).rejects.toBe(full);
      expect(heard[0]).toBe(full);
      if (what !== 'claim') await runner.settled();
      await runner.close().catch((error: unknown) => expect(error).toBe(full));
    },
  );

  it('throws at closing what hinders it from giving a job back', async () => {
    const store = failing('fail');
    const begun = vi.fn();
    const runner = createJobRunner({
      store,
      closeWaitMs: 0,
      handlers: {
        q: async () => {
          begun();
          await new Promise(() => undefined);
        },
      },
    });
    await runner.enqueue({ queue: 'q', scope });
    await vi.waitFor(() => expect(begun).toHaveBeenCalled());
    await expect(runner.close()).rejects.toBe(full);
  });

  it('goes on with its work where the store fails to renew', async () => {
    const store = createInMemoryJobStore();
    const renew = vi.spyOn(store, 'renew').mockRejectedValue(full);
    const heard: unknown[] = [];
    const runner = createJobRunner({
      store,
      leaseMs: 3,
      onFailure: (error) => heard.push(error),
      handlers: { q: () => vi.waitFor(() => expect(renew).toHaveBeenCalled()) },
      clock: { now: () => 1 },
    });
    await runner.enqueue({ queue: 'q', scope });
    await expect(runner.settled()).rejects.toBe(full);
    expect(heard).toContain(full);
    expect((await runner.deadLetters(scope)).items).toEqual([]);
    await runner.settled();
    await runner.close();
  });

  it('is closed at the end of the block that opened it', async () => {
    const store = createInMemoryJobStore();
    let left: JobRunner;
    {
      await using runner = createJobRunner({ store });
      await runner.enqueue({ queue: 'q', scope });
      left = runner;
    }
    await expect(left.settled()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('may be waited for by what a handler has left behind', async () => {
    let later = Promise.resolve();
    let goOn = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const runner: JobRunner = createJobRunner({
      store: createInMemoryJobStore(),
      handlers: {
        q: async () => {
          await expect(runner.settled()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
          later = over.then(() => runner.settled());
        },
      },
    });
    await runner.enqueue({ queue: 'q', scope });
    await runner.settled();
    goOn();
    await later;
    expect((await runner.deadLetters(scope)).items).toEqual([]);
    await runner.close();
  });

  it('finds by itself what another one has enqueued', async () => {
    const store = createInMemoryJobStore();
    const done = vi.fn(async () => undefined);
    const worker = createJobRunner({ store, handlers: { q: done }, pollMs: 1 });
    await worker.settled();
    const feeder = createJobRunner({ store });
    await feeder.enqueue({ queue: 'q', scope });
    await vi.waitFor(() => expect(done).toHaveBeenCalledOnce(), { timeout: 5_000 });
    await worker.close();
    await feeder.close();
  });

  it('lets the process end while it is idle, and leaves no timer behind', async () => {
    const keepingAlive = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = keepingAlive();
    const idle = createJobRunner({ store: createInMemoryJobStore(), handlers: { q: async () => undefined } });
    await idle.enqueue({ queue: 'q', scope });
    await idle.settled();
    expect(keepingAlive()).toBe(before);
    await idle.close();

    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const fails = async () => {
      throw new TypeError('broken');
    };
    const runner = createJobRunner({ store: createInMemoryJobStore(), handlers: { q: fails }, random: () => 0.9 });
    await runner.enqueue({ queue: 'q', scope });
    await runner.settled();
    expect(vi.getTimerCount()).toBe(1);
    const settled = runner.settled({ backOffs: true }).catch((error: unknown) => error);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2));
    await runner.close();
    expect(await settled).toMatchObject({ code: 'CLOSED' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets timers have their turn though a job always enqueues the next one', async () => {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
    }, 1);
    const runner = createJobRunner({
      store: createInMemoryJobStore(),
      handlers: {
        q: async () => {
          if (!isOver) await runner.enqueue({ queue: 'q', scope });
        },
      },
    });
    await runner.enqueue({ queue: 'q', scope });
    await runner.settled();
    clearTimeout(timer);
    expect(isOver).toBe(true);
    await runner.close();
  });
});

describe('a queue that is handled later', () => {
  it('is worked from then on, what waits in it first', async () => {
    const runner = createJobRunner({ store: createInMemoryJobStore() });
    await runner.enqueue({ queue: '摘要', scope, payload: { n: 1 } });
    await runner.settled();
    const seen: unknown[] = [];
    runner.handle('摘要', async ({ payload }) => void seen.push(payload.n));
    await runner.enqueue({ queue: '摘要', scope, payload: { n: 2 } });
    await runner.settled();
    expect(seen).toEqual([1, 2]);
    await runner.close();
  });

  it('is handled by whoever was given last', async () => {
    const seen: string[] = [];
    const runner = createJobRunner({
      store: createInMemoryJobStore(),
      handlers: { q: async () => void seen.push('first') },
    });
    runner.handle('q', async () => void seen.push('second'));
    await runner.enqueue({ queue: 'q', scope, payload: {} });
    await runner.settled();
    expect(seen).toEqual(['second']);
    await runner.close();
  });

  it('needs a function, and a runner that is open', async () => {
    const runner = createJobRunner({ store: createInMemoryJobStore() });
    const details: unknown = expect.objectContaining({ argument: 'handlers.q' });
    const noHandler: object = Object('no function');
    const handler = noHandler as () => Promise<void>;
    expect(() => runner.handle('q', handler)).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', details }),
    );
    await runner.close();
    expect(() => runner.handle('q', async () => undefined)).toThrowError(expect.objectContaining({ code: 'CLOSED' }));
  });
});
