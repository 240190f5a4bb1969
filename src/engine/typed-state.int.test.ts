import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openPalimpsest } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-state-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const state = {
  'user:unit': { schema: z.enum(['摄氏度', 'Celsius']) },
  'app:limit': { schema: z.number().refine(async (limit) => limit < 100, 'is over the limit') },
  notes: { schema: z.array(z.string()), merge: 'append' },
  plan: { schema: z.object({ steps: z.array(z.object({ title: z.string() })) }) },
} as const;

const writing = (stateDelta: Readonly<Record<string, unknown>>) => ({ author: 'guide', actions: { stateDelta } });
const refused = (key: string) => ({ code: 'INVALID_EVENT', details: { field: `actions.stateDelta.${key}` } });

let files = 0;
const homes = [
  ['memory', () => openPalimpsest({ state })],
  ['a file', () => openPalimpsest({ file: join(folder, `${files++}.db`), state })],
] as const;

describe.each(homes)('state with schemas, in %s', (_, open) => {
  it('takes what fits, in every scope', async () => {
    await using palimpsest = await open();
    const session = await palimpsest.user('u1').session('s1', { state: { 'user:unit': '摄氏度' } });
    await session.append([
      writing({ 'app:limit': 99, notes: ['晴'], free: { of: 'schemas' } }),
      writing({ notes: ['雨'] }),
    ]);
    expect(session.state).toEqual({
      'user:unit': '摄氏度',
      'app:limit': 99,
      notes: ['晴', '雨'],
      free: { of: 'schemas' },
    });
    const other = await palimpsest.user('u1').session('s2');
    expect(other.state).toEqual({ 'user:unit': '摄氏度', 'app:limit': 99 });
  });

  it.each([
    ['user:unit', 'Kelvin'],
    ['app:limit', 100],
    ['notes', 'a text that is no list'],
    ['plan', { steps: [{ title: 7 }] }],
    ['plan', null],
  ])('refuses a wrong %s, and then nothing of the append is stored', async (key, value) => {
    await using palimpsest = await open();
    const session = await palimpsest.user('u1').session('s1');
    const appending = session.append([writing({ notes: ['first'] }), writing({ notes: ['second'], [key]: value })]);
    await expect(appending).rejects.toMatchObject(refused(key));
    expect(await palimpsest.sessions.open(session.key)).toMatchObject({ version: 0, state: {} });
  });

  it('makes no session with state that does not fit', async () => {
    await using palimpsest = await open();
    const input = { appName: 'default', userId: 'u1', sessionId: 's1', state: { 'user:unit': 'Kelvin' } };
    await expect(palimpsest.sessions.create(input)).rejects.toMatchObject(refused('user:unit'));
    expect(await palimpsest.sessions.open(input)).toBeUndefined();
  });

  it('imports no log whose state does not fit, and says why', async () => {
    await using palimpsest = await open();
    const events = [
      { id: 'e1', author: 'user', content: '你好' },
      { id: 'e2', ...writing({ plan: { steps: [{ title: '上山' }, {}] } }) },
    ];
    const importing = palimpsest.import({ userId: 'u1', sessionId: 's1', events }, { from: 'elsewhere' });
    await expect(importing).rejects.toMatchObject({
      ...refused('plan'),
      message: expect.stringMatching(/at steps\.1\.title/),
    });
    expect((await palimpsest.user('u1').sessions()).items).toEqual([]);
  });

  it('lets a key be removed, rewound and forked', async () => {
    await using palimpsest = await open();
    const session = await palimpsest.user('u1').session('s1', { state: { notes: ['晴'] } });
    await session.append([{ author: 'user', content: 'Again?' }, writing({ notes: ['雨'], plan: { steps: [] } })]);
    const fork = await session.fork({ atSeq: 3 });
    expect(fork.state).toEqual({ notes: ['晴', '雨'], plan: { steps: [] } });
    const [, question] = (await session.read()).items;
    await session.rewind({ beforeInvocationId: question?.invocationId ?? '' });
    expect(session.state).toEqual({ notes: ['晴'] });
    await fork.append([{ author: 'guide', actions: { stateRemoved: ['plan', 'notes'] } }]);
    expect(fork.state).toEqual({});
  });
});

describe('a file that was written without schemas', () => {
  it('is read as it is; only what is written now is checked', async () => {
    const file = join(folder, 'older.db');
    await using older = await openPalimpsest({ file });
    const { key } = await older.user('u1').session('s1', { state: { 'user:unit': 'Kelvin' } });
    await older.close();
    await using palimpsest = await openPalimpsest({ file, state });
    const session = await palimpsest.user('u1').session(key.sessionId);
    expect(session.state).toEqual({ 'user:unit': 'Kelvin' });
    await expect(session.append([writing({ 'user:unit': 'Kelvin' })])).rejects.toMatchObject(refused('user:unit'));
    await session.append([writing({ 'user:unit': 'Celsius' })]);
    expect(session.state).toEqual({ 'user:unit': 'Celsius' });
  });
});
