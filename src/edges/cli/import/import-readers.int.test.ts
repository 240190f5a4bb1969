import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportSession } from '../../../engine/index.ts';
import { isPalimpsestError } from '../../../errors/index.ts';
import { type EventInput, type PartInput, prepareEvent } from '../../../events/index.ts';
import type { ImportFormat } from '../import-formats.ts';
import { detectFormat, readerOf, refuseOtherFormat } from './detect-format.ts';
import { openSource } from './import-source.ts';

const fixtures = resolve('test/fixtures/imports');
const data = process.env.PALIMPSEST_DATA ?? resolve('../shared/data');

async function readFixture(
  file: string,
  userId?: string,
): Promise<{ format: ImportFormat; sessions: ImportSession[] }> {
  const source = await openSource(file);
  const format = detectFormat(source);
  const sessions: ImportSession[] = [];
  let last = 0;
  for await (const read of readerOf(format)(source, userId === undefined ? {} : { userId })) {
    expect(read.progress).toBeGreaterThanOrEqual(last);
    last = read.progress;
    if ('refused' in read) throw read.refused;
    expect(read.eventPlaces).toHaveLength(read.session.events.length);
    sessions.push(read.session);
  }
  for (const { events } of sessions) {
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const event of events) prepareEvent(event, 'event');
  }
  return { format, sessions };
}

const fixture = (name: string, userId?: string) => readFixture(join(fixtures, name), userId);
const partsOf = (event: EventInput | undefined): readonly PartInput[] =>
  typeof event?.content === 'object' ? event.content.parts : [{ text: event?.content ?? '' }];
const outline = (session: ImportSession | undefined) =>
  session?.events.map((event) =>
    [event.author, ...partsOf(event).map((part) => Object.keys(part).sort().join('+'))].join(' '),
  );

describe('LoCoMo', () => {
  test('each conversation is a user, its sessions come in number order, empty ones are left out', async () => {
    const { format, sessions } = await fixture('locomo.json');
    expect(format).toBe('locomo');
    expect(sessions.map(({ userId, sessionId }) => [userId, sessionId])).toEqual([
      ['talk-1', 'talk-1/session_1'],
      ['talk-1', 'talk-1/session_2'],
    ]);
    const [cello] = sessions;
    expect(cello?.events.map(({ id, author, content, timestamp }) => ({ id, author, content, timestamp }))).toEqual([
      { id: 'talk-1/D1:1', author: 'Bo', content: 'How is the cello going?', timestamp: '2023-05-08T13:56:00.000Z' },
      {
        id: 'talk-1/D1:2',
        author: 'user',
        content: 'I bought my own at last! [image: a cello on a chair]',
        timestamp: '2023-05-08T13:56:00.000Z',
      },
    ]);
    expect(cello?.events[1]?.customMetadata).toEqual({
      speaker: 'Ines',
      imageCaption: 'a cello on a chair',
      imageUrls: ['https://example.org/cello.jpg'],
    });
    expect(JSON.stringify(sessions)).not.toContain('cello photo');
    expect(sessions[1]?.events[0]).toMatchObject({
      content: '我上周搬到了成都。',
      timestamp: '2024-03-01T00:05:00.000Z',
    });
  });

  test('a user given takes all sessions', async () => {
    const { sessions } = await fixture('locomo.json', 'ines');
    expect(new Set(sessions.map(({ userId }) => userId))).toEqual(new Set(['ines']));
  });

  const locomo = join(data, 'locomo/locomo10.json');
  test.skipIf(!existsSync(locomo))('the published file: all 5,882 turns of ten people, in 272 sessions', async () => {
    const { sessions } = await readFixture(locomo);
    expect(new Set(sessions.map(({ userId }) => userId)).size).toBe(10);
    expect(sessions.length).toBe(272);
    expect(sessions.reduce((sum, { events }) => sum + events.length, 0)).toBe(5882);
    expect(sessions.every(({ events }) => events.every(({ timestamp }) => timestamp !== undefined))).toBe(true);
  });
});

describe('ChatGPT', () => {
  test('follows the path shown last; calls, results and thoughts keep their kind', async () => {
    const { format, sessions } = await fixture('chatgpt.json');
    expect(format).toBe('chatgpt');
    const [garden] = sessions;
    expect(garden).toMatchObject({
      userId: 'user',
      sessionId: 'garden-1',
      metadata: { title: 'Balcony tomatoes', startedAt: '2024-05-01T10:00:00.250Z' },
    });
    expect(garden?.events.map(({ id }) => id)).toEqual(['m2', 'm3', 'm4', 'm5', 'm6']);
    expect(outline(garden)).toEqual([
      'user text',
      'assistant functionCall',
      'assistant functionResponse',
      'assistant text+thought',
      'assistant text',
    ]);
    expect(partsOf(garden?.events[1])[0]?.functionCall).toEqual({
      id: 'm3',
      name: 'browser',
      args: { query: 'tomato varieties for shade' },
    });
    expect(partsOf(garden?.events[2])[0]?.functionResponse).toMatchObject({ id: 'm3', name: 'browser' });
    expect(garden?.events[4]).toMatchObject({
      customMetadata: { model: 'gpt-4o' },
      timestamp: '2024-05-01T10:01:00.500Z',
    });
    expect(JSON.stringify(garden)).not.toContain('thrown away');
  });

  test('names pictures, and leaves bad times out', async () => {
    const { sessions } = await fixture('chatgpt.json');
    const photo = sessions[1]?.events[0];
    expect(partsOf(photo)[0]?.text).toBe('[image]\n这盆番茄的叶子为什么发黄？');
    expect(photo?.customMetadata).toEqual({ assets: ['file-service://file-abc'] });
    expect(photo).not.toHaveProperty('timestamp');
    expect(sessions[1]?.metadata).toEqual({ title: '阳台照片', startedAt: '2024-05-02T10:00:00.000Z' });
  });
});

describe('Claude', () => {
  test('splits a message at tool results and pairs results that have no id', async () => {
    const { format, sessions } = await fixture('claude.json');
    expect(format).toBe('claude');
    const [trains] = sessions;
    expect(outline(trains)).toEqual([
      'user text text text',
      'assistant text+thought text functionCall',
      'assistant functionResponse',
      'assistant text',
    ]);
    expect(trains?.events.map(({ id }) => id)).toEqual(['u1', 'a1', 'a1/2', 'a1/3']);
    const call = partsOf(trains?.events[1])[2]?.functionCall;
    const answer = partsOf(trains?.events[2])[0]?.functionResponse;
    expect(answer).toEqual({ id: call?.id, name: 'timetable', response: { result: 'NJ 400, 21:00' } });
    expect(partsOf(trains?.events[0])[0]?.text).toBe('[file: plan.txt]\nLeave after 20:00');
    expect(trains?.events[0]?.timestamp).toBe('2024-05-02T08:00:01.123Z');
  });

  test('follows the leaf where the export names one', async () => {
    const { sessions } = await fixture('claude.json');
    expect(sessions[1]?.events.map(({ id }) => id)).toEqual(['z1', 'z3']);
    expect(partsOf(sessions[1]?.events[0])[0]?.text).toBe('我对花生过敏，请记住。');
    expect(sessions[1]?.events[1]).not.toHaveProperty('timestamp');
  });
});

describe('OpenAI messages', () => {
  test('a line with messages is a session; tool calls and results are paired and named', async () => {
    const { format, sessions } = await fixture('openai.jsonl');
    expect(format).toBe('openai');
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([
      'chat-1',
      expect.stringMatching(/^openai\/2-[0-9a-f]{8}$/),
    ]);
    expect(outline(sessions[0])).toEqual([
      'system text',
      'user text',
      'assistant functionCall',
      'assistant functionResponse',
      'assistant text',
    ]);
    expect(partsOf(sessions[0]?.events[3])[0]?.functionResponse).toEqual({
      id: 'call_1',
      name: 'forecast',
      response: { sky: 'rain', celsius: 11 },
    });
    expect(sessions[0]?.events[1]?.id).toBe('chat-1/2');
    expect(outline(sessions[1])?.[0]).toBe('user text inlineData');
  });

  test('single messages make one session, named by the file', async () => {
    const { sessions } = await fixture('openai-messages.jsonl');
    expect(sessions.map(({ sessionId, events }) => [sessionId, events.length])).toEqual([
      [expect.stringMatching(/^openai-messages-[0-9a-f]{8}$/), 3],
    ]);
    expect(sessions[0]?.events.map(({ timestamp }) => timestamp)).toEqual([
      '2024-05-01T10:00:00.000Z',
      '2024-05-01T10:00:05.000Z',
      undefined,
    ]);
  });
});

test('ADK events in the names of Python and of JavaScript', async () => {
  const { format, sessions } = await fixture('adk.jsonl');
  expect(format).toBe('adk');
  expect(sessions[0]?.sessionId).toMatch(/^adk-[0-9a-f]{8}$/);
  expect(sessions[0]?.events.map(({ id, invocationId }) => [id, invocationId])).toEqual([
    ['e1', 'i1'],
    ['e2', 'i1'],
    ['e3', 'i1'],
    ['e4', 'i1'],
  ]);
  expect(outline(sessions[0])).toEqual(['user text', 'waiter functionCall', 'waiter functionResponse', 'waiter text']);
});

test('an ADK summary by times covers the events of that span; streamed pieces are left out', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'palimpsest-adk-')), 'summary.jsonl');
  const said = (id: string, timestamp: number, text: string) => ({
    id,
    author: 'user',
    timestamp,
    content: { parts: [{ text }] },
  });
  const content = { role: 'model', parts: [{ text: 'They said hello.' }] };
  const lines = [
    said('a', 1714557600, 'Hello'),
    { ...said('a-piece', 1714557601, 'He'), partial: true },
    said('b', 1714557602, '你好'),
    said('c', 1714557603, 'Bye'),
    {
      id: 's',
      author: 'user',
      timestamp: 1714557604,
      actions: { compaction: { start_timestamp: 1714557600, end_timestamp: 1714557602, compacted_content: content } },
    },
  ];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const { sessions } = await readFixture(file);
  await rm(dirname(file), { recursive: true });
  expect(sessions[0]?.events.map(({ id }) => id)).toEqual(['a', 'b', 'c', 's']);
  expect(sessions[0]?.events[3]?.actions?.compaction).toMatchObject({ covers: [[1, 2]], content });
});

describe('files that are not as they must be', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'palimpsest-import-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const bad: readonly [
    name: string,
    content: string | Uint8Array,
    expected: { line?: number; field?: string; reason: RegExp },
  ][] = [
    ['empty.json', '', { field: 'file', reason: /is empty/ }],
    ['blank.jsonl', '\n  \n', { field: 'file', reason: /is empty/ }],
    ['list.json', '[]', { field: 'file', reason: /nothing to import/ }],
    ['text.txt', 'Dear diary,\ntoday I …', { reason: /neither JSON/ }],
    ['binary.db', new Uint8Array([1, 2, 0, 4]), { field: 'file', reason: /binary/ }],
    ['export.zip', new Uint8Array([0x50, 0x4b, 3, 4, 20, 0]), { field: 'file', reason: /unpack/ }],
    ['utf16.json', new Uint8Array([0xff, 0xfe, 0x5b, 0]), { field: 'file', reason: /UTF-16/ }],
    ['latin1.jsonl', Buffer.from('{"role":"user","content":"caf\xe9"}', 'latin1'), { line: 1, reason: /UTF-8/ }],
    ['half.json', '[{"uuid": "a", "chat_mess', { reason: /cut off/ }],
    ['half.jsonl', '{"role":"user","content":"hi"}\n{"role":"assistant","con', { line: 2, reason: /cut off/ }],
    ['half-first.jsonl', '{"role":"user","con\n{"role":"user","content":"hi"}\n', { line: 1, reason: /./ }],
    ['number.jsonl', '{"role":"user","content":"hi"}\n\n42\n', { line: 3, reason: /JSON object|neither JSON/ }],
    [
      'role.jsonl',
      '{"role":"user","content":"你好"}\n{"role":"robot","content":"hi"}\n',
      { line: 2, field: 'role', reason: /"assistant"/ },
    ],
    [
      'call.jsonl',
      '{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]}',
      { line: 1, field: 'messages[0].tool_calls[0].id', reason: /missing/ },
    ],
    ['other.json', '{"recipes": []}', { reason: /no format/ }],
    [
      'claude.json',
      '[{"uuid":"a","chat_messages":[]},{"uuid":"b","chat_messages":[{"uuid":"m","sender":"bot"}]}]',
      { field: '[1].chat_messages[0].sender', reason: /"human"/ },
    ],
    [
      'chatgpt.json',
      '[{"id":"a","current_node":"n","mapping":{"n":{"message":{"id":7}}}}]',
      { field: '[0].mapping.n.message.id', reason: /string/ },
    ],
    [
      'locomo.json',
      '[{"sample_id":"s","conversation":{"speaker_a":"A","speaker_b":"B","session_1":[{"speaker":"A","text":"x"}]}}]',
      { field: '[0].conversation.session_1[0].dia_id', reason: /missing/ },
    ],
  ];
  test.each(bad)('%s is refused: file, line, field and reason are named', async (name, content, expected) => {
    const file = join(directory, name);
    await writeFile(file, content);
    const failure = await readFixture(file).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!isPalimpsestError(failure, 'INVALID_IMPORT')) throw failure ?? new Error('was accepted');
    expect(failure.details.file).toBe(file);
    expect(failure.details.reason).toMatch(expected.reason);
    if (expected.field !== undefined) expect(failure.details.field).toBe(expected.field);
    if (expected.line !== undefined) expect(failure.details.line).toBe(expected.line);
  });

  test('a directory, a missing file, and another format than asked for', async () => {
    await expect(openSource(directory)).rejects.toMatchObject({
      code: 'INVALID_IMPORT',
      details: { reason: /directory/ },
    });
    await expect(openSource(join(directory, 'absent.json'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const source = await openSource(join(fixtures, 'claude.json'));
    expect(() => refuseOtherFormat(source, 'chatgpt')).toThrow(/looks like claude/);
  });

  test('line separators inside a text do not cut a line, a byte order mark is no text', async () => {
    const file = join(directory, 'separator.jsonl');
    await writeFile(file, '\ufeff{"role":"user","content":"a\u2028b"}\r\n{"role":"assistant","content":"好"}\r\n');
    const { sessions } = await readFixture(file);
    expect(sessions[0]?.events.map((event) => partsOf(event)[0]?.text)).toEqual(['a\u2028b', '好']);
  });

  test('ids that the log refuses become digests, the same each time, and the original is kept', async () => {
    const file = join(directory, 'ids.jsonl');
    const long = '长'.repeat(300);
    const lines = [
      { id: 'tab\there', role: 'user', content: 'a' },
      { id: 'twice', role: 'user', content: 'b' },
      { id: 'twice', role: 'user', content: 'c' },
    ];
    await writeFile(file, JSON.stringify({ id: long, messages: lines }));
    const once = (await readFixture(file)).sessions[0];
    const again = (await readFixture(file)).sessions[0];
    expect(once).toEqual(again);
    expect(once?.sessionId).toMatch(/^sha256-[0-9a-f]{32}$/);
    expect(once?.metadata).toEqual({ originalId: long });
    expect(once?.events[0]?.customMetadata).toEqual({ originalId: 'tab\there' });
    expect(once?.events.slice(1).map(({ id }) => id)).toEqual(['twice', 'twice#2']);
  });
});
