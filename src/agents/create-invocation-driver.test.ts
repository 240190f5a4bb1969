import { afterEach, describe, expect, it, vi } from 'vitest';
import { validateRequest } from '../context/assembly/index.ts';
import {
  type Content,
  type EventInput,
  functionResponses,
  type ModelRequest,
  modelText,
  type SessionKey,
  text,
  textOf,
} from '../events/index.ts';
import { createInMemoryMemoryStore, createMemoryService } from '../memory/service/index.ts';
import { createInMemorySessionStore, createSessionService } from '../sessions/index.ts';
import { ManualClock } from '../testing/index.ts';
import { createInvocationDriver, type DriverParts } from './create-invocation-driver.ts';
import type { BeginInvocation, RequestInput } from './invocation-driver.ts';

const key: SessionKey = { appName: 'app', userId: 'u1', sessionId: 's1' };
const request: RequestInput = { provider: 'gemini', model: 'scripted' };
const say = (content: string): Partial<BeginInvocation> => ({ events: [{ author: 'user', content }] });
const answer = (content: string): EventInput => ({ author: 'assistant', content });
const callOf = (id: string, more: Partial<EventInput> = {}): EventInput => ({
  author: 'assistant',
  content: { parts: [{ functionCall: { id, name: 'look', args: { id } } }] },
  ...more,
});
const responseOf = (id: string): Content => ({
  role: 'user',
  parts: [{ functionResponse: { id, name: 'look', response: { found: id } } }],
});

function house(parts: Partial<DriverParts> = {}) {
  const clock = new ManualClock();
  const sessions = createSessionService({ store: createInMemorySessionStore(), clock });
  const memory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
  const newDriver = () => createInvocationDriver({ sessions, memory, clock, ...parts });
  const driver = newDriver();
  const begin = (more: Partial<BeginInvocation> = {}, by = driver) =>
    by.begin({ key, agentName: 'assistant', ...more });
  const events = async (of = key) => (await sessions.read(of, { limit: 1000 })).items;
  return { clock, sessions, memory, driver, newDriver, begin, events };
}

const textIn = ({ contents }: ModelRequest) => contents.map((content) => textOf(content)).join('\n');

afterEach(() => vi.useRealTimers());

describe('begin', () => {
  it('makes the session, appends what is new and joins all to one invocation', async () => {
    const { begin, events } = house();
    const invocation = await begin({ ...say('你好'), projectId: 'acme' });
    expect(invocation.session).toMatchObject({ key, version: 1, projectId: 'acme' });
    expect(invocation.begun).toMatchObject([{ author: 'user', seq: 1, invocationId: invocation.invocationId }]);
    await invocation.record([callOf('c1')]);
    await invocation.record([{ author: 'assistant', content: responseOf('c1') }]);
    await invocation.record([answer('您好。'), { author: 'system', actions: { pin: { seqs: [1] } } }]);
    await invocation.finish();
    const ids = (await events()).map(({ invocationId }) => invocationId);
    expect(ids.slice(0, 4)).toEqual(Array(4).fill(invocation.invocationId));
    expect(ids[4]).not.toBe(invocation.invocationId);
  });

  it('goes on with the newest invocation where nothing asks', async () => {
    const { begin, sessions } = house();
    await sessions.create({ ...key, state: { unit: 'C' } });
    const empty = await begin();
    expect(empty.invocationId).not.toBe('');
    await empty.finish();
    const first = await begin(say('hi'));
    await first.record([callOf('c1')]);
    await first.finish();
    const step = await begin({ prompt: [text('hi'), callContent('c1'), responseOf('c1')] });
    expect(step.invocationId).toBe(first.invocationId);
    expect(step.begun).toMatchObject([{ origin: 'tool', author: 'assistant', invocationId: first.invocationId }]);
    await step.record([answer('found')]);
    await step.finish();
    const retry = await begin({ prompt: [text('hi'), callContent('c1'), responseOf('c1'), modelText('found')] });
    expect(retry).toMatchObject({ begun: [], invocationId: first.invocationId });
    await retry.finish();
  });

  it('rewinds where the caller asks for the answer again', async () => {
    const { begin, sessions } = house();
    const earlier = await begin({ prompt: [text('hi'), modelText('hello'), text('猫？')] });
    expect(new Set(earlier.begun.map(({ invocationId }) => invocationId)).size).toBe(2);
    await earlier.record([callOf('c1'), { author: 'assistant', content: responseOf('c1') }, answer('虎子。')]);
    await earlier.finish();
    const again = await begin({ prompt: [text('hi'), modelText('hello'), text('猫？')] });
    expect(again.begun.map(({ origin }) => origin)).toEqual(['system', 'user']);
    expect(again.invocationId).not.toBe(earlier.invocationId);
    await again.finish();
    const live = (await sessions.readEffective(key)).items;
    expect(live.map(({ content }) => textOf(content))).toEqual(['hi', 'hello', '猫？']);
  });

  it('goes on where a question is asked again that nothing has closed', async () => {
    const { begin, events } = house();
    const prompt = [text('hi'), modelText('hello'), text('猫？')];
    const failed = await begin({ prompt });
    await failed.record([callOf('c1'), { author: 'assistant', content: responseOf('c1') }, callOf('c2')]);
    await failed.record([{ author: 'assistant', interrupted: true, errorCode: 'MODEL_FAILED' }]);
    await failed.finish();
    for (const again of [prompt, prompt.slice(2)]) {
      const retry = await begin({ prompt: again });
      expect(retry.invocationId).toBe(failed.invocationId);
      const { request: sent } = await retry.request({ ...request, recall: false });
      expect(functionResponses(sent.contents[3 + 1])).toHaveLength(1);
      expect(validateRequest(sent, 'gemini')).toEqual([]);
      await retry.finish();
    }
    const origins = (await events()).map(({ origin }) => origin);
    expect(origins).toEqual(['user', 'agent', 'user', 'agent', 'tool', 'agent', 'agent', 'tool']);
  });

  it('answers the calls of a dead run, but not those that are answered now or later', async () => {
    const { begin, clock, events, sessions } = house();
    const dead = await begin(say('hi'));
    await sessions.append(key, [{ author: 'user', content: 'somebody else' }]);
    await dead.record([callOf('c1'), callOf('c2'), callOf('c3', { longRunningToolIds: ['c3'] })]);
    clock.advance(31_000);
    const next = await begin({
      events: [{ author: 'assistant', content: responseOf('c2') }, ...(say('and?').events ?? [])],
    });
    const [first, ...others] = next.begun;
    expect(first).toMatchObject({ author: 'assistant', origin: 'tool', invocationId: dead.invocationId });
    expect(functionResponses(first?.content)[0]).toMatchObject({
      id: 'c1',
      name: 'look',
      response: { error: expect.stringContaining('not known') },
    });
    expect(others.map(({ origin }) => origin)).toEqual(['tool', 'user']);
    const { request: sent } = await next.request({ ...request, recall: false });
    expect(validateRequest(sent, 'gemini')).toEqual([]);
    await next.finish();
    const count = (await events()).length;
    await (await begin()).finish();
    expect((await events()).length).toBe(count);
  });

  it('lets an answer that comes after all stand for the one that was given in its place', async () => {
    const { begin } = house();
    const dead = await begin(say('hi'));
    await dead.record([callOf('c1')]);
    await dead.finish();
    await (await begin(say('hello?'))).finish();
    const late = await begin({ prompt: [text('hi'), callContent('c1'), responseOf('c1')] });
    expect(late.begun).toMatchObject([{ origin: 'tool' }]);
    const { request: sent } = await late.request({ ...request, recall: false });
    expect(JSON.stringify(sent.contents)).toContain('"found":"c1"');
    expect(JSON.stringify(sent.contents)).not.toContain('not known');
    await late.finish();
  });

  it('refuses a result that no call waits for, before anything is appended', async () => {
    const { begin, events } = house();
    const run = await begin(say('订票'));
    await run.record([callOf('c1', { longRunningToolIds: ['c1'] })]);
    await run.finish();
    const result = (id: string): Partial<BeginInvocation> => ({
      events: [{ author: 'user', content: responseOf(id) }],
    });
    const late = await begin(result('c1'));
    expect(late).toMatchObject({ invocationId: run.invocationId, begun: [{ origin: 'tool' }] });
    await late.finish();
    const count = (await events()).length;
    for (const id of ['c1', 'c9']) {
      const details = { argument: 'message', reason: expect.stringContaining(`"${id}"`) };
      await expect(begin(result(id))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details });
    }
    expect((await events()).length).toBe(count);
  });

  it('compares a whole conversation from its start', async () => {
    const { begin, sessions } = house();
    const first = await begin({ prompt: [text('hi')], promptIs: 'whole' });
    await first.record([callOf('c1'), { author: 'assistant', content: responseOf('c1') }, answer('hello')]);
    await first.finish();
    const edited = await begin({ prompt: [text('嗨')], promptIs: 'whole' });
    expect(edited.begun.map(({ origin }) => origin)).toEqual(['system', 'user']);
    expect(edited.invocationId).not.toBe(first.invocationId);
    await edited.record([answer('你好')]);
    await edited.finish();
    const live = (await sessions.readEffective(key)).items;
    expect(live.map(({ content }) => textOf(content))).toEqual(['嗨', '你好']);
  });

  it('appends once when the same events are sent again', async () => {
    const { begin, events } = house();
    const input = { events: [{ id: 'm1', author: 'user', content: 'hi' }] };
    const first = await begin(input);
    await first.record([callOf('c1')]);
    await first.finish();
    const second = await begin(input);
    expect(second.invocationId).toBe(first.invocationId);
    await second.finish();
    expect((await events()).map(({ origin }) => origin)).toEqual(['user', 'agent', 'tool']);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no key', { key: undefined }, 'INVALID_ID'],
    ['an empty session id', { key: { ...key, sessionId: '' } }, 'INVALID_ID'],
    ['an agent called user', { agentName: 'user' }, 'INVALID_ARGUMENT'],
    ['an event that is none', { events: [{ author: 'user', content: 7 }] }, 'INVALID_EVENT'],
    ['events and a prompt', { events: [], prompt: [] }, 'INVALID_ARGUMENT'],
    ['a prompt that is none', { prompt: [{ role: 'system', parts: [] }] }, 'INVALID_ARGUMENT'],
    ['a prompt with a part that is none', { prompt: [{ role: 'user', parts: ['hi'] }] }, 'INVALID_ARGUMENT'],
    ['a wait that is none', { onBusy: 'wait' }, 'INVALID_ARGUMENT'],
    ['a wait of less than nothing', { onBusy: { waitMs: -1 } }, 'INVALID_ARGUMENT'],
    ['half a prompt', { prompt: [], promptIs: 'half' }, 'INVALID_ARGUMENT'],
    ['a stopped signal', { signal: AbortSignal.abort() }, 'ABORTED'],
  ])('refuses %s and makes nothing', async (_name, more, code) => {
    const { driver, sessions } = house();
    const input = { key, agentName: 'assistant', ...more } as never;
    await expect(driver.begin(input)).rejects.toMatchObject({ code });
    expect((await sessions.list({ appName: 'app' })).items).toEqual([]);
  });

  it('holds nothing after a failure', async () => {
    const { begin } = house();
    await (await begin({ events: [{ id: 'm1', author: 'user', content: 'hi' }] })).finish();
    const reused = begin({ events: [{ id: 'm1', author: 'user', content: 'other' }] });
    await expect(reused).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
    await (await begin(say('free'))).finish();
  });
});

describe('a busy session', () => {
  it('refuses the second run of a double click', async () => {
    const { begin, events } = house();
    const runs = await Promise.allSettled([begin(say('hi')), begin(say('hi'))]);
    expect(runs.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(runs.find((run) => run.status === 'rejected')?.reason).toMatchObject({ code: 'SESSION_BUSY' });
    expect(await events()).toHaveLength(1);
  });

  it('lets the second run wait, and see what the first has said', async () => {
    const { begin, newDriver } = house();
    const first = await begin(say('hi'));
    const waiting = begin({ ...say('再见'), onBusy: 'queue' }, newDriver());
    await first.record([answer('hello')]);
    await first.finish();
    const second = await waiting;
    expect(textIn((await second.request(request)).request)).toBe('hi\nhello\n再见');
    await second.finish();
  });

  it('waits as long as it is told to, or until it is stopped', async () => {
    const { begin } = house();
    const first = await begin(say('hi'));
    await expect(begin({ ...say('a'), onBusy: { waitMs: 20 } })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    const controller = new AbortController();
    const waiting = begin({ ...say('b'), onBusy: 'queue', signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    await first.finish();
  });

  it('tells a run whose lease has run out and was taken over', async () => {
    const { begin, newDriver, clock, events } = house();
    const slow = await begin(say('hi'));
    clock.advance(31_000);
    const next = await begin(say('next'), newDriver());
    await expect(slow.record([answer('too late')])).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(slow.signal.aborted).toBe(true);
    expect(slow.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
    await slow.finish();
    await next.record([answer('in time')]);
    await next.finish();
    expect((await events()).map(({ content }) => textOf(content))).toEqual(['hi', 'next', 'in time']);
  });

  it('renews its lease for as long as it runs, and notices the loss by itself', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { begin, newDriver, clock } = house();
    const run = await begin(say('hi'));
    for (let i = 0; i < 6; i++) {
      clock.advance(10_000);
      await vi.advanceTimersByTimeAsync(10_000);
    }
    await expect(begin(say('other'), newDriver())).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    clock.advance(31_000);
    const next = await begin(say('next'), newDriver());
    const aborted = new Promise((resolve) => run.signal.addEventListener('abort', resolve));
    await vi.advanceTimersByTimeAsync(10_000);
    await aborted;
    expect(run.signal.reason).toMatchObject({ code: 'LEASE_LOST' });
    await Promise.all([run.finish(), next.finish()]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('stops when its caller does, and may still say how far it came', async () => {
    const { begin } = house();
    const controller = new AbortController();
    const run = await begin({ ...say('hi'), signal: controller.signal });
    controller.abort('enough');
    expect(run.signal.reason).toBe('enough');
    const [stored] = await run.record([{ ...answer('hel'), interrupted: true }]);
    expect(stored).toMatchObject({ interrupted: true, invocationId: run.invocationId });
    await run.finish();
  });
});

describe('a line of runs that wait', () => {
  it('begins them in the order in which they came, without those who gave up', async () => {
    const { begin, events } = house();
    const first = await begin(say('0'));
    const controller = new AbortController();
    const wait = async (content: string, signal?: AbortSignal) => {
      const run = await begin({ ...say(content), onBusy: 'queue', ...(signal && { signal }) });
      await run.finish();
    };
    const given = wait('放弃', controller.signal);
    const waiting = ['1', '2', '3', '4'].map((content) => wait(content));
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(begin(say('插队'))).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await first.finish();
    await Promise.all(waiting);
    expect((await events()).map(({ content }) => textOf(content))).toEqual(['0', '1', '2', '3', '4']);
  });
});

describe('close', () => {
  it('stops what is under way, lets it say so, and leaves no session held', async () => {
    const { begin, driver, newDriver, events } = house();
    const run = await begin(say('hi'));
    const waiting = begin({ ...say('queued'), onBusy: 'queue' });
    const stopped = new Promise((resolve) => run.signal.addEventListener('abort', resolve)).then(async () => {
      await run.record([{ ...answer('你'), interrupted: true }]);
      await run.finish();
    });
    const refused = expect(waiting).rejects.toMatchObject({ code: 'CLOSED' });
    await driver.close();
    await Promise.all([stopped, refused]);
    expect(run.signal.reason).toMatchObject({ code: 'CLOSED' });
    await expect(begin(say('late'))).rejects.toMatchObject({ code: 'CLOSED' });
    expect((await events()).map(({ content }) => textOf(content))).toEqual(['hi', '你']);
    await (await begin(say('next'), newDriver())).finish();
  });

  it('gives back the session of a run that nobody reads any more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { begin, driver, newDriver } = house();
    const left = await begin(say('hi'));
    const closing = driver.close();
    await vi.advanceTimersByTimeAsync(5000);
    await closing;
    await (await begin(say('next'), newDriver())).finish();
    await expect(left.record([answer('late')])).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await left.finish();
  });
});

describe('finish', () => {
  it('gives the session back and tells of it, once, whatever the listener does', async () => {
    const told: SessionKey[] = [];
    const logged: string[] = [];
    const log = (message: string) => void logged.push(message);
    const { begin, sessions } = house({
      afterRun: (of) => {
        told.push(of);
        throw new TypeError('listener');
      },
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const run = await begin(say('hi'));
    await Promise.all([run.finish(), run.finish()]);
    await run.finish();
    expect(told).toEqual([key]);
    expect(logged).toHaveLength(1);
    await expect(run.record([answer('late')])).rejects.toMatchObject({ code: 'LEASE_LOST' });
    const next = await begin(say('next'));
    await sessions.delete(key);
    await next.finish();
    await sessions.close();
    await run.finish();
  });
});

function callContent(id: string): Content {
  return { role: 'model', parts: [{ functionCall: { id, name: 'look', args: { id } } }] };
}
