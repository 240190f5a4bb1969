import { describe, expect, it } from 'vitest';
import { type EventInput, maxEventBytes, parseId } from '../../src/events/index.ts';
import { createInMemoryMemoryStore, createMemoryService } from '../../src/memory/service/index.ts';
import {
  createInMemorySessionStore,
  createSessionService,
  defaultLeaseSeconds,
  maxInlineBytes,
} from '../../src/sessions/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { readPages, tableRows } from './markdown.ts';

const page = readPages().find(({ path }) => path === 'docs/reference/limits.md')?.text ?? '';
const rows = (heading: string) => tableRows(page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '');
const numberIn = (cell = '') => Number(cell.replaceAll(',', '').match(/\d+/)?.[0]);

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const clock = new ManualClock();

async function newSession() {
  const sessions = createSessionService({ store: createInMemorySessionStore(), clock });
  await sessions.create(key);
  const append = async (event: EventInput) => (await sessions.append(key, [event])).events[0];
  return { sessions, append };
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

/** For each row of the sizes: holds at the documented value, and not at the next. */
const sizes: Readonly<Record<string, (limit: number) => Promise<void>>> = {
  'event, as JSON': async (limit) => {
    const { append } = await newSession();
    const textOf = (length: number) => append({ author: 'user', content: 'x'.repeat(length) });
    expect(limit).toBe(maxEventBytes);
    await expect(textOf(limit - 1000)).resolves.toMatchObject({ seq: 1 });
    await expect(textOf(limit + 1)).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE', details: { limit } });
  },
  '`inlineData` kept in an event': async (limit) => {
    const { append } = await newSession();
    const partOf = async (length: number) => {
      const inlineData = { mimeType: 'image/png', data: new Uint8Array(length) };
      return (await append({ author: 'user', content: { parts: [{ inlineData }] } }))?.content?.parts[0];
    };
    expect(limit).toBe(maxInlineBytes);
    expect(await partOf(limit)).toHaveProperty('inlineData');
    expect(await partOf(limit + 1)).toHaveProperty('fileData');
  },
  'ids: app, user, session, project, event': async (limit) => {
    expect(parseId('𠀀'.repeat(limit), 'id')).toHaveLength(limit * 2);
    expect(() => parseId('𠀀'.repeat(limit + 1), 'id')).toThrow(`longer than ${limit} code points`);
  },
  'error message of an event': async (limit) => {
    const { append } = await newSession();
    const stored = async (length: number) =>
      [...((await append({ author: 'a', errorMessage: '错'.repeat(length) }))?.errorMessage ?? '')].join('');
    expect(await stored(limit)).toBe('错'.repeat(limit));
    const cut = await stored(limit + 1);
    expect([...cut]).toHaveLength(limit);
    expect(cut).toMatch(/\[cut\]$/);
  },
  'nesting of JSON values': async (limit) => {
    const { append } = await newSession();
    const withValue = (levels: number) => append({ author: 'a', customMetadata: { value: nested(levels - 1) } });
    await expect(withValue(limit)).resolves.toBeDefined();
    await expect(withValue(limit + 1)).rejects.toMatchObject({ code: 'NOT_JSON' });
  },
};

describe('docs/reference/limits.md, sizes', () => {
  it('lists what is checked here, and no more', () => {
    expect(rows('Sizes').map(([what]) => what)).toEqual(Object.keys(sizes));
  });

  it.each(rows('Sizes'))('%s: %s', async (what = '', value = '') => {
    await sizes[what]?.(numberIn(value));
  });
});

describe('docs/reference/limits.md, pages', () => {
  const [read, list, search, memories] = rows('Pages').map(([, usual, most]) => ({
    usual: numberIn(usual),
    most: numberIn(most),
  }));

  it('says how many events a read gives', async () => {
    const { sessions } = await newSession();
    const events = Array.from({ length: (read?.usual ?? 0) + 1 }, () => ({ author: 'a', content: 'x' }));
    await sessions.append(key, events);
    expect((await sessions.read(key)).items).toHaveLength(read?.usual ?? 0);
    expect((await sessions.readEffective(key)).items).toHaveLength(read?.usual ?? 0);
    await expect(sessions.read(key, { limit: read?.most ?? 0 })).resolves.toBeDefined();
    await expect(sessions.read(key, { limit: (read?.most ?? 0) + 1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('says how many sessions a list gives', async () => {
    const { sessions } = await newSession();
    for (let index = 0; index < (list?.usual ?? 0); index++) await sessions.create({ ...key, sessionId: `s${index}` });
    expect((await sessions.list({ appName: 'a' })).items).toHaveLength(list?.usual ?? 0);
    await expect(sessions.list({ appName: 'a', limit: list?.most ?? 0 })).resolves.toBeDefined();
    await expect(sessions.list({ appName: 'a', limit: (list?.most ?? 0) + 1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('says how many memories a search gives', async () => {
    const memory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
    const scope = { appName: 'a', userId: 'u' };
    const entries = Array.from({ length: (search?.most ?? 0) + 1 }, (_, index) => ({ text: `tea number ${index}` }));
    await memory.add(scope, entries);
    expect((await memory.search({ scope, query: 'tea' })).memories).toHaveLength(search?.usual ?? 0);
    const all = await memory.search({ scope, query: 'tea', limit: entries.length });
    expect(all.memories).toHaveLength(search?.most ?? 0);
    expect(all.truncated).toBe(true);
  });

  it('says how many memories a list gives', async () => {
    const memory = createMemoryService({ store: createInMemoryMemoryStore(), clock });
    const scope = { appName: 'a', userId: 'u' };
    const entries = Array.from({ length: (memories?.usual ?? 0) + 1 }, (_, index) => ({ text: `tea number ${index}` }));
    await memory.add(scope, entries);
    expect((await memory.list(scope)).items).toHaveLength(memories?.usual ?? 0);
    await expect(memory.list(scope, { limit: memories?.most ?? 0 })).resolves.toBeDefined();
    for (const limit of [0, (memories?.most ?? 0) + 1]) {
      await expect(memory.list(scope, { limit })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });
});

describe('docs/reference/limits.md, times', () => {
  const [lease, idle] = rows('Times').map(([, usual]) => numberIn(usual));

  it('says how long a lease lasts', async () => {
    const { sessions } = await newSession();
    const { expiresAt } = await sessions.acquireLease(key, 'owner');
    expect(lease).toBe(defaultLeaseSeconds);
    expect(Date.parse(expiresAt) - clock.now()).toBe((lease ?? 0) * 1000);
  });

  it('says when an idle session is ended', async () => {
    const { openPalimpsest } = await import('../../src/index.ts');
    const own = new ManualClock();
    await using palimpsest = await openPalimpsest({ appName: 'a', clock: own, sweepSeconds: 0 });
    const session = await palimpsest.user('u').session('s');
    await session.append([{ author: 'user', content: 'hi' }]);
    own.advance((idle ?? 0) * 1000 - 1000);
    expect((await palimpsest.sweep()).ended).toBe(0);
    own.advance(2000); // the index that finds idle sessions is exact to the second
    expect((await palimpsest.sweep()).ended).toBe(1);
  });
});
