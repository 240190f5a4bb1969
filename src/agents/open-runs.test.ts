import { afterEach, describe, expect, it, vi } from 'vitest';
import { OpenRuns } from './open-runs.ts';

afterEach(() => vi.useRealTimers());

describe('OpenRuns', () => {
  it('stops all runs and waits for their ends', async () => {
    const runs = new OpenRuns();
    const [one, two] = [runs.enter(), runs.enter(new AbortController().signal)];
    let isClosed = false;
    const closing = runs.close().then(() => {
      isClosed = true;
    });
    for (const { signal } of [one, two]) expect(signal.reason).toMatchObject({ code: 'CLOSED' });
    one.leave();
    await Promise.resolve();
    expect(isClosed).toBe(false);
    two.leave();
    await closing;
    expect(() => runs.enter()).toThrow(/Palimpsest is closed/);
    await runs.close();
  });

  it('gives back what a run holds that does not end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const runs = new OpenRuns();
    const released: string[] = [];
    for (const name of ['慢', 'slow']) runs.enter().holds({ release: async () => void released.push(name) });
    runs.enter();
    const closing = runs.close();
    await vi.advanceTimersByTimeAsync(4999);
    expect(released).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(released).toEqual(['慢', 'slow']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stops a run when its caller does', () => {
    const controller = new AbortController();
    const runs = new OpenRuns();
    const [heard, left] = [runs.enter(controller.signal), runs.enter(controller.signal)];
    left.leave();
    controller.abort('够了');
    expect(heard.signal.reason).toBe('够了');
    expect(left.signal.aborted).toBe(false);
    expect(runs.enter(controller.signal).signal.aborted).toBe(true);
  });
});
