import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyLock } from './key-lock.ts';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('KeyLock', () => {
  it('runs work of one name alone and in order, whatever fails', async () => {
    const work = fc.record({ name: fc.constantFrom('a', 'b'), ticks: fc.nat(3), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(work, { maxLength: 12 }), async (list) => {
        const lock = new KeyLock();
        const busy = new Set<string>();
        const done: Record<string, number[]> = { a: [], b: [] };
        const results = await Promise.allSettled(
          list.map(({ name, ticks, fails }, index) =>
            lock.run(name, async () => {
              expect(busy.has(name)).toBe(false);
              busy.add(name);
              for (let i = 0; i < ticks; i++) await tick();
              busy.delete(name);
              done[name]?.push(index);
              if (fails) throw new RangeError(String(index));
              return index;
            }),
          ),
        );
        expect(results.map(({ status }) => status)).toEqual(
          list.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        );
        for (const name of ['a', 'b']) {
          expect(done[name]).toEqual(list.flatMap((one, index) => (one.name === name ? [index] : [])));
        }
      }),
    );
  });

  it('does not make other names wait', async () => {
    const lock = new KeyLock();
    let release: () => void = () => undefined;
    const held = lock.run('a', () => new Promise<void>((resolve) => (release = resolve)));
    const waited = tick().then(() => 'waited');
    expect(await Promise.race([lock.run('b', async () => 'free'), waited])).toBe('free');
    release();
    await held;
  });
});
