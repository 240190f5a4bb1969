import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type OpenOptions, openPalimpsest, type Palimpsest } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-engine-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = () => join(folder, `${files++}.db`);
const open = (file: string, options: OpenOptions = {}) => openPalimpsest({ file, sweepSeconds: 0, ...options });

const exchange = (question: string, answer = 'Yes.') => [
  { author: 'user', content: question },
  { author: 'assistant', content: answer },
];

async function learnt(palimpsest: Palimpsest): Promise<string[]> {
  const { items } = await palimpsest.user('u1').memories({ limit: 1000 });
  return items.map(({ text }) => text).sort();
}

describe('a file', () => {
  it('keeps log, state, artifacts and memory from one opening to the next', async () => {
    const file = newFile();
    const first = await open(file);
    const session = await first.user('u1').session('s1', { state: { unit: 'C', 'user:名': '李' } });
    await session.append(exchange('以后请用摄氏度', '好的'));
    await first.artifacts.put(session.key, 'map.png', new Uint8Array([1, 2]), 'image/png');
    await first.user('u1').remember('Likes maps');
    await first.close();
    await using second = await open(file, { mustExist: true });
    const again = await second.user('u1').session('s1');
    expect([again.version, again.state]).toEqual([3, { unit: 'C', 'user:名': '李' }]);
    expect((await second.artifacts.get(again.key, 'map.png'))?.bytes).toEqual(new Uint8Array([1, 2]));
    expect(await learnt(second)).toEqual(['Likes maps', '以后请用摄氏度', '好的']);
  });

  it('is refused with a typed error when it cannot be one', async () => {
    const missing = newFile();
    await expect(open(missing, { mustExist: true })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(existsSync(missing)).toBe(false);
    const prose = newFile();
    writeFileSync(prose, 'This is no database. '.repeat(100));
    await expect(open(prose)).rejects.toMatchObject({ code: 'NOT_A_STORE' });
    await expect(open(join(folder, 'no', 'such', 'folder', 'x.db'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('has no session held by a run that was under way when it was closed', async () => {
    const file = newFile();
    const first = await open(file);
    const key = { appName: 'default', userId: 'u1', sessionId: 's1' };
    const asking = { key, agentName: 'assistant', events: [{ author: 'user', content: '订票' }] };
    const run = await first.invocations.begin(asking);
    const stopped = new Promise((resolve) => run.signal.addEventListener('abort', resolve)).then(async () => {
      await run.record([{ author: 'assistant', content: '正在', interrupted: true }]);
      await run.finish();
    });
    await Promise.all([stopped, first.close()]);
    await using second = await open(file);
    const next = await second.invocations.begin({ ...asking, events: [{ author: 'user', content: '还在吗？' }] });
    await next.finish();
    const { items } = await (await second.user('u1').session('s1')).read();
    expect(items.map(({ content, interrupted }) => [content?.parts[0]?.text, interrupted])).toEqual([
      ['订票', undefined],
      ['正在', true],
      ['还在吗？', undefined],
    ]);
  });

  it('is backed up while work goes on, and answers CLOSED after close', async () => {
    await using copied = await (async () => {
      const palimpsest = await open(newFile());
      const session = await palimpsest.user('u1').session('s1');
      await session.append(exchange('Backed up?'));
      await palimpsest.settled();
      const copy = newFile();
      await palimpsest.backup(copy);
      await session.append(exchange('Later?'));
      await palimpsest.close();
      await palimpsest.close();
      await expect(session.append(exchange('x'))).rejects.toMatchObject({ code: 'CLOSED' });
      await expect(palimpsest.user('u1').recall('x')).rejects.toMatchObject({ code: 'CLOSED' });
      await expect(palimpsest.backup(newFile())).rejects.toMatchObject({ code: 'CLOSED' });
      return open(copy, { mustExist: true });
    })();
    expect(await learnt(copied)).toEqual(['Backed up?', 'Yes.']);
  });

  it('has not a byte left of what an erased user said, once it is closed', async () => {
    const file = newFile();
    const palimpsest = await open(file);
    const session = await palimpsest.user('u1').session('s1', { state: { 'user:drink': 'Zanzibartee' } });
    await session.append(exchange('Zanzibarfahrt 桑给巴尔'));
    await palimpsest.user('u1').remember('Zanzibarlied');
    await palimpsest.artifacts.put(session.key, 'map', new TextEncoder().encode('Zanzibarkarte'), 'text/plain');
    await (await palimpsest.user('u2').session('s1')).append(exchange('Kept 保留'));
    await palimpsest.settled();
    await palimpsest.user('u1').erase();
    await palimpsest.close();
    const bytes = readdirSync(folder)
      .filter((name) => join(folder, name).startsWith(file))
      .map((name) => readFileSync(join(folder, name)));
    const raw = Buffer.concat(bytes);
    expect(raw.includes('Kept 保留')).toBe(true);
    expect(
      raw
        .toString('utf8')
        .toLowerCase()
        .match(/zanzibar\w*|桑给/g),
    ).toBeNull();
  });

  it('keeps apps apart', async () => {
    const file = newFile();
    await using one = await open(file, { appName: 'one' });
    await using two = await open(file, { appName: 'two' });
    await (await one.user('u1').session('s1', { state: { 'app:plan': 1 } })).append(exchange('Only one?'));
    await one.settled();
    await two.sweep();
    await two.user('u1').erase();
    expect(await learnt(two)).toEqual([]);
    expect((await two.user('u1').session('s1')).state).toEqual({});
    expect(await learnt(one)).toEqual(['Only one?', 'Yes.']);
  });
});

describe('catching up', () => {
  it('reads what a process that died has left, answered or not', async () => {
    const file = newFile();
    const dying = await open(file, { ingest: 'never' }); // as if it died before it could read
    for (let i = 0; i < 130; i++) await (await dying.user('u1').session(`s${i}`)).append(exchange(`Q${i}?`, `A${i}.`));
    await (await dying.user('u1').session('open')).append([{ author: 'user', content: 'Unanswered?' }]);
    await dying.close();
    await using palimpsest = await open(file);
    await palimpsest.settled();
    expect(await learnt(palimpsest)).toHaveLength(261);
    expect(await learnt(palimpsest)).toContain('Unanswered?');
    expect(await palimpsest.sessions.listBehind({ appName: 'default' })).toEqual([]);
  });

  it('leaves the file alone with ingest: never', async () => {
    const file = newFile();
    const first = await open(file, { ingest: 'never' });
    await (await first.user('u1').session('s1')).append(exchange('Q?'));
    await first.close();
    await using second = await open(file, { ingest: 'never' });
    await second.settled();
    expect(await learnt(second)).toEqual([]);
  });

  it('can be cut short by close and goes on at the next opening', async () => {
    const file = newFile();
    const first = await open(file, { ingest: 'never' });
    const events = Array.from({ length: 700 }, (_, i) => ({ author: 'user', content: `turn ${i}` }));
    for (let i = 0; i < 3; i++) await (await first.user('u1').session(`s${i}`)).append(events);
    await first.close();
    await (await open(file)).close();
    await using last = await open(file);
    await last.settled();
    const counts = await Promise.all(
      ['s0', 's1', 's2'].map(async (sessionId) => {
        const { incarnation } = (await last.user('u1').session(sessionId)).info;
        return last.memory.watermark({ appName: 'default', userId: 'u1', sessionId, incarnation });
      }),
    );
    expect(counts).toEqual([700, 700, 700]);
  });
});

describe('two on one file', () => {
  it('see each other’s appends, conflicts and memories', async () => {
    const file = newFile();
    await using one = await open(file);
    await using two = await open(file);
    const here = await one.user('u1').session('s1');
    const there = await two.user('u1').session('s1');
    await here.append(exchange('Seen?'));
    await one.settled();
    expect(await learnt(two)).toEqual(['Seen?', 'Yes.']);
    const stale = there.append(exchange('Stale?'), { expectedVersion: there.version });
    await expect(stale).rejects.toMatchObject({ code: 'APPEND_CONFLICT' });
    await there.append(exchange('Fresh?'));
    expect((await here.read()).items).toHaveLength(4);
  });

  it('read one log together and learn each turn once', async () => {
    const file = newFile();
    await using one = await open(file);
    await using two = await open(file);
    const handles = await Promise.all([one, two].map((palimpsest) => palimpsest.user('u1').session('s1')));
    await Promise.all(
      Array.from({ length: 24 }, (_, i) => handles[i % 2]?.append(exchange(`Question ${i}?`, `Answer ${i}.`))),
    );
    await Promise.all([one.settled(), two.settled()]);
    const all = Array.from({ length: 24 }, (_, i) => [`Answer ${i}.`, `Question ${i}?`]).flat();
    expect(await learnt(one)).toEqual(all.sort());
  });

  it('leave nothing of a user whom one erases while the other reads', async () => {
    const file = newFile();
    await using one = await open(file);
    await using two = await open(file);
    for (let round = 0; round < 6; round++) {
      const session = await one.user('u1').session(`s${round}`);
      await session.append(exchange(`Secret ${round}`));
      await Promise.all([two.user('u1').erase(), one.settled()]);
      await two.settled();
      expect(await learnt(two)).toEqual([]);
      expect((await one.user('u1').sessions()).items).toEqual([]);
    }
  });
});

describe('background failures', () => {
  it('of one log do not keep the others from being read', async () => {
    const file = newFile();
    const first = await open(file, { ingest: 'never' });
    await (await first.user('u1').session('s1')).append(exchange('Damaged?'));
    await (await first.user('u1').session('s2')).append(exchange('Sound?'));
    await first.close();
    await damage(file);
    const told: unknown[] = [];
    await using palimpsest = await open(file, { onBackgroundFailure: (error) => told.push(error) });
    await expect(palimpsest.settled()).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(told).toHaveLength(1);
    expect(await learnt(palimpsest)).toEqual(['Sound?', 'Yes.']);
  });
});

/** Spoils the text of the first event of the first session, as a bad disk would. */
async function damage(file: string): Promise<void> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(file);
  const { changes } = database.prepare("UPDATE events SET body = 'x' WHERE session = 1 AND seq = 1").run();
  database.close();
  expect(changes).toBe(1);
}
