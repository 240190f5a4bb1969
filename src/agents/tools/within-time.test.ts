import { describe, expect, it, vi } from 'vitest';
import { PalimpsestError } from '../../errors/index.ts';
import { withinTime } from './within-time.ts';

const soon = 5;
const never = () => new Promise<never>(() => undefined);
const limits = (timeoutMs: number, signal = new AbortController().signal) => ({ what: 'The work', timeoutMs, signal });

describe('withinTime', () => {
  it('gives the value, or the error', async () => {
    expect(await withinTime(async () => 7, limits(60_000))).toEqual({ by: 'value', value: 7 });
    const error = new PalimpsestError('CLOSED', { what: 'It' });
    expect(await withinTime(() => Promise.reject(error), limits(60_000))).toEqual({ by: 'error', error });
  });

  it('ends work that never does, and tells it so', async () => {
    let told: unknown;
    const ending = await withinTime((signal) => {
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      return never();
    }, limits(soon));
    expect(ending).toEqual({ by: 'timeout' });
    expect(told).toMatchObject({ code: 'ABORTED', details: { what: 'The work' } });
  });

  it('ends when the signal aborts, and passes the reason on', async () => {
    const outer = new AbortController();
    let inner: AbortSignal | undefined;
    const ending = withinTime(
      (signal) => {
        inner = signal;
        return never();
      },
      limits(60_000, outer.signal),
    );
    outer.abort('停止');
    expect(await ending).toEqual({ by: 'abort' });
    expect(inner?.reason).toBe('停止');
  });

  it('does not begin when the signal has aborted', async () => {
    let begun = false;
    const work = async () => {
      begun = true;
    };
    expect(await withinTime(work, limits(60_000, AbortSignal.abort()))).toEqual({ by: 'abort' });
    expect(begun).toBe(false);
  });

  it('hears no more of work that fails late', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      let fail: (reason: unknown) => void = () => undefined;
      const late = new Promise<never>((_resolve, reject) => {
        fail = reject;
      });
      expect(await withinTime(() => late, limits(soon))).toEqual({ by: 'timeout' });
      fail('too late');
      await new Promise((resolve) => setTimeout(resolve, soon));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('leaves no listener and no timer behind', async () => {
    const outer = new AbortController();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const added = vi.spyOn(outer.signal, 'addEventListener');
    const removed = vi.spyOn(outer.signal, 'removeEventListener');
    const before = timers();
    for (let count = 0; count < 20; count++) await withinTime(async () => count, limits(60_000, outer.signal));
    await withinTime(never, limits(soon, outer.signal));
    const listeners = added.mock.calls.map(([, listener]) => listener);
    expect(listeners).toHaveLength(21);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(listeners);
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('takes a time that no timer could wait for as the longest, not as none', async () => {
    const ending = withinTime(() => new Promise((resolve) => setTimeout(resolve, soon, 'done')), limits(2 ** 40));
    expect(await ending).toEqual({ by: 'value', value: 'done' });
  });
});
