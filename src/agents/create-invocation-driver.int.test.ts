import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../backends/sqlite/index.ts';
import { type Content, functionCalls, modelText, type SessionKey, text, textOf } from '../events/index.ts';
import { createMemoryService } from '../memory/service/index.ts';
import { createSessionService } from '../sessions/index.ts';
import { ManualClock } from '../testing/index.ts';
import { createInvocationDriver } from './create-invocation-driver.ts';
import type { BeginInvocation, RequestInput } from './invocation-driver.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-driver-'));
const file = join(folder, 'agent.db');
const request: RequestInput = { provider: 'anthropic', model: 'scripted' };
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a process of its own has open. */
async function open(clock: ManualClock) {
  const stores = await openSqlite({ file });
  opened.push(stores.file);
  const sessions = createSessionService({ store: stores.sessions, clock });
  const memory = createMemoryService({ store: stores.memory, clock });
  const driver = createInvocationDriver({ sessions, memory, clock });
  return { sessions, memory, driver };
}

const keyOf = (sessionId: string): SessionKey => ({ appName: 'app', userId: 'u1', sessionId });
const asking = (sessionId: string, content: string): BeginInvocation => ({
  key: keyOf(sessionId),
  agentName: 'assistant',
  events: [{ author: 'user', content }],
});
const callOf = (id: string): Content => ({
  role: 'model',
  parts: [{ functionCall: { id, name: 'look', args: { id } } }],
});
const responseOf = (id: string): Content => ({
  role: 'user',
  parts: [{ functionResponse: { id, name: 'look', response: id } }],
});

describe('the driver over a file', () => {
  it('lets another process take over a run that has died, and tells the one that was only slow', async () => {
    const clock = new ManualClock();
    const [one, two] = [await open(clock), await open(clock)];
    const slow = await one.driver.begin(asking('taken', 'hi'));
    await slow.record([{ author: 'assistant', content: callOf('c1') }]);
    await expect(two.driver.begin(asking('taken', '喂？'))).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    clock.advance(31_000);
    const next = await two.driver.begin(asking('taken', '喂？'));
    expect(next.begun.map(({ origin }) => origin)).toEqual(['tool', 'user']);
    await expect(slow.record([{ author: 'assistant', content: responseOf('c1') }])).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    expect(slow.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
    await slow.finish();
    await next.record([{ author: 'assistant', content: '在。' }]);
    await next.finish();
    const { items } = await one.sessions.read(keyOf('taken'));
    expect(items.map(({ seq, origin }) => [seq, origin])).toEqual([
      [1, 'user'],
      [2, 'agent'],
      [3, 'tool'],
      [4, 'user'],
      [5, 'agent'],
    ]);
  });

  it('waits for a run of another process, and goes on from what that has stored', async () => {
    const clock = new ManualClock();
    const [one, two] = [await open(clock), await open(clock)];
    await (await two.driver.begin(asking('queued', 'first'))).finish();
    const run = await one.driver.begin(asking('queued', 'second'));
    const waiting = two.driver.begin({ ...asking('queued', 'third'), onBusy: 'queue' });
    const { journal } = await run.request(request);
    await run.record([{ author: 'assistant', content: 'done', request: journal }]);
    await run.finish();
    const next = await waiting;
    const prepared = await next.request(request);
    expect(prepared.journal.breaks).toEqual([]);
    expect(prepared.request.contents.map((content) => textOf(content))).toEqual(['first\nsecond', 'done', 'third']);
    await next.finish();
  });

  it('shows nothing of what another process has erased', async () => {
    const clock = new ManualClock();
    const [one, two] = [await open(clock), await open(clock)];
    await (await one.driver.begin(asking('erased', 'secret'))).finish();
    await one.sessions.fork(keyOf('erased'), { atSeq: 1, sessionId: 'copy' });
    await (await one.driver.begin(asking('copy', 'mine'))).finish();
    await two.sessions.delete(keyOf('erased'));
    for (const sessionId of ['erased', 'copy']) {
      const run = await one.driver.begin(asking(sessionId, 'now'));
      expect(JSON.stringify((await run.request(request)).request)).not.toContain('secret');
      await run.finish();
    }
  });

  it('stores a conversation that a caller replays, message by message, as it is', async () => {
    const clock = new ManualClock();
    const [one, two] = [await open(clock), await open(clock)];
    const word = fc.constantFrom('yes', 'no', '好');
    const turn = fc.record({ ask: word, steps: fc.nat(2), answer: word, isSentTwice: fc.boolean(), by: fc.nat(1) });
    let sessionCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
        const key = keyOf(`replayed ${++sessionCount}`);
        const all: Content[] = [];
        for (const { ask, steps, answer, isSentTwice, by } of turns) {
          const { driver } = by === 0 ? one : two;
          const begin = () => driver.begin({ key, agentName: 'assistant', prompt: [...all] });
          all.push(text(ask));
          for (let step = 0; step <= steps; step++) {
            if (isSentTwice) await (await begin()).finish();
            const run = await begin();
            const said = step < steps ? callOf(`c${all.length}`) : modelText(answer);
            await run.record([{ author: 'assistant', content: said }]);
            await run.finish();
            all.push(said, ...functionCalls(said).map(({ id }) => responseOf(id ?? '')));
          }
        }
        const { items } = await one.sessions.read(key, { limit: 1000 });
        expect(items.map(({ content }) => content)).toEqual(all);
        const questions = items.filter(({ origin }) => origin === 'user').length;
        expect(new Set(items.map(({ invocationId }) => invocationId)).size).toBe(questions);
      }),
      { numRuns: 40 },
    );
  });
});
