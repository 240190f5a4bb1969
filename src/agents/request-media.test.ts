import { describe, expect, it } from 'vitest';
import type { ArtifactStore, Event, EventInput, ModelRequest, Part, Provider, SessionKey } from '../events/index.ts';
import { createInMemoryMemoryStore, createMemoryService } from '../memory/service/index.ts';
import { createInMemorySessionStore, createSessionService } from '../sessions/index.ts';
import { ManualClock } from '../testing/index.ts';
import { createInvocationDriver } from './create-invocation-driver.ts';
import { RequestMedia } from './request-media.ts';

const key: SessionKey = { appName: 'app', userId: 'u1', sessionId: 's1' };
const bytesOf = (length: number, fill: number) => Buffer.alloc(length, fill);
const image = (bytes: Buffer): Part => ({ inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } });
const reference = (name: string): Part => ({ fileData: { fileUri: `artifact:${name}` } });
const shows = (...parts: readonly Part[]): EventInput => ({ author: 'user', content: { parts } });
const mediaIn = ({ contents }: ModelRequest) =>
  contents.flatMap(({ parts }) => parts.flatMap(({ inlineData, fileData }) => inlineData?.data ?? fileData ?? []));
const base64 = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text).toString('base64'));

function house() {
  const clock = new ManualClock();
  const sessions = createSessionService({ store: createInMemorySessionStore(), clock });
  const memory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
  const driver = createInvocationDriver({ sessions, memory, clock });
  /** Asks with these parts and gives back what would be sent. */
  const ask = async (parts: readonly Part[], { provider = 'openai' as Provider, of = key } = {}) => {
    const run = await driver.begin({ key: of, agentName: 'assistant', events: [shows(...parts)] });
    const prepared = await run.request({ provider, model: 'm', recall: false });
    await run.finish();
    return prepared;
  };
  const save = (name: string, text: string) => sessions.artifacts.put(key, name, Buffer.from(text), 'text/plain');
  return { sessions, driver, ask, save };
}

/** Counts what is read of a store. */
class CountingArtifacts implements Pick<ArtifactStore, 'get'> {
  reads = 0;
  readonly #store: ArtifactStore;
  constructor(store: ArtifactStore) {
    this.#store = store;
  }
  get: ArtifactStore['get'] = (...call) => {
    this.reads++;
    return this.#store.get(...call);
  };
}

describe('media of a request', () => {
  it.each<Provider>(['gemini', 'anthropic', 'openai'])(
    'are sent to %s whatever their size, in this turn and the next',
    async (provider) => {
      const { ask, sessions } = house();
      const [small, large] = [bytesOf(100, 1), bytesOf(100_000, 2)];
      const named: Part = {
        inlineData: { mimeType: 'image/png', data: large.toString('base64'), displayName: '猫.png' },
      };
      const first = await ask([{ text: '看图' }, image(small), named], { provider });
      const expected = [small.toString('base64'), large.toString('base64')];
      expect(mediaIn(first.request)).toEqual(expected);
      expect(first.request.contents[0]?.parts[2]).toEqual(named);
      expect(mediaIn((await ask([{ text: '什么颜色？' }], { provider })).request)).toEqual(expected);
      const { items } = await sessions.read(key);
      expect(items[0]?.content?.parts[2]?.fileData?.fileUri).toMatch(/^artifact:inline\//);
    },
  );

  it('are hashed as the log has them: the same whether their bytes are there or not', async () => {
    const one = house();
    const two = house();
    const parts = [{ text: 'Look.' }, image(bytesOf(100_000, 3))];
    const sent = await one.ask(parts);
    const other = await two.ask([{ text: 'Look.' }, image(bytesOf(100_000, 4))]);
    expect(other.journal.requestHash).not.toBe(sent.journal.requestHash);
    const { items } = await one.sessions.read(key);
    const third = house();
    const without = await third.ask(items[0]?.content?.parts ?? []);
    expect(mediaIn(without.request)).toMatchObject([{ fileUri: expect.stringMatching(/^artifact:inline\//) }]);
    expect(without.journal.requestHash).toBe(sent.journal.requestHash);
    expect(without.journal.prefixFingerprint).toBe(sent.journal.prefixFingerprint);
  });

  it('are those of the version that was the newest when they were named', async () => {
    const { ask, save, sessions } = house();
    await sessions.create(key);
    const draw = async (text: string) => {
      const artifactDelta = { '图 1.txt': await save('图 1.txt', text) };
      await sessions.append(key, [{ author: 'painter', content: text, actions: { artifactDelta } }]);
    };
    await draw('甲');
    expect(mediaIn((await ask([reference('图 1.txt')])).request)).toEqual(base64('甲'));
    await draw('乙');
    const { request } = await ask([{ text: '?' }, reference('图 1.txt')]);
    expect(mediaIn(request)).toEqual(base64('甲', '乙'));
    expect(request.contents.at(-1)?.parts.at(-1)?.inlineData?.mimeType).toBe('text/plain');
    const [, asked] = (await sessions.read(key)).items;
    await sessions.rewind(key, { beforeInvocationId: asked?.invocationId ?? '' });
    expect(mediaIn((await ask([reference('图 1.txt')])).request)).toEqual(base64('甲'));
  });

  it('stay references where there are no bytes: never saved, deleted, or named as nothing can be', async () => {
    const { ask, save, sessions } = house();
    await sessions.create(key);
    await save('gone', 'x');
    expect(mediaIn((await ask([reference('gone')])).request)).toEqual(base64('x'));
    await sessions.artifacts.delete(key, 'gone');
    const names = ['never', '', 'x'.repeat(5000), 'nul\0'];
    const { request } = await ask(names.map(reference));
    expect(mediaIn(request)).toEqual(['gone', ...names].map((name) => ({ fileUri: `artifact:${name}` })));
  });

  it('are found in a fork as well', async () => {
    const { ask, sessions } = house();
    const large = bytesOf(70_000, 5);
    await ask([image(large)]);
    await sessions.fork(key, { atSeq: 1, sessionId: 'fork' });
    const fork = await ask([{ text: '还在吗？' }], { of: { ...key, sessionId: 'fork' } });
    expect(mediaIn(fork.request)).toEqual([large.toString('base64')]);
  });

  it('fail the request if the store does, rather than be left out', async () => {
    const { ask, sessions } = house();
    await ask([image(bytesOf(70_000, 6))]);
    sessions.artifacts.get = () => Promise.reject(new TypeError('the disk is gone'));
    await expect(ask([{ text: '?' }])).rejects.toThrow('the disk is gone');
  });

  it('are read once an invocation, as far as there is room for them', async () => {
    const { ask, sessions, save } = house();
    await sessions.create(key);
    for (const name of ['a', 'b', 'c']) await save(name, name.repeat(30));
    const parts = ['a', 'b', 'c', 'b'].map(reference);
    const { request } = await ask(parts);
    const asked: ModelRequest = { ...request, contents: [{ role: 'user', parts }] };
    const events: readonly Event[] = [];
    const readsWith = async (capacity: number) => {
      const counting = new CountingArtifacts(sessions.artifacts);
      const media = new RequestMedia(counting, key, capacity);
      for (let step = 0; step < 3; step++) {
        const filled = await media.fill(asked, events);
        expect(mediaIn(filled)).toEqual(base64(...['a', 'b', 'c', 'b'].map((name) => name.repeat(30))));
      }
      return counting.reads;
    };
    expect(await readsWith(120)).toBe(3);
    expect(await readsWith(0)).toBe(9);
  });

  it('leave a request without any as it is', async () => {
    const { sessions } = house();
    await sessions.create(key);
    const request: ModelRequest = {
      instruction: [],
      tools: [],
      contents: [{ role: 'user', parts: [{ text: 'artifact:x' }, { fileData: { fileUri: 'https://example.com/a' } }] }],
      transient: [],
    };
    expect(await new RequestMedia(sessions.artifacts, key).fill(request, [])).toBe(request);
  });
});
