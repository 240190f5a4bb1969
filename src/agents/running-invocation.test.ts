import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Content, type EventInput, type ModelRequest, type SessionKey, text, textOf } from '../events/index.ts';
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
const callContent = (id: string): Content => ({
  role: 'model',
  parts: [{ functionCall: { id, name: 'look', args: { id } } }],
});
const responseOf = (id: string): Content => ({
  role: 'user',
  parts: [{ functionResponse: { id, name: 'look', response: { found: id } } }],
});

function house(parts: Partial<DriverParts> = {}) {
  const clock = new ManualClock();
  const sessions = createSessionService({ store: createInMemorySessionStore(), clock });
  const memory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
  const driver = createInvocationDriver({ sessions, memory, clock, ...parts });
  const begin = (more: Partial<BeginInvocation> = {}) => driver.begin({ key, agentName: 'assistant', ...more });
  return { sessions, memory, driver, begin };
}

afterEach(() => vi.useRealTimers());

const textIn = ({ contents }: ModelRequest) => contents.map((content) => textOf(content)).join('\n');

describe('request', () => {
  it('places what was recalled for all steps of an invocation, and what it recalls next in the next', async () => {
    const { begin, memory, driver } = house();
    const scope = { appName: 'app', userId: 'u1' };
    await memory.add(scope, [{ text: '猫叫虎子。The cat is called Tora.' }]);
    const first = await begin(say('What is my cat called?'));
    const one = await first.request(request);
    expect(one.memories).toHaveLength(1);
    expect(textIn(one.request)).toContain('recalled_memories');
    await first.record([{ author: 'assistant', content: callContent('c1') }]);
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
    const { request: further } = await run.request(request);
    expect(textIn(further)).toContain('hi\n还有\nyes?\n');
    // Nobody has spoken since the model did, so something of the user's side closes the request.
    expect(further.contents.at(-1)?.role).toBe('user');
    expect(further.transient).toEqual([further.contents.length - 1]);
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

  it('goes out without memories where they cannot be searched, and says so', async () => {
    const warned: unknown[] = [];
    const failed: unknown[] = [];
    const quiet = () => undefined;
    const span: Span = {
      child: (name) => ({ ...span, end: (error) => void (error && failed.push([name, String(error)])) }),
      set: quiet,
      run: (work) => work(),
      end: quiet,
    };
    const logger = { debug: quiet, info: quiet, error: quiet, warn: (...told: unknown[]) => void warned.push(told) };
    const { begin, memory } = house({ logger });
    let searches = 0;
    memory.search = async () => {
      searches++;
      throw new TypeError('索引坏了');
    };
    const run = await begin({ ...say('cat?'), span });
    const prepared = await run.request(request);
    expect(prepared.memories).toEqual([]);
    expect(textIn(prepared.request)).toBe('cat?');
    expect(failed).toEqual([['palimpsest.recall', 'TypeError: 索引坏了']]);
    expect(warned).toEqual([[expect.any(String), { sessionId: 's1', error: 'TypeError: 索引坏了' }]]);
    await run.request(request);
    expect(searches).toBe(1);
    await run.finish();
  });

  it('leaves out at each step what has been forgotten, and shows what has changed as it is', async () => {
    const { begin, memory } = house();
    const scope = { appName: 'app', userId: 'u1' };
    const [cat, dog] = await memory.add(scope, [{ text: 'The cat is called 虎子.' }, { text: 'The cat likes tuna.' }]);
    const run = await begin(say('What about the cat?'));
    const first = await run.request(request);
    expect(first.memories).toHaveLength(2);
    expect(await memory.delete(scope, { id: cat?.id ?? '' })).toBe(1);
    const second = await run.request(request);
    expect(second.memories.map(({ id }) => id)).toEqual([dog?.id]);
    expect(textIn(second.request)).not.toContain('虎子');
    expect(second.journal.breaks).toEqual([]);
    const get = memory.get.bind(memory);
    memory.get = async (...which) => {
      const entry = await get(...which);
      return entry && { ...entry, text: '猫爱吃鱼。', revision: entry.revision + 1 };
    };
    expect(textIn((await run.request(request)).request)).toContain('猫爱吃鱼。');
    memory.get = async () => {
      throw new TypeError('索引坏了');
    };
    expect((await run.request(request)).memories).toEqual([]);
    await run.finish();
  });

  it('does not wait for a memory that hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const warned: unknown[] = [];
    const quiet = () => undefined;
    const logger = { debug: quiet, info: quiet, error: quiet, warn: (...told: unknown[]) => void warned.push(told[1]) };
    const ends: unknown[] = [];
    const span: Span = {
      child: () => ({ ...span, end: (error) => void (error && ends.push(String(error))) }),
      set: quiet,
      run: (work) => work(),
      end: quiet,
    };
    const { begin, memory } = house({ logger });
    let stopped = false;
    memory.search = ({ signal }) =>
      new Promise(() =>
        signal?.addEventListener('abort', () => {
          stopped = true;
        }),
      );
    const run = await begin({ ...say('cat?'), span });
    const asking = run.request(request);
    await vi.advanceTimersByTimeAsync(5000);
    expect(textIn((await asking).request)).toBe('cat?');
    const error = expect.stringMatching(/TimeoutError: .* 5000 ms/);
    expect([ends, warned, stopped]).toEqual([[error], [{ sessionId: 's1', error }], true]);
    await run.finish();
    const controller = new AbortController();
    const third = await begin({ ...say('停'), signal: controller.signal });
    const refused = expect(third.request(request)).rejects.toMatchObject({ code: 'ABORTED' });
    controller.abort();
    await refused;
    await third.finish();
  });

  it('fails where a recall is asked for wrongly, or is stopped', async () => {
    const { begin, memory } = house();
    const controller = new AbortController();
    const run = await begin({ ...say('cat?'), signal: controller.signal });
    await expect(run.request({ ...request, recall: { tokenBudget: -1 } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    memory.search = async () => {
      controller.abort();
      throw new TypeError('gone');
    };
    await expect(run.request(request)).rejects.toMatchObject({ code: 'ABORTED' });
    await run.finish();
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
