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
import type { Span, Telemetry } from '../models/index.ts';
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
    await earlier.record([callOf('c1')]);
    await earlier.finish();
    const again = await begin({ prompt: [text('hi'), modelText('hello'), text('猫？')] });
    expect(again.begun.map(({ origin }) => origin)).toEqual(['system', 'user']);
    expect(again.invocationId).not.toBe(earlier.invocationId);
    await again.finish();
    const live = (await sessions.readEffective(key)).items;
    expect(live.map(({ content }) => textOf(content))).toEqual(['hi', 'hello', '猫？']);
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

describe('request', () => {
  it('places what was recalled for all steps of an invocation, and what it recalls next in the next', async () => {
    const { begin, memory, driver } = house();
    const scope = { appName: 'app', userId: 'u1' };
    await memory.add(scope, [{ text: '猫叫虎子。The cat is called Tora.' }]);
    const first = await begin(say('What is my cat called?'));
    const one = await first.request(request);
    expect(one.memories).toHaveLength(1);
    expect(textIn(one.request)).toContain('recalled_memories');
    await first.record([callOf('c1')]);
    await first.finish();
    await memory.add(scope, [{ text: 'The cat likes tuna.' }]);
    const second = await begin({ prompt: [text('What is my cat called?'), callContent('c1'), responseOf('c1')] });
    const two = await second.request(request);
    expect(two.memories).toEqual(one.memories);
    expect(two.request.contents.slice(0, 2)).toEqual(one.request.contents);
    expect(two.journal.breaks).toEqual([]);
    await second.record([answer('Tora')]);
    await second.finish();
    const third = await begin(say('And my cat?'));
    expect((await third.request(request)).memories).toHaveLength(2);
    expect((await third.request({ ...request, recall: { limit: 1 } })).memories).toHaveLength(1);
    expect((await third.request({ ...request, recall: false })).memories).toEqual([]);
    driver.forget({ ...key, sessionId: 'another' });
    await memory.add(scope, [{ text: 'The cat likes the cat next door.' }]);
    expect((await third.request(request)).memories).toHaveLength(3);
    await third.finish();
  });

  it('places other transient blocks behind the memories, and refuses a provider that it does not know', async () => {
    const { begin, memory } = house();
    await memory.add({ appName: 'app', userId: 'u1' }, [{ text: 'The cat is called Tora.' }]);
    const run = await begin(say('cat?'));
    const date = { kind: 'state', stable: false, content: text('Today is Friday.') } as const;
    const { request: sent, journal } = await run.request({ ...request, provider: 'openai', transient: [date] });
    expect(sent.transient.map((at) => textOf(sent.contents[at]).slice(0, 12))).toEqual([
      '<recalled_me',
      'Today is Fri',
    ]);
    expect(journal.blocks.map(({ kind, stable }) => [kind, stable])).toEqual([
      ['tools', true],
      ['memory', false],
      ['state', false],
    ]);
    expect(journal.blocks[1]?.source).toHaveLength(1);
    await expect(run.request({ ...request, provider: 'x' as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    await run.finish();
  });

  it('sees what others append meanwhile, and nothing of a log that is gone', async () => {
    const { begin, sessions, driver } = house();
    const run = await begin(say('hi'));
    await sessions.append(key, [{ author: 'user', content: '还有' }]);
    expect(textIn((await run.request(request)).request)).toBe('hi\n还有');
    await run.record([answer('yes?')]);
    expect(textIn((await run.request(request)).request)).toBe('hi\n还有\nyes?');
    await sessions.delete(key);
    await sessions.create(key);
    driver.forget(key);
    await expect(run.request(request)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await run.finish();
    const anew = await begin(say('new life'));
    expect(textIn((await anew.request(request)).request)).toBe('new life');
    await anew.finish();
  });

  it('shows a new life of a session only what it holds, also if nobody says that the old one is gone', async () => {
    const { begin, sessions } = house();
    await (await begin(say('secret'))).finish();
    await sessions.delete(key);
    const run = await begin(say('hello'));
    expect(textIn((await run.request(request)).request)).toBe('hello');
    await run.finish();
  });

  it('shows a fork nothing that was erased where it was copied from', async () => {
    const { begin, sessions } = house();
    const first = await begin(say('secret'));
    await first.record([answer('noted')]);
    await first.finish();
    await sessions.fork(key, { atSeq: 2, sessionId: 'fork' });
    const fork = await begin({ ...say('go on'), key: { ...key, sessionId: 'fork' } });
    expect(textIn((await fork.request(request)).request)).toContain('secret');
    await sessions.delete(key);
    expect(textIn((await fork.request(request)).request)).toBe('go on');
    await fork.finish();
  });

  it('opens spans below the one it is given', async () => {
    const { begin } = house();
    const names: string[] = [];
    const span: Span = {
      child: (name, attributes) => {
        names.push(`${name} ${attributes?.['gen_ai.conversation.id']}`);
        return span;
      },
      set: () => undefined,
      run: (work) => work(),
      end: () => undefined,
    };
    const run = await begin({ ...say('hi'), span });
    await run.request(request);
    await run.record([answer('hello')]);
    await run.finish();
    const all = ['append', 'assemble', 'recall', 'append'];
    expect(names).toEqual(all.map((name) => `palimpsest.${name} s1`));
    const telemetry: Telemetry = { span: (name) => span.child(name) };
    const other = house({ telemetry });
    await (await other.begin(say('hi'))).finish();
    expect(names).toHaveLength(all.length + 1);
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
