import { describe, expect, it } from 'vitest';
import type { EventInput } from '../events/index.ts';
import { type ImportSession, openPalimpsest, type Palimpsest } from './index.ts';

const from = { from: 'chatgpt' };

function conversation(length: number): ImportSession {
  const events = Array.from({ length }, (_, i): EventInput & { id: string } => ({
    id: `m${i + 1}`,
    author: i % 2 === 0 ? 'user' : 'assistant',
    content: i % 2 === 0 ? `问题 ${i + 1}` : `Answer ${i + 1}`,
    timestamp: new Date(Date.UTC(2024, 0, 1, 0, i)).toISOString(),
  }));
  return { userId: 'u1', sessionId: 'c1', metadata: { title: 'Old chat' }, timeZone: 'Europe/Oslo', events };
}

const first = (session: ImportSession, count: number): ImportSession => ({
  ...session,
  events: session.events.slice(0, count),
});

async function log(palimpsest: Palimpsest, sessionId = 'c1') {
  const key = { appName: palimpsest.appName, userId: 'u1', sessionId };
  return (await palimpsest.sessions.read(key, { limit: 1000 })).items;
}

describe('import', () => {
  it('keeps ids, times and where the events came from, and has memory read them', async () => {
    await using palimpsest = await openPalimpsest();
    const result = await palimpsest.import(conversation(4), from);
    expect(result).toEqual({ sessions: 1, added: 4, unchanged: 0 });
    const events = await log(palimpsest);
    expect(events.map(({ seq, id, importedFrom, timestamp }) => [seq, id, importedFrom, timestamp])).toEqual([
      [1, 'm1', 'chatgpt', '2024-01-01T00:00:00.000Z'],
      [2, 'm2', 'chatgpt', '2024-01-01T00:01:00.000Z'],
      [3, 'm3', 'chatgpt', '2024-01-01T00:02:00.000Z'],
      [4, 'm4', 'chatgpt', '2024-01-01T00:03:00.000Z'],
    ]);
    const session = await palimpsest.user('u1').session('c1');
    expect(session.info).toMatchObject({ metadata: { title: 'Old chat' }, timeZone: 'Europe/Oslo' });
    await palimpsest.settled();
    const { items } = await palimpsest.user('u1').memories();
    expect(items.map(({ text }) => text).sort()).toEqual(['Answer 2', 'Answer 4', '问题 1', '问题 3']);
  });

  it('changes nothing when made again, and adds only what is new of a source that has grown', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(1300);
    expect(await palimpsest.import(first(source, 1100), from)).toMatchObject({ added: 1100, unchanged: 0 });
    const before = await log(palimpsest);
    expect(await palimpsest.import(first(source, 1100), from)).toMatchObject({ added: 0, unchanged: 1100 });
    expect(await log(palimpsest)).toEqual(before);
    expect(await palimpsest.import(source, from)).toMatchObject({ added: 200, unchanged: 1100 });
    const { key } = await palimpsest.user('u1').session('c1');
    expect((await palimpsest.sessions.open(key))?.version).toBe(1300);
  });

  it('refuses other content under a stored id and adds nothing then', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(4);
    await palimpsest.import(first(source, 2), from);
    const changed = source.events.map((event) => (event.id === 'm2' ? { ...event, content: 'Changed' } : event));
    const importing = palimpsest.import({ ...source, events: changed }, from);
    await expect(importing).rejects.toMatchObject({ code: 'EVENT_ID_REUSED', details: { eventId: 'm2' } });
    expect(await log(palimpsest)).toHaveLength(2);
  });

  it('refuses an id that stands twice in the source', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(2);
    const importing = palimpsest.import({ ...source, events: [...source.events, ...source.events] }, from);
    await expect(importing).rejects.toMatchObject({ code: 'EVENT_ID_REUSED' });
    expect((await palimpsest.user('u1').sessions()).items).toEqual([]);
  });

  it('is completed by importing again after it was stopped half-way', async () => {
    let seen = 0;
    await using palimpsest = await openPalimpsest({
      redact: (event) => {
        if (++seen === 700) throw new RangeError('stopped');
        return event;
      },
    });
    const source = conversation(1200);
    await expect(palimpsest.import(source, from)).rejects.toThrow('stopped');
    const half = (await log(palimpsest)).length;
    expect(half).toBeGreaterThan(0);
    expect(half).toBeLessThan(700);
    expect(await palimpsest.import(source, from)).toEqual({ sessions: 1, added: 1200 - half, unchanged: half });
    const { key } = await palimpsest.user('u1').session('c1');
    const rest = (await palimpsest.sessions.read(key, { fromSeq: 1001, limit: 1000 })).items;
    expect([...(await log(palimpsest)), ...rest].map(({ id }) => id)).toEqual(source.events.map(({ id }) => id));
  });

  it('may be made by two at once', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(20);
    const results = await Promise.all([1, 2, 3].map(() => palimpsest.import(source, from)));
    expect((await log(palimpsest)).map(({ id }) => id)).toEqual(source.events.map(({ id }) => id));
    expect(results.map(({ added }) => added).sort()).toEqual([0, 0, 20]);
    expect(results.map(({ unchanged }) => unchanged).sort()).toEqual([0, 20, 20]);
  });

  it('carries bookkeeping along and compares it as well', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(4);
    const content = { role: 'model' as const, parts: [{ text: 'They spoke.' }] };
    const compaction = { covers: [[1, 2]] as const, content, trigger: 'window', sourceHash: 'x' };
    const events = [...source.events, { id: 'sum', author: 'system', actions: { compaction } }];
    await palimpsest.import({ ...source, events }, from);
    expect(await palimpsest.import({ ...source, events }, from)).toMatchObject({ added: 0, unchanged: 5 });
    const { explain } = await palimpsest.context((await palimpsest.user('u1').session('c1')).key);
    expect(explain(1)).toEqual({ outcome: 'masked', by: 5 });
  });

  it('moves the events that an overflow names along, and leaves one that names none as it is', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(4);
    await palimpsest.import(first(source, 2), from);
    const session = await palimpsest.user('u1').session('c1');
    await session.append([{ author: 'user', content: '在这里说的' }]);
    const overflows = [
      { why: 'blocked', agentName: '助手', by: [2, 4] },
      { why: 'ceiling', tokens: 9001, limit: 9000, leftOut: 3 },
    ] as const;
    const noted = overflows.map((overflow, i) => ({ id: `o${i}`, author: 'system', actions: { overflow } }));
    const grown = { ...source, events: [...source.events, ...noted] };
    expect(await palimpsest.import(grown, from)).toMatchObject({ added: 4, unchanged: 2 });
    expect(await palimpsest.import(grown, from)).toMatchObject({ added: 0, unchanged: 6 });
    const stored = (await log(palimpsest)).flatMap(({ actions }) => actions.overflow ?? []);
    expect(stored).toEqual([{ ...overflows[0], by: [2, 5] }, overflows[1]]);
  });

  it('refuses an overflow that names no events, by its place in the source', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(2);
    const bad = { id: 'o1', author: 'system', actions: { overflow: JSON.parse('{"why":"blocked","by":"全部"}') } };
    await expect(palimpsest.import({ ...source, events: [...source.events, bad] }, from)).rejects.toMatchObject({
      code: 'INVALID_EVENT',
      details: { field: 'events[2].actions.overflow.by' },
    });
  });

  it('names a bad event by its place in the source, whatever is stored already', async () => {
    await using palimpsest = await openPalimpsest();
    const source = conversation(1200);
    await palimpsest.import(first(source, 30), from);
    const bad = (content: unknown) => ({
      ...source,
      events: source.events.map((event, index) => (index === 777 ? { ...event, content: content as string } : event)),
    });
    await expect(palimpsest.import(bad('长'.repeat(3_000_000)), from)).rejects.toMatchObject({
      code: 'EVENT_TOO_LARGE',
      details: { field: 'events[777]' },
    });
    await expect(palimpsest.import(bad(5), from)).rejects.toMatchObject({
      code: 'INVALID_EVENT',
      details: { field: expect.stringMatching(/^events\[777\]\.content/) },
    });
  });

  it('takes a session back that it made for nothing, and leaves one that was there', async () => {
    await using palimpsest = await openPalimpsest();
    const tooLarge = { ...conversation(1), events: [{ id: 'm1', author: 'user', content: 'x'.repeat(9_000_000) }] };
    await expect(palimpsest.import(tooLarge, from)).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    expect((await palimpsest.user('u1').sessions()).items).toEqual([]);
    await palimpsest.user('u1').session('c1');
    await expect(palimpsest.import(tooLarge, from)).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    expect((await palimpsest.user('u1').sessions()).items).toHaveLength(1);
  });

  const refused: readonly (readonly [string, (palimpsest: Palimpsest) => Promise<unknown>, object])[] = [
    ['nothing', (p) => p.import(undefined as never, from), { code: 'INVALID_ID', details: { field: 'userId' } }],
    [
      'no origin',
      (p) => p.import(conversation(1), undefined as never),
      { code: 'INVALID_ID', details: { field: 'from' } },
    ],
    [
      'an empty origin',
      (p) => p.import(conversation(1), { from: '' }),
      { code: 'INVALID_ID', details: { field: 'from' } },
    ],
    [
      'a session id that is none',
      (p) => p.import({ ...conversation(1), sessionId: ' x' }, from),
      { code: 'INVALID_ID', details: { field: 'sessionId' } },
    ],
    [
      'no events',
      (p) => p.import({ ...conversation(1), events: undefined as never }, from),
      { code: 'INVALID_EVENT', details: { field: 'events' } },
    ],
    [
      'an event that is none',
      (p) => p.import({ ...conversation(1), events: [null as never] }, from),
      { code: 'INVALID_EVENT', details: { field: 'events[0]' } },
    ],
    [
      'an event without an id',
      (p) => p.import({ ...conversation(1), events: [{ author: 'user', content: 'x' }] }, from),
      { code: 'INVALID_EVENT', details: { field: 'events[0].id' } },
    ],
    [
      'an unknown time zone',
      (p) => p.import({ ...conversation(1), timeZone: 'Mars' }, from),
      { code: 'INVALID_ARGUMENT', details: { argument: 'timeZone' } },
    ],
  ];
  it.each(refused)('refuses %s and makes no session', async (_, call, error) => {
    await using palimpsest = await openPalimpsest();
    await expect(call(palimpsest)).rejects.toMatchObject(error);
    expect((await palimpsest.user('u1').sessions()).items).toEqual([]);
  });
});
