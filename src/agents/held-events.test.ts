import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { longLog } from '../../test/context/long-log.ts';
import { providers, someView } from '../../test/context/view-arbitrary.ts';
import { longRandomLog } from '../../test/logs/random-log.ts';
import { replayLog } from '../../test/logs/replay-log.ts';
import { assemble } from '../context/assembly/index.ts';
import { type Event, type EventInput, foldCoverage, isBookkeeping, type View } from '../events/index.ts';
import { createInMemorySessionStore, createSessionService } from '../sessions/index.ts';
import { HeldEvents } from './held-events.ts';
import { OpenCalls } from './open-calls.ts';
import { SessionLog } from './session-log.ts';

function liveOf(events: readonly Event[]): readonly Event[] {
  const { isLive } = foldCoverage(events.filter(isBookkeeping));
  return events.filter((event) => !isBookkeeping(event) && isLive(event.seq));
}

describe('HeldEvents of a whole log', () => {
  it('says of a log that grows what assemble() and a look at all live events say', () => {
    fc.assert(
      fc.property(longLog, someView, fc.nat(60), (log, view, first) => {
        const known = log.slice(0, first);
        const held = new HeldEvents(known, { version: known.length, isWhole: true });
        held.viewBy(view);
        held.openCalls();
        for (const event of log.slice(first)) held.push(event);
        expect(held.isOutdated).toBe(false);
        expect(held.live()).toEqual(liveOf(log));
        expect(held.openCalls().map(({ id }) => id)).toEqual(new OpenCalls(liveOf(log)).list().map(({ id }) => id));
        expect(held.viewBy(view)?.assembly.contents).toEqual(assemble(log, view).contents);
      }),
    );
  });

  it('leaves alone what does not follow on', () => {
    const [log = []] = fc.sample(longLog, { numRuns: 1, seed: 7 });
    const held = new HeldEvents([], { version: 0, isWhole: true });
    for (const event of [...log, ...log]) held.push(event);
    for (const event of log.slice(1)) new HeldEvents([], { version: 0, isWhole: true }).push(event);
    expect(held.events).toEqual(log);
    expect(held.version).toBe(log.length);
  });
});

describe('SessionLog', () => {
  // Long enough for a failure to be shrunk.
  it('gives an agent, of what no summary stands for, what it would be given of the whole log', {
    timeout: 120_000,
  }, async () => {
    const sessions = createSessionService({ store: createInMemorySessionStore() });
    let logs = 0;
    await fc.assert(
      fc.asyncProperty(longRandomLog, fc.constantFrom(...providers), fc.nat(9), async (log, provider, skip) => {
        const view: View = { agentName: 'assistant', history: 'full', provider };
        const key = { appName: 'app', userId: 'u', sessionId: `s${++logs}` };
        const kept = new SessionLog(await sessions.create(key));
        const check = async (whole: readonly Event[]) => {
          const { held, seen } = await kept.readView(sessions, view);
          expect(held.version).toBe(whole.length);
          expect(seen.assembly.contents).toEqual(assemble(whole, view).contents);
        };
        const all = await replayLog(sessions, key, log, async (events) => {
          // Some of it is told as an append tells it, the rest has to be read.
          if (events.length % 3 === 0) kept.add(events.slice(-1));
          if (events.length % (skip + 1) === 0) await check(events);
        });
        await check(all);
        expect((await kept.read(sessions, 'whole')).events).toEqual(all);
        await check(all);
      }),
      { numRuns: 100 },
    );
  });

  it('reads anew where a result does not say which call it answers, and a summary stands for an older one', async () => {
    const sessions = createSessionService({ store: createInMemorySessionStore() });
    const key = { appName: 'app', userId: 'u', sessionId: 's' };
    const kept = new SessionLog(await sessions.create(key));
    const view: View = { agentName: 'assistant', history: 'full', provider: 'gemini' };
    const call = (at: number): EventInput => ({
      author: 'assistant',
      content: { parts: [{ functionCall: { name: 'book', args: { at } } }] },
    });
    const content = { role: 'model' as const, parts: [{ text: '订过一次。' }] };
    const summary = { covers: [[1, 1]] as const, content, trigger: 'test', sourceHash: '' };
    await sessions.append(key, [call(1), { author: 'system', actions: { compaction: summary } }, call(3)]);
    await kept.readView(sessions, view);
    const answer = {
      author: 'assistant',
      content: { parts: [{ functionResponse: { name: 'book', response: '好' } }] },
    };
    kept.add((await sessions.append(key, [answer])).events);
    const { seen } = await kept.readView(sessions, view);
    expect(seen.assembly.contents).toEqual(assemble((await sessions.read(key)).items, view).contents);
  });

  it('reads anew where a call is pinned whose answer a summary stands for', async () => {
    const sessions = createSessionService({ store: createInMemorySessionStore() });
    const key = { appName: 'app', userId: 'u', sessionId: 's' };
    const kept = new SessionLog(await sessions.create(key));
    const view: View = { agentName: 'assistant', history: 'full', provider: 'openai' };
    const content = { role: 'model' as const, parts: [{ text: '查过了。' }] };
    const summary = { covers: [[2, 2]] as const, content, trigger: 'test', sourceHash: '' };
    await sessions.append(key, [
      { author: 'assistant', content: { parts: [{ functionCall: { id: 'c1', name: 'search', args: {} } }] } },
      { author: 'assistant', content: { parts: [{ functionResponse: { id: 'c1', name: 'search', response: '好' } }] } },
      { author: 'system', actions: { compaction: summary } },
    ]);
    await kept.readView(sessions, view);
    kept.add((await sessions.append(key, [{ author: 'system', actions: { pin: { seqs: [1] } } }])).events);
    const { seen } = await kept.readView(sessions, view);
    expect(JSON.stringify(seen.assembly.contents)).toContain('好');
    expect(seen.assembly.contents).toEqual(assemble((await sessions.read(key)).items, view).contents);
  });
});
