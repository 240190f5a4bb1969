import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPalimpsest } from '../../engine/index.ts';
import { type RunOptions, runCaptured } from './run-captured.ts';

const fixtures = resolve('test/fixtures/imports');
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-cli-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const cli = (args: readonly string[], options?: RunOptions) => runCaptured(args, { cwd: directory, ...options });
const inStore = (name: string) => (args: readonly string[], options?: RunOptions) =>
  cli([...args, '--file', name], options);
const fixture = (name: string) => join(fixtures, name);

describe('one file, from import to erasure', () => {
  const store = inStore('life.db');

  test('imports every format, and importing again changes nothing', async () => {
    for (const name of ['locomo.json', 'chatgpt.json', 'claude.json', 'openai.jsonl', 'adk.jsonl']) {
      const first = await store(['import', fixture(name)]);
      expect(first).toMatchObject({ code: 0, err: '' });
      expect(first.out).toMatch(/^Imported \d+ sessions?: \d+ new events? from /);
      const again = JSON.parse((await store(['import', fixture(name), '--json'])).out);
      expect(again).toMatchObject({ added: 0, interrupted: false });
      expect(again.unchanged).toBeGreaterThan(0);
    }
  });

  test('lists sessions', async () => {
    const { code, out } = await store(['sessions']);
    expect(code).toBe(0);
    for (const shown of ['talk-1/session_1', 'garden-1', '阳台照片', 'chat-1', 'adk']) expect(out).toContain(shown);
    const ofUser = JSON.parse((await store(['sessions', '--user', 'talk-1', '--json'])).out);
    expect(ofUser.map((info: { key: { sessionId: string } }) => info.key.sessionId).sort()).toEqual([
      'talk-1/session_1',
      'talk-1/session_2',
    ]);
    const limited = await store(['sessions', '--limit', '1']);
    expect(limited.out.trim().split('\n')).toHaveLength(2);
    expect(limited.err).toContain('--limit 0 shows all');
  });

  test('shows a log by a prefix of its id', async () => {
    const { code, out } = await store(['show', 'garden']);
    expect(code).toBe(0);
    expect(out).toContain('→ browser({"query":"tomato varieties for shade"})');
    expect(out).toContain('← browser: {"result":"Cherry types cope best with four hours of sun."}');
    expect(out).toContain('(thought) Four hours');
    const json = JSON.parse((await store(['show', 'garden-1', '--json'])).out);
    expect(json.events.map(({ seq, live }: { seq: number; live: boolean }) => [seq, live])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, true],
      [5, true],
    ]);
    const newest = await store(['show', 'garden', '--limit', '2']);
    expect(newest.err).toContain('3 earlier events not shown');
    expect(newest.out).not.toContain('balcony faces');
    expect((await store(['show', 'garden', '--full'])).out).toContain('#5  assistant');
  });

  test('shows what a request makes of each event', async () => {
    const { code, out } = await store(['show', 'garden', '--context', '--provider', 'anthropic']);
    expect(code).toBe(0);
    expect(out).toContain('PLACEMENT');
    expect(out).toContain('verbatim');
    expect(out).toContain('Request to anthropic for agent assistant');
    const json = JSON.parse((await store(['show', 'garden', '--context', '--json'])).out);
    expect(json.request.contents[0].role).toBe('user');
    expect(json.events[0].placement).toEqual({ outcome: 'verbatim' });
  });

  test('searches in both languages, with the source of each memory', async () => {
    const english = await store(['search', 'bought a cello', '--user', 'talk-1']);
    expect(english).toMatchObject({ code: 0 });
    expect(english.out).toContain('talk-1/session_1 #2');
    const chinese = JSON.parse((await store(['search', '搬到成都', '--user', 'talk-1', '--json'])).out);
    expect(chinese.memories[0]).toMatchObject({
      text: expect.stringContaining('成都'),
      provenance: [{ sessionId: 'talk-1/session_2', seq: 1 }],
    });
    const nobody = await store(['search', 'cello', '--user', 'nobody']);
    expect(nobody).toMatchObject({ code: 0, out: '' });
    expect(nobody.err).toContain('only of "talk-1", "user"');
  });

  test('assembles the request for a question, with what is recalled', async () => {
    const args = ['ask', 'Did I buy a cello?', '--user', 'talk-1', '--session', 'talk-1/session_2'];
    const { code, out } = await store(args);
    expect(code).toBe(0);
    expect(out).toContain('talk-1/session_1 #2');
    expect(out).toContain('Did I buy a cello?');
    const json = JSON.parse((await store([...args, '--json'])).out);
    expect(json.memories.length).toBeGreaterThan(0);
    expect(json.request.transient.length).toBeGreaterThan(0);
    const log = JSON.parse((await store(['show', 'talk-1/session_2', '--json'])).out);
    expect(log.events).toHaveLength(2);
  });

  test('a user must be named where there are several, and only there', async () => {
    const several = await store(['search', 'cello']);
    expect(several).toMatchObject({ code: 2, out: '' });
    expect(several.err).toMatch(/^error: --user is needed, for there are several: talk-1, user\./);
    await cli(['import', fixture('claude.json'), '--file', 'one.db']);
    const only = await cli(['search', '花生', '--file', 'one.db']);
    expect(only).toMatchObject({ code: 0 });
    expect(only.out).toContain('花生');
  });

  test('backs up, and finds the copy sound', { timeout: 120_000 }, async () => {
    expect(await store(['backup', 'copy.db'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Wrote copy.db'),
    });
    expect(await store(['backup', 'copy.db'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('exists already'),
    });
    const before = await readFile(join(directory, 'copy.db'));
    const doctor = await cli(['doctor', 'copy.db']);
    expect(doctor).toMatchObject({ code: 0, out: expect.stringContaining('The file is sound.') });
    expect(await readFile(join(directory, 'copy.db'))).toEqual(before);
    const json = JSON.parse((await cli(['doctor', 'copy.db', '--json'])).out);
    expect(json).toMatchObject({ sound: true });
  });

  test('erases a session, then a user, only when told twice', async () => {
    const asked = await store(['erase', '--user', 'talk-1']);
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('--yes is needed') });
    const announced = JSON.parse((await store(['erase', '--user', 'talk-1', '--json'])).err).error;
    const one = ['erase', '--user', 'talk-1', '--session', 'talk-1/session_1'];
    expect(JSON.parse((await store([...one, '--json'])).err).error).toMatchObject({
      wouldErase: { sessions: 1, events: 2, memories: 2 },
    });
    const copied = (args: readonly string[]) => cli([...args, '--json', '--file', 'erased.db']);
    await store(['backup', 'erased.db']);
    const receipt = JSON.parse((await copied(['erase', '--user', 'talk-1', '--yes'])).out);
    expect(announced.wouldErase).toEqual({
      sessions: receipt.sessions.length,
      events: receipt.events,
      memories: receipt.memories,
    });
    expect(await cli(['erase', '--user', 'talk-1', '--yes', '--file', 'erased.db'])).toMatchObject({
      code: 0,
      out: 'There was nothing of user "talk-1" in app "default".\n',
    });
    const session = await store(['erase', '--user', 'talk-1', '--session', 'talk-1/session_1', '--yes', '--json']);
    expect(session.code).toBe(0);
    expect(JSON.parse(session.out)).toMatchObject({ events: 2, sessions: [{ sessionId: 'talk-1/session_1' }] });
    expect((await store(['search', 'cello', '--user', 'talk-1'])).out).not.toContain('cello');
    const user = await store(['erase', '--user', 'talk-1', '--yes']);
    expect(user.out).toContain('1 session, 2 events');
    expect(JSON.parse((await store(['sessions', '--user', 'talk-1', '--json'])).out)).toEqual([]);
    const memory = await store(['erase', '--user', 'user', '--memory', 'no-such', '--yes']);
    expect(memory).toMatchObject({ code: 1, err: expect.stringContaining('"no-such"') });
  });
});

test('rewound and summarised events are marked', async () => {
  const palimpsest = await openPalimpsest({ file: join(directory, 'marks.db'), appName: 'default' });
  const session = await palimpsest.user('u1').session('marked');
  await session.append([
    { author: 'user', content: 'one', invocationId: 'i1' },
    { author: 'assistant', content: 'two', invocationId: 'i1' },
    { author: 'user', content: '三', invocationId: 'i2' },
  ]);
  await session.append([
    {
      author: 'system',
      actions: {
        compaction: {
          covers: [[1, 2]],
          content: { role: 'model', parts: [{ text: 'Counting began.' }] },
          trigger: 'test',
          sourceHash: 'x',
        },
      },
    },
  ]);
  await session.rewind({ beforeInvocationId: 'i2' });
  await palimpsest.close();
  const { out } = await cli(['show', 'marked', '--file', 'marks.db']);
  expect(out).toMatch(/1 {2}.*in summary 4 +one/);
  expect(out).toMatch(/3 {2}.*rewound +三/);
  expect(out).toContain('summary of 1–2: Counting began.');
  expect(out).toContain('rewound to before event 3');
});

describe('interruption', () => {
  test('an import stops between sessions, and importing again finishes it', async () => {
    const stopped = await cli(['import', fixture('locomo.json'), '--file', 'stopped.db'], {
      signal: AbortSignal.abort(),
    });
    expect(stopped).toMatchObject({ code: 130, out: '' });
    expect(stopped.err).toMatch(/Stopped\. Imported 0 sessions.*again to finish/);
    const finished = JSON.parse((await cli(['import', fixture('locomo.json'), '--file', 'stopped.db', '--json'])).out);
    expect(finished).toMatchObject({ sessions: 2, added: 4 });
  });

  test('other commands are left at once', async () => {
    const left = await cli(['sessions', '--file', 'stopped.db'], { signal: AbortSignal.abort() });
    expect(left).toMatchObject({ code: 130, err: 'error: The command was stopped before it finished.\n' });
  });

  test('a broken record keeps what came before it', async () => {
    const file = join(directory, 'later.jsonl');
    const good = { id: 's1', messages: [{ role: 'user', content: '你好' }] };
    await writeFile(file, `${JSON.stringify(good)}\n{"messages": 3}\n`);
    const { code, err } = await cli(['import', 'later.jsonl', '--file', 'later.db']);
    expect(code).toBe(1);
    expect(err).toMatch(/^Left out, 1 fault:\n {2}.*later\.jsonl:2: messages must be an array\.\n$/);
    expect((await cli(['show', 's1', '--file', 'later.db'])).out).toContain('你好');
  });
});

describe('wrong input', () => {
  const half = '{"role":"user","content":"hi"}\n{"role":"assis';
  beforeAll(async () => {
    await writeFile(join(directory, 'half.jsonl'), half);
    await writeFile(join(directory, 'noise.bin'), new Uint8Array([0, 255, 0, 128]));
    await writeFile(join(directory, 'noise.db'), Buffer.alloc(4096, 'noise'));
    await writeFile(join(directory, 'empty.db'), '');
    await cli(['import', fixture('locomo.json'), '--file', 'some.db']);
  });

  const cases: readonly [args: readonly string[], code: number, err: RegExp][] = [
    [['sesions'], 2, /unknown command 'sesions'[\s\S]*sessions/],
    [['sessions', '--usr', 'x'], 2, /unknown option '--usr'[\s\S]*--user/],
    [['sessions', '--limit', 'many'], 2, /whole number/],
    [['show', 'talk', '--provider', 'acme'], 2, /gemini, anthropic, openai/],
    [['import', 'x', '--format', 'csv'], 2, /locomo/],
    [['show'], 2, /missing required argument 'session'/],
    [['erase', '--yes'], 2, /--user/],
    [['erase', '--user', 'a', '--session', 's', '--memory', 'm', '--yes', '--file', 'some.db'], 2, /--session/],
    [[], 2, /Usage: palimpsest/],
    [['sessions', '--file', 'absent.db'], 1, /no file .*absent\.db/],
    [['backup', 'to.db', '--file', 'absent.db'], 1, /no file .*absent\.db/],
    [['doctor', 'absent.db'], 1, /no file .*absent\.db/],
    [['doctor', 'noise.db'], 1, /noise\.db/],
    [['sessions', '--file', 'noise.db'], 1, /noise\.db/],
    [['import', 'absent.json', '--file', 'new.db'], 1, /no file .*absent\.json/],
    [['import', 'half.jsonl', '--file', 'new.db'], 1, /half\.jsonl:2: .*cut off/],
    [['import', 'noise.bin', '--file', 'new.db'], 1, /binary/],
    [['import', '.', '--file', 'new.db'], 1, /directory/],
    [['import', join(fixtures, 'claude.json'), '--format', 'adk', '--file', 'new.db'], 1, /looks like claude/],
    [['show', 'nothing', '--file', 'some.db'], 1, /no session "nothing"\. 'palimpsest sessions' lists them\.\n$/],
    [['sessions', '--file', 'empty.db'], 1, /empty\.db" is empty/],
    [['doctor', 'empty.db'], 1, /empty\.db" is empty/],
    [['show', 'talk', '--file', 'some.db'], 2, /several sessions: talk-1\/session_\d, talk-1\/session_\d/],
    [['show', 'talk-1/session_1', '--user', 'other', '--file', 'some.db'], 1, /no session/],
    [['search', 'x', '--app', 'other', '--file', 'some.db'], 2, /app "other" has no sessions/],
    [['ask', 'x', '--user', 'other', '--file', 'some.db'], 2, /no session to ask in/],
    [['erase', '--user', 'talk-1', '--session', 'talk', '--yes', '--file', 'some.db'], 1, /no session "talk"/],
  ];
  test.each(cases)('%j: exit code %i, a reason, no stack trace', async (args, code, err) => {
    const result = await cli(args);
    expect(result.err).toMatch(err);
    expect(result).toMatchObject({ code, out: '' });
    expect(result.err).not.toMatch(/^\s+at /m);
    for (const absent of ['absent.db', 'new.db', 'to.db']) expect(existsSync(join(directory, absent))).toBe(false);
    expect((await stat(join(directory, 'empty.db'))).size).toBe(0);
  });

  test('errors as JSON, and stack traces on request', async () => {
    const json = await cli(['sessions', '--file', 'absent.db', '--json']);
    expect(JSON.parse(json.err).error).toMatchObject({
      code: 'FILE_NOT_FOUND',
      details: { file: join(directory, 'absent.db') },
    });
    expect((await cli(['sessions', '--file', 'absent.db', '--verbose'])).err).toMatch(/^\s+at /m);
    expect((await cli(['sessions', '--file', 'absent.db'], { env: { PALIMPSEST_DEBUG: '1' } })).err).toMatch(
      /^\s+at /m,
    );
    const verbose = await cli(['sessions', '--file', 'absent.db', '--json', '--verbose']);
    expect(JSON.parse(verbose.err).error.stack).toMatch(/^\s+at /m);
  });

  test.each([
    ...cases.map(([args]) => args),
    ['bogus'],
    ['import'],
    ['sessions', '--limit', 'x'],
    ['sessions', '--nonsense'],
    ['search', 'x', 'y', 'z'],
    ['search', 'x'],
  ])('--json %j: one JSON object on stderr, nothing else', async (...args) => {
    for (const place of ['first', 'last']) {
      const { code, out, err } = await cli(place === 'first' ? ['--json', ...args] : [...args, '--json']);
      const { error } = JSON.parse(err);
      expect(error).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/\S/) });
      expect({ code, out }).toEqual({ code: code === 2 ? 2 : 1, out: '' });
    }
  });

  test('notes are no part of JSON', async () => {
    const none = await cli(['sessions', '--user', 'nobody', '--file', 'some.db', '--json']);
    expect(none).toEqual({ code: 0, out: '[]\n', err: '' });
    const found = await cli(['search', 'zzz', '--user', 'talk-1', '--file', 'some.db', '--json']);
    expect(found).toMatchObject({ code: 0, err: '' });
  });

  test('the doctor finds damaged pages, and says what can be read behind them', { timeout: 120_000 }, async () => {
    await cli(['backup', 'hurt.db', '--file', 'some.db']);
    const sound = await readFile(join(directory, 'hurt.db'));
    const doctorOf = async (from: number, to: number) => {
      await writeFile(join(directory, 'hurt.db'), Buffer.from(sound).fill(0x5a, from, to));
      const { code, out, err } = await cli(['doctor', 'hurt.db', '--json']);
      expect({ code, err }).toEqual({ code: 1, err: '' });
      expect((await cli(['doctor', 'hurt.db'])).out).not.toMatch(/'palimpsest doctor'|\b0 events.*still shows/s);
      return JSON.parse(out);
    };
    const pageSize = sound.readUInt16BE(16);
    let readable = 0;
    for (let page = 1; page * pageSize < sound.length; page++) {
      const { sound: isSound, findings } = await doctorOf(page * pageSize, (page + 1) * pageSize);
      expect(isSound).toBe(false);
      if (findings[0].problems.length > 0 && findings[1]?.eventsRead === 4) readable += 1;
    }
    // Most pages are of indexes and memories, behind which all four events can still be read.
    expect(readable).toBeGreaterThan(0);
  });
});

test('--help and --version answer on stdout; the file comes from the environment', async () => {
  const help = await cli(['--help']);
  expect(help).toMatchObject({ code: 0, err: '' });
  expect(help.out).toMatch(/Usage: palimpsest[\s\S]*Examples:/);
  expect(await cli(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  await cli(['import', fixture('claude.json')], { env: { PALIMPSEST_FILE: 'from-env.db' } });
  expect(existsSync(join(directory, 'from-env.db'))).toBe(true);
});
