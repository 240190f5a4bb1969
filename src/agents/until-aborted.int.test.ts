import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { untilAborted } from './until-aborted.ts';

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('untilAborted', () => {
  it('keeps nothing of the items that are gone', async () => {
    const { signal } = new AbortController();
    const gone: WeakRef<object>[] = [];
    let held = gone.length;
    async function* objects() {
      for (let index = 0; index < 2000; index++) {
        const item = { text: '字'.repeat(100) };
        gone.push(new WeakRef(item));
        yield item;
      }
      // Here the stream is still being read, so that what it has given could still be held.
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
      held = gone.filter((one) => one.deref() !== undefined).length;
    }
    for await (const _ of untilAborted(objects(), signal));
    expect(gone).toHaveLength(2000);
    expect(held).toBeLessThan(100);
  });
});
