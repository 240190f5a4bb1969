import { describe, expect, it } from 'vitest';
import { unlessAborted, untilAborted } from './until-aborted.ts';

async function* numbers(count: number) {
  for (let index = 0; index < count; index++) yield index;
}

describe('untilAborted', () => {
  it('passes on every item, and listens to the signal once at most', async () => {
    const { signal } = new AbortController();
    let listening = 0;
    let most = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      most = Math.max(most, ++listening);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listening--;
      removeEventListener.apply(signal, args);
    };
    const got: number[] = [];
    for await (const item of untilAborted(numbers(1000), signal)) got.push(item);
    expect(got).toEqual([...Array(1000).keys()]);
    expect([listening, most]).toEqual([0, 1]);
  });

  it('ends at once when the signal aborts, and asks the stream to end', async () => {
    const stop = new AbortController();
    let asked = 0;
    const hanging: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => {
          asked++;
          return { done: true, value: undefined };
        },
      }),
    };
    setTimeout(() => stop.abort('够了'), 1);
    const reading = (async () => {
      for await (const _ of untilAborted(hanging, stop.signal));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED', cause: '够了' });
    expect(asked).toBe(1);
  });
});

describe('unlessAborted', () => {
  it('gives what the work gives, also what it throws', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(() => '字', signal)).toBe('字');
    const failure = new RangeError('x');
    await expect(unlessAborted(() => Promise.reject(failure), signal)).rejects.toBe(failure);
  });

  it('does not begin work when the signal has aborted', async () => {
    let begun = false;
    const work = () => {
      begun = true;
    };
    await expect(unlessAborted(work, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
    expect(begun).toBe(false);
  });
});
