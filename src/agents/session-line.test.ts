import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionLine } from './session-line.ts';

const key = { appName: 'app', userId: '用户', sessionId: 's1' };
const signal = new AbortController().signal;

describe('SessionLine', () => {
  it('lets everybody forward in the order in which they came, also behind those who gave up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (staying) => {
        const line = new SessionLine(Date.now);
        const order: number[] = [];
        const first = line.enter(key, { waitMs: 60_000, signal });
        await first.turn();
        const waiting = staying.map(async (stays, index) => {
          const controller = new AbortController();
          const place = line.enter(key, { waitMs: 60_000, signal: controller.signal });
          const turn = place.turn();
          if (!stays) controller.abort();
          try {
            await turn;
            order.push(index);
          } catch (error) {
            expect(error).toMatchObject({ code: 'ABORTED' });
          } finally {
            place.leave();
          }
        });
        await Promise.resolve();
        first.leave();
        await Promise.all(waiting);
        expect(order).toEqual(staying.flatMap((stays, index) => (stays ? index : [])));
        await line.enter(key, { waitMs: 0, signal }).turn();
      }),
    );
  });

  it('refuses who does not want to wait, and keeps sessions apart', async () => {
    const line = new SessionLine(() => 0);
    const first = line.enter(key, { waitMs: 0, signal });
    expect(await first.turn()).toBe(0);
    const second = line.enter(key, { waitMs: 0, signal });
    await expect(second.turn()).rejects.toMatchObject({
      code: 'SESSION_BUSY',
      details: { sessionId: 's1', freeAt: '1970-01-01T00:00:30.000Z' },
    });
    second.leave();
    const other = line.enter({ ...key, sessionId: 's2' }, { waitMs: 0, signal });
    expect(await other.turn()).toBe(0);
    await expect(line.enter(key, { waitMs: 9, signal: AbortSignal.abort() }).turn()).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });
});
