import { describe, expect, it } from 'vitest';
import { type Block, type EventInput, modelText, type Provider, type SessionKey, text } from '../events/index.ts';
import { sha256 } from '../internal/index.ts';
import { createInMemoryMemoryStore, createMemoryService } from '../memory/service/index.ts';
import { createInMemorySessionStore, createSessionService } from '../sessions/index.ts';
import { ManualClock } from '../testing/index.ts';
import { createInvocationDriver } from './create-invocation-driver.ts';
import type { RequestInput } from './invocation-driver.ts';

const key: SessionKey = { appName: 'app', userId: 'u1', sessionId: 's1' };
const providers: readonly Provider[] = ['gemini', 'anthropic', 'openai'];
const instruction = (value: string): Block => ({ kind: 'instruction', stable: true, content: text(value) });
const date = (value: string): Block => ({ kind: 'state', stable: false, content: text(value) });
const tool = { name: 'look', description: 'Looks.' };

async function talk(base: RequestInput) {
  const clock = new ManualClock();
  const sessions = createSessionService({ store: createInMemorySessionStore(), clock });
  const memory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
  const newDriver = () => createInvocationDriver({ sessions, memory, clock });
  let driver = newDriver();
  /** Asks, makes the request, and answers with it on the event. */
  const turn = async (more: Partial<RequestInput> = {}, agentName = 'assistant') => {
    const run = await driver.begin({ key, agentName, events: [{ author: 'user', content: '还有呢？' }] });
    const prepared = await run.request({ ...base, ...more });
    const answer: EventInput = { author: agentName, content: modelText('好'), request: prepared.journal };
    await run.record([answer]);
    await run.finish();
    return prepared.journal;
  };
  const restart = () => {
    driver = newDriver();
  };
  return { sessions, turn, restart };
}

describe('the journal of a request', () => {
  it('tells what the request was made of', async () => {
    const base: RequestInput = {
      provider: 'openai',
      model: 'm',
      instruction: [instruction('Be brief.')],
      tools: [tool],
    };
    const { turn, sessions } = await talk(base);
    const journal = await turn({ config: { settings: { temperature: 0, seed: 1 } }, transient: [date('Friday')] });
    expect(journal).toMatchObject({
      throughSeq: 1,
      view: { agentName: 'assistant', provider: 'openai', history: 'full' },
      model: 'm',
      rules: 1,
      configHash: sha256('{"settings":{"seed":1,"temperature":0}}'),
      breaks: [],
    });
    expect(journal.blocks).toEqual([
      { kind: 'instruction', stable: true, hash: sha256('{"parts":[{"text":"Be brief."}],"role":"user"}') },
      { kind: 'tools', stable: true, hash: sha256('[{"description":"Looks.","name":"look"}]') },
      { kind: 'state', stable: false, hash: sha256('{"parts":[{"text":"Friday"}],"role":"user"}') },
    ]);
    expect((await sessions.read(key)).items[1]?.request).toEqual(journal);
  });

  it.each(providers)('is the same for the same request to %s, and another for another', async (provider) => {
    const base: RequestInput = { provider, model: 'm' };
    const [one, two] = [await talk(base), await talk(base)];
    const [first, same] = [await one.turn(), await two.turn()];
    expect(same).toEqual(first);
    const [more, dated] = [await one.turn(), await two.turn({ transient: [date('Friday')] })];
    expect(more.requestHash).not.toBe(first.requestHash);
    expect(dated.requestHash).not.toBe(more.requestHash);
    expect(dated.prefixFingerprint).toBe(more.prefixFingerprint);
  });

  it.each(providers)('declares no break to %s while the log grows, in this process or the next', async (provider) => {
    const base: RequestInput = { provider, model: 'm', instruction: [instruction('Be brief.')], tools: [tool] };
    const { turn, restart } = await talk(base);
    for (let round = 0; round < 6; round++) {
      expect(await turn({ transient: [date(`day ${round}`)] })).toMatchObject({ breaks: [] });
      if (round % 2 === 1) restart();
    }
  });

  it.each([false, true])('says why a request does not begin with the one before (restarted: %s)', async (restarts) => {
    const base: RequestInput = { provider: 'gemini', model: 'm', instruction: [instruction('Be brief.')] };
    const { turn, restart, sessions } = await talk(base);
    const breaks = async (more?: Partial<RequestInput>) => {
      if (restarts) restart();
      return (await turn(more)).breaks;
    };
    expect(await breaks()).toEqual([]);
    const long = { instruction: [instruction('Be long.')] };
    expect(await breaks(long)).toEqual(['instruction']);
    expect(await breaks(long)).toEqual([]);
    const armed = { ...long, tools: [tool] };
    expect(await breaks(armed)).toEqual(['tools']);
    const other = { ...armed, model: 'n' };
    expect(await breaks(other)).toEqual(['model']);
    expect(await breaks()).toEqual(['model', 'instruction', 'tools']);
    const { items } = await sessions.read(key);
    const compaction = { covers: [[1, 2]] as const, content: modelText('要点'), trigger: 'window', sourceHash: 'x' };
    await sessions.append(key, [{ author: 'system', actions: { compaction } }]);
    expect(await breaks()).toEqual(['compaction']);
    await sessions.rewind(key, { beforeInvocationId: items[4]?.invocationId ?? '' });
    expect(await breaks()).toEqual(['rewind']);
    expect(await breaks({ history: 'invocation' })).toEqual(['window']);
  });

  it('compares with requests of the same agent and provider only', async () => {
    const { turn, restart } = await talk({ provider: 'gemini', model: 'm' });
    await turn();
    restart();
    expect(await turn({ model: 'n' }, 'critic')).toMatchObject({ breaks: [] });
    expect(await turn({ model: 'n', provider: 'openai' })).toMatchObject({ breaks: [] });
    expect(await turn()).toMatchObject({ breaks: [] });
  });

  it('does not trip over what others have written in the place of a journal', async () => {
    const { turn, restart, sessions } = await talk({ provider: 'gemini', model: 'm' });
    await turn();
    const request = { view: { agentName: 'assistant', provider: 'gemini' }, blocks: [], prefixFingerprint: 7 } as never;
    await sessions.append(key, [{ author: 'assistant', content: 'x', request }]);
    await sessions.append(key, [{ author: 'assistant', content: 'y', request: { view: 'all' } as never }]);
    restart();
    expect(await turn()).toMatchObject({ breaks: [] });
  });
});
