import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPalimpsest } from '../../engine/index.ts';
import { textWidth } from './display/index.ts';
import { type RunOptions, runCaptured } from './run-captured.ts';

const hashed = `sha256-${'0123456789abcdef'.repeat(2)}`;
const uuid = '3f1c9a52-6a1e-4b77-9a53-0d2a9c1b7e10';
const hostile = 'ti\u202etle \u001b[2J\u001b[31m \u009b1m \u2067\u200f\u061c';
const chinese = [
  '我周五去大理，大概住三天。请用摄氏度报告天气，另外告诉我“古城”附近有没有安静的客栈（不要太贵），谢谢！',
  '好的，周五到大理，住三天。大理这几天白天十八摄氏度左右，晚上只有八摄氏度；古城南门外有几家客栈，《旅行家》推荐过其中两家。',
];
const english = [
  'Hey Dave! I met with some artists in Boston, got me thinking about music. Nothing beats playing for a crowd.',
  'Great to hear. What did you play?',
];

let directory = '';
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-screens-'));
  const palimpsest = await openPalimpsest({ file: join(directory, 'talks.db') });
  const add = (userId: string, sessionId: string, metadata: Record<string, unknown>, texts: readonly string[]) =>
    palimpsest.import(
      {
        userId,
        sessionId,
        metadata,
        events: texts.map((content, index) => ({
          id: `${sessionId}/${index}`,
          author: index % 2 === 0 ? 'user' : 'assistant',
          content,
        })),
      },
      { from: 'elsewhere' },
    );
  await add(
    '小王',
    uuid,
    { title: '大理三日游的行程与天气，顺便问了高铁票', startedAt: '2024-05-02T12:00:00.000Z' },
    chinese,
  );
  await add(
    'u1',
    'conv-50/session_12',
    { speakers: ['Calvin', 'Dave'], startedAt: '2023-08-11T12:35:00.000Z' },
    english,
  );
  await add(
    'u1',
    'conv-50/session_3',
    { speakers: ['Calvin', 'Dave'], startedAt: '2023-05-08T12:00:00.000Z' },
    english,
  );
  await add('u2', hashed, { originalId: 'a\ttab', title: hostile }, [hostile]);
  await palimpsest.close();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const cli = (args: readonly string[], options?: RunOptions) =>
  runCaptured([...args, '--file', 'talks.db'], { cwd: directory, ...options });

describe.each([60, 80, 120])('in %i columns', (columns) => {
  test.each([
    ['sessions'],
    ['sessions --user u1'],
    ['show conv-50/session_12'],
    [`show ${uuid} --full`],
    [`show ${hashed} --context --full`],
    ['search Boston --user u1'],
    ['search 大理 --user 小王'],
    ['ask 大理天气怎么样 --user 小王'],
    ['ask 大理天气怎么样 --user 小王 --full'],
    ['erase --user u1'],
    ['--help'],
    ['ask --help'],
    ['chat --help'],
    ['show no-session-of-this-name'],
  ])('every line of %s fits', async (command) => {
    const { out, err } = await cli(command.split(' '), { columns });
    const lines = (out + err).split('\n');
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
    for (const line of lines) expect(line).not.toMatch(/^\s*[，。！；、）》”]/u);
  });

  test.each([
    ['--help'],
    ['ask --help'],
    ['chat --help'],
    ['erase --user u1'],
    ['show no-session-of-this-name'],
    ['ask Boston --user u1 --full'],
  ])('%s breaks no word', async (command) => {
    const wordsOf = ({ out, err }: { readonly out: string; readonly err: string }) =>
      new Set((out + err).match(/[\p{Script=Latin}-]+/gu));
    const narrow = await cli(command.split(' '), { columns });
    expect(wordsOf(narrow)).toEqual(wordsOf(await cli(command.split(' '), { columns: 1000 })));
  });

  test('ids are whole, the newest conversation first', async () => {
    const { out } = await cli(['sessions'], { columns });
    const places = [hashed, uuid, 'conv-50/session_12', 'conv-50/session_3'].map((id) => out.indexOf(id));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    for (const shown of ['2024-05-02', '2023-08-11', '2023-05-08']) expect(out).toContain(shown);
    const ofOne = await cli(['sessions', '--user', 'u1'], { columns });
    expect(ofOne.out).toMatch(/conv-50\/session_12 .* 2 .*2023-08-11 \d\d:\d\d .*Calvin, Dave/);
  });
});

test('an id that was hashed is shown as it was, and found by it', async () => {
  expect((await cli(['sessions', '--user', 'u2'])).out).toContain('original id a tab');
  const { code, out } = await cli(['show', 'a\ttab']);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^${hashed} {2}user "u2" .* original id a tab`));
});

test('a memory is shown once, with its source; --full shows what the model is given', async () => {
  const args = ['ask', 'Who met artists in Boston?', '--user', 'u1', '--session', 'conv-50/session_3'];
  const short = await cli(args);
  expect(short.out).toContain('conv-50/session_12 #1');
  expect(short.out.match(/met with some artists/g)).toHaveLength(2);
  expect(short.out).toMatch(/\[\d+ memor(y|ies) in \d+ tokens; --full prints them\]/);
  const full = await cli([...args, '--full']);
  expect(full.out).toContain('<recalled_memories>');
});

test.each([{ env: { NO_COLOR: '' }, columns: 100 }, {}])(
  'no text of a store steers the terminal: %j',
  async (options) => {
    for (const args of [
      ['sessions'],
      ['show', hashed, '--full'],
      ['search', 'title', '--user', 'u2'],
      ['show', hostile],
    ]) {
      for (const json of [[], ['--json']]) {
        const { out, err } = await cli([...args, ...json], options);
        const ownColours = new RegExp(`${String.fromCharCode(27)}\\[\\d\\d?m`, 'g');
        const text = 'env' in options ? (out + err).replace(ownColours, '') : out + err;
        expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Control}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
      }
    }
  },
);

test('colour only on a terminal that wants it', async () => {
  const colours = async (args: readonly string[], options: RunOptions) =>
    (
      await cli(['sessions', '--file', 'talks.db', ...args], { ...options, env: { NO_COLOR: '', ...options.env } })
    ).out.includes('\u001b[');
  expect(await colours([], { columns: 80 })).toBe(true);
  expect(await colours(['--no-color'], { columns: 80 })).toBe(false);
  expect(await colours([], { columns: 80, env: { NO_COLOR: '1' } })).toBe(false);
  expect(await colours([], {})).toBe(false);
});
