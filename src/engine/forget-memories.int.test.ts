import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../test/durability/scratch-folder.ts';
import { PalimpsestError } from '../errors/index.ts';
import type { Event, SessionKey } from '../events/index.ts';
import type { MemoryEntry, NewMemory } from '../memory/service/index.ts';
import { forgetMemories } from './forget-memories.ts';
import { openPalimpsest } from './open-palimpsest.ts';

const userId = '用户';
const secret = '金丝雀 canary';
const question = '我最喜欢的鸟是什么？';
const places = ['memory', 'SQLite'] as const;

/** A store, seen through two handles: in a file, those of two processes. */
async function openTwice(place: (typeof places)[number]) {
  const file = place === 'SQLite' ? join(scratchFolder(), 'forget.db') : undefined;
  const open = () => openPalimpsest({ appName: 'test', sweepSeconds: 0, ...(file ? { file } : {}) });
  const first = await open();
  const second = file ? await open() : first;
  const close = async () => {
    await first.close();
    await second.close();
  };
  return { first, second, file, close };
}

type Handles = Awaited<ReturnType<typeof openTwice>>;

/** True if a file, or the log beside it, has the words anywhere. */
function standsIn(file: string): boolean {
  return ['', '-wal', '-shm', '-journal'].some((ending) => {
    const path = file + ending;
    return existsSync(path) && readFileSync(path).includes(Buffer.from(secret));
  });
}

/** Begins a run that is asked about the bird, and builds its request. */
async function ask({ first }: Handles, sessionId: string) {
  const key = { appName: 'test', userId, sessionId };
  const run = await first.invocations.begin({
    key,
    agentName: 'assistant',
    events: [{ author: 'user', content: question }],
  });
  const { memories, journal } = await run.request({ provider: 'openai', model: 'm' });
  const answer = async (): Promise<Event> => {
    const [event] = await run.record([{ author: 'assistant', content: '是一种小鸟。', request: journal }]);
    await run.finish();
    return event ?? expect.unreachable();
  };
  return { key, memories, answer };
}

async function standingOf({ second }: Handles, key: SessionKey, { seq }: Event): Promise<string> {
  const past = await second.explain(key, seq);
  expect(JSON.stringify(past).includes(secret)).toBe(past.standing === 'verified');
  return past.standing;
}

const statement = `我最喜欢的鸟是${secret}。`;
const form = { kind: 'direct', source: 'form', id: '表', at: '2026-01-01T00:00:00.000Z' } as const;

/** Refers to the first event of a life of a session. */
function firstOf(sessionId: string, incarnation: string) {
  return { kind: 'event', sessionId, incarnation, seq: 1, eventId: 'e1' } as const;
}

async function add({ second }: Handles, input: NewMemory): Promise<MemoryEntry> {
  const [entry] = await second.memory.add({ appName: 'test', userId }, [input]);
  return entry ?? expect.unreachable();
}

async function incarnationOf({ second }: Handles, sessionId: string): Promise<string> {
  const { key } = await second.user(userId).session(sessionId);
  return (await second.sessions.open(key))?.incarnation ?? expect.unreachable();
}

/** What a user may forget: given directly, or learnt from what lives on. */
const kinds: Readonly<Record<string, (handles: Handles) => Promise<MemoryEntry>>> = {
  'was given directly': ({ second }) => second.user(userId).remember(statement),
  'was given under an id of its own': (handles) => add(handles, { text: statement, id: '鸟' }),
  'rests on an event': async (handles) =>
    add(handles, { text: statement, provenance: [firstOf('source', await incarnationOf(handles, 'source'))] }),
  'rests on a form': (handles) => add(handles, { text: statement, provenance: [form] }),
};

describe.each(places)('a memory that is forgotten while a request is under way, in %s', (place) => {
  test.each(Object.entries(kinds))('and %s, leaves no text that quotes it', async (_kind, remember) => {
    const handles = await openTwice(place);
    const { second, file } = handles;
    const user = second.user(userId);
    const entry = await remember(handles);
    const before = await ask(handles, 's1');
    expect(before.memories.map(({ id }) => id)).toEqual([entry.id]);
    const kept = await before.answer();
    expect(await standingOf(handles, before.key, kept)).toBe('verified');
    const late = await ask(handles, 's2');
    expect(await user.forget({ id: entry.id })).toBe(1);
    expect(await standingOf(handles, before.key, kept)).toBe('erased');
    expect(await standingOf(handles, late.key, await late.answer())).toBe('erased');
    if (file) expect(standsIn(file)).toBe(false);
    expect(await user.forget({ id: entry.id })).toBe(0);
    await handles.close();
    if (file) expect(standsIn(file)).toBe(false);
  });

  test('can be given again under its id, and quoted', async () => {
    const handles = await openTwice(place);
    const user = handles.second.user(userId);
    await add(handles, { text: '我最喜欢的鸟是麻雀。', id: '鸟' });
    await user.forget({ id: '鸟' });
    // Within a millisecond the two could not be told apart.
    await sleep(2);
    await add(handles, { text: statement, id: '鸟' });
    const { key, answer } = await ask(handles, 's1');
    expect(await standingOf(handles, key, await answer())).toBe('verified');
    await handles.close();
  });

  test('with all that came from a session leaves no text, and what has other sources can be quoted', async () => {
    const handles = await openTwice(place);
    const user = handles.second.user(userId);
    const source = await user.session('source');
    await source.append([
      { author: 'user', content: statement },
      { author: 'assistant', content: `记住了：${secret}。` },
    ]);
    await handles.second.settled();
    const provenance = [firstOf('source', await incarnationOf(handles, 'source')), firstOf('elsewhere', 'x')];
    const shared = await add(handles, { text: '我最喜欢的鸟会唱歌。', provenance });
    const late = await ask(handles, 's1');
    expect(late.memories.map(({ text }) => text)).toEqual(expect.arrayContaining([statement, shared.text]));
    expect(await user.forget({ sessionId: 'source' })).toBe(2);
    expect(await standingOf(handles, late.key, await late.answer())).toBe('erased');
    const after = await ask(handles, 's2');
    expect(after.memories.map(({ id }) => id)).toContain(shared.id);
    const { seq } = await after.answer();
    expect(await handles.second.explain(after.key, seq)).toMatchObject({ standing: 'verified' });
    await handles.close();
  });
});

test.each(places)('what quotes a memory that is gone already goes when it is forgotten again, in %s', async (place) => {
  const handles = await openTwice(place);
  const { second, file } = handles;
  const user = second.user(userId);
  const { id } = await user.remember(statement);
  const late = await ask(handles, 's1');
  // As after a process that died with the memory deleted and nothing noted yet.
  await second.memory.delete({ appName: 'test', userId }, { id });
  const event = await late.answer();
  expect(await standingOf(handles, late.key, event)).toBe('verified');
  expect(await user.forget({ id })).toBe(0);
  expect(await standingOf(handles, late.key, event)).toBe('erased');
  if (file) expect(standsIn(file)).toBe(false);
  await handles.close();
});

test.each(places)('a process that dies once a memory is deleted leaves no text from before, in %s', async (place) => {
  const handles = await openTwice(place);
  const { second } = handles;
  const owner = { appName: 'test', userId };
  const provenance = [firstOf('source', await incarnationOf(handles, 'source'))];
  const { id } = await add(handles, { text: statement, provenance });
  const { key, answer } = await ask(handles, 's1');
  const event = await answer();
  const dying = {
    get: second.memory.get.bind(second.memory),
    list: second.memory.list.bind(second.memory),
    delete: async (...given: Parameters<typeof second.memory.delete>): Promise<number> => {
      await second.memory.delete(...given);
      throw new PalimpsestError('CLOSED', { what: 'The process' });
    },
  };
  await expect(forgetMemories({ sessions: second.sessions, memory: dying }, owner, { id })).rejects.toThrow(
    'The process',
  );
  expect(await standingOf(handles, key, event)).toBe('erased');
  await handles.close();
});
