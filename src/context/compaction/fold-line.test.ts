import { describe, expect, it } from 'vitest';
import { FoldLine } from './fold-line.ts';

describe('FoldLine', () => {
  it('lets one at a time go on, in order, and others of other names beside', async () => {
    const line = new FoldLine();
    const told: string[] = [];
    const work = (name: string) => async () => {
      told.push(`${name} begins`);
      await Promise.resolve();
      told.push(`${name} ends`);
      return name;
    };
    const first = line.run('会话', work('a'));
    const second = line.run('会话', work('b'));
    const beside = line.run('别的', work('c'));
    expect(told).toEqual([]);
    expect(await Promise.all([first, second, beside])).toEqual(['a', 'b', 'c']);
    expect(told.filter((one) => !one.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(told.indexOf('c begins')).toBeLessThan(told.indexOf('b begins'));
  });

  it('goes on after a failure', async () => {
    const line = new FoldLine();
    const failing = line.run('s', () => Promise.reject(new TypeError('坏了')));
    const next = line.run('s', async () => 1);
    await expect(failing).rejects.toThrow('坏了');
    expect(await next).toBe(1);
    expect(await line.run('s', async () => 2)).toBe(2);
  });

  it('lets whoever waits leave, and nobody else wait for that', async () => {
    const line = new FoldLine();
    let open = (): void => undefined;
    const first = line.run(
      's',
      () =>
        new Promise<void>((resolve) => {
          open = resolve;
        }),
    );
    const controller = new AbortController();
    let ran = false;
    const left = line.run(
      's',
      async () => {
        ran = true;
      },
      controller.signal,
    );
    const third = line.run('s', async () => 3);
    controller.abort();
    expect(await left).toBeUndefined();
    open();
    await first;
    expect([await third, ran]).toEqual([3, false]);
    expect(await line.run('s', async () => 4, AbortSignal.abort())).toBeUndefined();
  });
});
