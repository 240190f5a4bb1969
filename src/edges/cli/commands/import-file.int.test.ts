import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPalimpsest } from '../../../engine/index.ts';
import { textOf } from '../../../events/index.ts';
import { openSource } from '../import/index.ts';
import { run } from '../program.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-import-file-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function capture() {
  const pieces: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      pieces.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => pieces.join('') };
}

async function imports(file: string, store: string, ...options: readonly string[]) {
  const stdout = capture();
  const stderr = capture();
  const io = {
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { NO_COLOR: '1' },
    cwd: directory,
  };
  const args = ['import', file, '--file', store, ...options];
  const code = await run(args, { ...io, signal: new AbortController().signal });
  return { code, out: stdout.text(), err: stderr.text() };
}

async function write(name: string, content: string | readonly object[]): Promise<string> {
  const text = typeof content === 'string' ? content : content.map((line) => JSON.stringify(line)).join('\n');
  await mkdir(dirname(join(directory, name)), { recursive: true });
  await writeFile(join(directory, name), text);
  return name;
}

/** What the sessions of a store show, by their ids. */
async function shown(store: string): Promise<Record<string, string[]>> {
  await using palimpsest = await openPalimpsest({ file: join(directory, store), mustExist: true, ingest: 'never' });
  const found: Record<string, string[]> = {};
  for (const { key } of (await palimpsest.sessions.list({ appName: 'default' })).items) {
    const { items } = await palimpsest.sessions.readEffective(key, { limit: 1000 });
    found[key.sessionId] = items.map(({ content }) => textOf(content));
  }
  return found;
}

type Said = readonly [id: string, role: string, text: string];

function chatgpt(id: string, title: string, path: readonly Said[]): object {
  const nodes = path.map(([nodeId, role, text], index) => {
    const content = { content_type: 'text', parts: [text] };
    return [nodeId, { parent: path[index - 1]?.[0], message: { id: nodeId, author: { role }, content } }];
  });
  return { conversation_id: id, title, current_node: path.at(-1)?.[0], mapping: Object.fromEntries(nodes) };
}

const question: Said = ['q', 'user', 'Which month is best?'];
const tooLarge = '长'.repeat(3_000_000);

describe('a conversation that has changed since it was imported', () => {
  test('a regenerated answer takes the place of the old one, whatever was imported before', async () => {
    const old = JSON.stringify([chatgpt('c1', 'Tea', [question, ['a', 'assistant', 'May is best.']])]);
    const newer = JSON.stringify([chatgpt('c1', 'Tea', [question, ['b', 'assistant', '六月最好。']])]);
    await write('old.json', old);
    await write('newer.json', newer);
    await imports('newer.json', 'direct.db');
    for (const file of ['old.json', 'newer.json', 'old.json', 'newer.json']) {
      expect((await imports(file, 'turns.db')).code).toBe(0);
    }
    expect(await shown('turns.db')).toEqual(await shown('direct.db'));
    expect(JSON.parse((await imports('newer.json', 'turns.db', '--json')).out)).toMatchObject({
      added: 0,
      unchanged: 2,
    });
  });

  test('where the session went on here it is left out, and the way out is told', async () => {
    const other = chatgpt('c2', 'Else', [['e', 'user', 'Anything else?']]);
    await write('one.json', JSON.stringify([chatgpt('c1', 'Tea', [question, ['a', 'assistant', 'May.']])]));
    await write('two.json', JSON.stringify([chatgpt('c1', 'Tea', [question, ['b', 'assistant', 'June.']]), other]));
    await imports('one.json', 'gone-on.db');
    const palimpsest = await openPalimpsest({ file: join(directory, 'gone-on.db'), ingest: 'never' });
    await (await palimpsest.user('user').session('c1')).append([{ author: 'user', content: 'Said here.' }]);
    await palimpsest.close();
    const { code, out, err } = await imports('two.json', 'gone-on.db');
    expect(code).toBe(1);
    expect(out).toBe('Imported 1 session: 1 new event from two.json (chatgpt).\n');
    expect(err).toMatch(/two\.json: \[0\] of conversation "Tea" has taken another way .*event 3 of session c1/);
    expect(err).toContain('palimpsest erase --user user --session c1');
    expect(await shown('gone-on.db')).toEqual({
      c1: ['Which month is best?', 'May.', 'Said here.'],
      c2: ['Anything else?'],
    });
  });
});

describe('a conversation that cannot be imported', () => {
  test('is left out with its place; the others are imported, and no empty session stays', async () => {
    const bad = chatgpt('c0', 'Too "big"', [question, ['huge', 'assistant', tooLarge]]);
    const odd = chatgpt('c3', 'Odd', [['o', 'robot', 'x']]);
    const good = chatgpt('c2', '好', [['g', 'user', '你好']]);
    await write('mixed.json', JSON.stringify([bad, odd, good]));
    const { code, out, err } = await imports('mixed.json', 'mixed.db');
    expect({ code, out }).toEqual({ code: 1, out: 'Imported 1 session: 1 new event from mixed.json (chatgpt).\n' });
    expect(err).toMatch(/Left out, 2 faults:/);
    expect(err).toMatch(/mixed\.json: \[0\]\.mapping\.huge of conversation "Too \\"big\\"" takes 90\d+ bytes/);
    expect(err).toMatch(/mixed\.json: \[1\]\.mapping\.o\.message\.author\.role must be "user"/);
    expect(await shown('mixed.db')).toEqual({ c2: ['你好'] });
    const again = await imports('mixed.json', 'mixed.db', '--json');
    expect(again.code).toBe(1);
    expect(JSON.parse(again.out)).toMatchObject({
      sessions: 1,
      added: 0,
      unchanged: 1,
      leftOut: [
        { code: 'EVENT_TOO_LARGE', file: join(directory, 'mixed.json'), field: '[0].mapping.huge' },
        { code: 'INVALID_IMPORT', field: '[1].mapping.o.message.author.role' },
      ],
    });
  });

  test('the line is named, and the message where one is at fault', async () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'c', function: { name: '', arguments: '{}' } }] };
    await write('lines.jsonl', [
      { id: 's1', messages: [{ role: 'user', content: 'a' }] },
      {
        id: 's2',
        messages: [
          { role: 'user', content: 'b' },
          { role: 'assistant', content: tooLarge },
        ],
      },
      { id: 's3', messages: [{ role: 'user', content: 'c' }, call] },
    ]);
    const { code, err } = await imports('lines.jsonl', 'lines.db');
    expect(code).toBe(1);
    expect(err).toMatch(/lines\.jsonl:2: messages\[1\] of conversation "s2" takes/);
    expect(Object.keys(await shown('lines.db'))).not.toContain('s2');
    await write('loose.jsonl', [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: tooLarge },
    ]);
    const loose = await imports('loose.jsonl', 'loose.db');
    expect(loose).toMatchObject({ code: 1, out: '' });
    expect(loose.err).toMatch(/^error: .*loose\.jsonl:2: the message takes \d+ bytes/);
    expect(await shown('loose.db')).toEqual({});
  });

  test('a line that is broken, not UTF-8 or too long is left out alone', async () => {
    const session = (id: string) => JSON.stringify({ id, messages: [{ role: 'user', content: id }] });
    const long = Buffer.alloc(65 * 1024 * 1024, 'x');
    const latin = Buffer.from('{"id":"caf\xe9","messages":[]}', 'latin1');
    const lines = [session('s1'), '{"id": "cut', session('s2'), latin, long, session('s3')];
    const bytes = lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]);
    await writeFile(join(directory, 'broken.jsonl'), Buffer.concat(bytes));
    const { code, err } = await imports('broken.jsonl', 'broken.db');
    expect(code).toBe(1);
    for (const told of [/:2: .*cut off/, /:4: .*UTF-8/, /:5: line is longer than 64 MB/]) expect(err).toMatch(told);
    expect(Object.keys(await shown('broken.db')).sort()).toEqual(['s1', 's2', 's3']);
  });

  test('single messages are one conversation: with a broken line among them nothing is imported', async () => {
    await write('gap.jsonl', '{"role":"user","content":"a"}\n{"role":"assis\n{"role":"user","content":"b"}\n{"x":1}\n');
    const { code, out, err } = await imports('gap.jsonl', 'gap.db');
    expect({ code, out }).toEqual({ code: 1, out: 'Imported 0 sessions: 0 new events from gap.jsonl (openai).\n' });
    expect(err).toMatch(/gap\.jsonl:2: [\s\S]*gap\.jsonl:4: role is missing/);
    expect(existsSync(join(directory, 'gap.db'))).toBe(false);
  });

  test('a message without an id that was changed is told with what to do', async () => {
    await write('edited.jsonl', [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]);
    await imports('edited.jsonl', 'edited.db');
    await write('edited.jsonl', [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'B' },
    ]);
    const { code, err } = await imports('edited.jsonl', 'edited.db');
    expect(code).toBe(1);
    expect(err).toMatch(
      /edited\.jsonl:2: the message is stored already with other content; .*palimpsest erase .*--user/,
    );
  });
});

describe('files of one name', () => {
  test('in several folders are several sessions, and each may grow', async () => {
    const lines = (said: string) => [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: said },
    ];
    const a = await write('a/chat.jsonl', lines('来自 a'));
    const b = await write('b/chat.jsonl', lines('from b'));
    for (const file of [a, b]) expect((await imports(file, 'names.db')).code).toBe(0);
    await write('a/chat.jsonl', [...lines('来自 a'), { role: 'assistant', content: 'more' }]);
    expect(JSON.parse((await imports(a, 'names.db', '--json')).out)).toMatchObject({ added: 1, unchanged: 2 });
    const sessions = await shown('names.db');
    expect(
      Object.values(sessions)
        .map((texts) => texts.join('|'))
        .sort(),
    ).toEqual(['Be brief.|from b', 'Be brief.|来自 a|more']);
    for (const id of Object.keys(sessions)) expect(id).toMatch(/^chat-[0-9a-f]{8}$/);
  });
});

test('names of ADK events that the log refuses become digests, the originals are kept', async () => {
  const said = { author: 'waiter\u0007', id: 'e\u0001', invocation_id: 'i\n1', content: { parts: [{ text: 'hi' }] } };
  const rewind = { author: 'user', id: 'r', invocationId: 'i2', actions: { rewind_before_invocation_id: 'i\n1' } };
  await write('names.jsonl', [said, rewind]);
  expect(await imports('names.jsonl', 'adk.db')).toMatchObject({ code: 0, err: '' });
  await using palimpsest = await openPalimpsest({ file: join(directory, 'adk.db'), ingest: 'never' });
  const [info] = (await palimpsest.user('user').sessions()).items;
  const { items } = await (await palimpsest.user('user').session(info?.key.sessionId ?? '')).read();
  expect(items[0]?.author).toMatch(/^sha256-/);
  expect(items[0]?.customMetadata).toEqual({
    originalAuthor: 'waiter\u0007',
    originalId: 'e\u0001',
    originalInvocationId: 'i\n1',
  });
  expect(items[1]?.actions.rewind).toEqual({ beforeInvocationId: items[0]?.invocationId, fromSeq: 1 });
});

describe('standard input and pipes', () => {
  const line = '{"role":"user","content":"通过管道"}\n';

  test('are read whole; the format is recognised', async () => {
    const source = await openSource('-', { stdin: Readable.from([Buffer.from(line), line]) });
    expect(source.file).toBe('stdin');
    expect(source.first.value).toEqual({ role: 'user', content: '通过管道' });
    for (let time = 0; time < 2; time++) {
      const records = [];
      for await (const record of source.records()) records.push(record);
      expect(records.map(({ progress }) => progress)).toEqual([0.5, 1]);
    }
  });

  test('a terminal, an empty pipe and a device are refused; Ctrl-C ends the waiting', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const reason = (pattern: RegExp) => ({
      code: 'INVALID_IMPORT',
      details: { reason: expect.stringMatching(pattern) },
    });
    await expect(openSource('-', { stdin: terminal })).rejects.toMatchObject(reason(/terminal/));
    await expect(openSource('-', { stdin: Readable.from([]) })).rejects.toMatchObject(reason(/empty/));
    await expect(openSource('/dev/null')).rejects.toMatchObject(reason(/device/));
    const interrupt = new AbortController();
    const waiting = openSource('-', { stdin: new PassThrough(), signal: interrupt.signal });
    interrupt.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test.skipIf(process.platform === 'win32')('a named pipe is read like a file', async () => {
    const pipe = join(directory, 'talk');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const importing = imports('talk', 'pipe.db');
    await writeFile(pipe, line);
    expect(await importing).toMatchObject({ code: 0, out: 'Imported 1 session: 1 new event from talk (openai).\n' });
  });
});

test('a document that is too long is refused before it is read', async () => {
  const handle = await open(join(directory, 'huge.json'), 'w');
  await handle.write(`[${' '.repeat(64 * 1024)}`);
  // Sparse: takes no space and, if it were read, would not be JSON.
  await handle.truncate(600 * 1024 * 1024);
  await handle.close();
  const { code, err } = await imports('huge.json', 'huge.db');
  expect(code).toBe(1);
  expect(err).toMatch(/huge\.json: file has 600 MB; split it/);
});

test('two imports of one file at once count each event once', async () => {
  const file = await write('race.jsonl', [
    {
      id: 'r',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    },
  ]);
  const results = await Promise.all([1, 2].map(() => imports(file, 'race.db', '--json')));
  const added = results.map(({ out }) => JSON.parse(out).added);
  expect(added.sort()).toEqual([0, 2]);
});
