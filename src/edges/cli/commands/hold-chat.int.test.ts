import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWireServer, type WireServer } from '../../../../test/wire-server/index.ts';
import { textWidth } from '../display/index.ts';
import { type RunOptions, runCaptured, runTyping } from '../run-captured.ts';

const models = ['google:canned', 'openai:canned', 'anthropic:canned', 'server'] as const;

let directory = '';
let server: WireServer;
let store = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-chat-'));
  server = await startWireServer();
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  server.clear();
  store += 1;
});

function environment(): Record<string, string> {
  return {
    GEMINI_API_KEY: 'key-g',
    OPENAI_API_KEY: 'key-o',
    ANTHROPIC_API_KEY: 'key-a',
    GOOGLE_GENERATIVE_AI_BASE_URL: server.baseUrl('gemini'),
    OPENAI_BASE_URL: server.baseUrl('openai'),
    ANTHROPIC_BASE_URL: server.baseUrl('anthropic'),
    PALIMPSEST_FILE: `chat-${store}.db`,
  };
}

const cli = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  runCaptured(args, { cwd: directory, env: { ...environment(), ...env }, ...options });

const chat = (args: readonly string[], input: string, options?: RunOptions) =>
  cli(['chat', ...args], { input, ...options });

const typing = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  runTyping(['chat', ...args], { cwd: directory, env: { ...environment(), ...env }, ...options });

async function logOf(session: string) {
  return JSON.parse((await cli(['show', session, '--json'])).out).events;
}

describe.each(models)('%s', (form) => {
  const model = () => (form === 'server' ? `${server.baseUrl('openai')}#canned` : form);

  test('answers each line, remembers in the next session, and is given the key', async () => {
    server.reply({ text: ['Celsius ', 'it is.'] }, { text: '十八摄氏度。' }, { text: '摄氏度。' });
    const first = await chat(
      ['--user', 'u1', '--model', model(), '--session', 's1'],
      '以后请用摄氏度报告天气\n\n大理多少度？\n',
    );
    expect(first).toMatchObject({ code: 0, out: 'Celsius it is.\n十八摄氏度。\n' });
    expect(first.err).toContain('s1 (a new session) of user "u1", answered by canned.');
    const second = await chat(['--model', model(), '--session', 's2'], '我要用什么单位报告天气？\n');
    expect(second).toMatchObject({ code: 0, out: '摄氏度。\n' });
    expect(second.err).toMatch(/^recalled \d memories: s1 #1 /m);
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.bodyText).toContain('以后请用摄氏度报告天气');
    expect(JSON.stringify(server.requests[2]?.headers)).toMatch(/key-[goa]/);
    expect((await logOf('s1')).map(({ author, origin }: Record<string, string>) => [author, origin])).toEqual([
      ['user', 'user'],
      ['assistant', 'agent'],
      ['user', 'user'],
      ['assistant', 'agent'],
    ]);
  });

  test('lets the model use memory, one line a call', async () => {
    server.reply({ calls: [{ name: 'remember', args: { text: 'Prefers Celsius' } }] }, { text: 'Noted.' });
    const { code, out, err } = await chat(['--user', 'u1', '--model', model()], 'I prefer Celsius\n');
    expect({ code, out }).toEqual({ code: 0, out: 'Noted.\n' });
    expect(err).toMatch(/^→ remember\(\{"text":"Prefers Celsius"\}\)$/m);
    expect((await cli(['search', 'Celsius'])).out).toContain('Prefers Celsius');
  });

  test('an answer that is empty is told, and fails', async () => {
    server.reply({ text: '' }, { text: '在。' });
    const { code, out, err } = await chat(['--user', 'u1', '--model', model()], 'hello\n你好\n');
    expect({ code, out }).toEqual({ code: 1, out: '在。\n' });
    expect(err).toMatch(/^error: The model answered with nothing[^\n]*$/m);
  });

  test('429 once is waited for, and told', async () => {
    server.reply({ status: 429, retryAfter: 0 }, { text: 'Here I am.' });
    const { code, out, err } = await chat(['--user', 'u1', '--model', model()], 'hello\n');
    expect({ code, out }).toEqual({ code: 0, out: 'Here I am.\n' });
    expect(err).toMatch(/^HTTP 429; asking again in \S+ s \(2 of 3\)$/m);
    expect(server.requests).toHaveLength(2);
  });

  test('a message that fails is told with what to do; the next is answered', async () => {
    server.reply({ status: 401, message: 'no such key' }, { text: 'And yet.' });
    const { code, out, err } = await chat(['--user', 'u1', '--model', model(), '--session', 's1'], '一\n二\n');
    expect({ code, out }).toEqual({ code: 1, out: 'And yet.\n' });
    expect(err).toMatch(/error: Model "canned" failed after 1 attempt \(HTTP 401\): no such key\./);
    expect(err).toMatch(/Is the key in (GEMINI|OPENAI|ANTHROPIC)_API_KEY right\?/);
    expect((await logOf('s1'))[1]).toMatchObject({ interrupted: true, errorCode: 'MODEL_FAILED' });
  });
});

describe('how a model is named', () => {
  test('a server is asked for its models, and the first is taken', async () => {
    server.reply({ text: 'Hi.' });
    const { code, err } = await chat(['--user', 'u1', '--model', server.baseUrl('openai')], 'hello\n');
    expect(code).toBe(0);
    expect(err).toContain('canned-small is the first model of that server');
    expect(server.requests.at(-1)).toMatchObject({ model: 'canned-small' });
  });

  test('PALIMPSEST_MODEL is the default, --model goes first', async () => {
    server.reply({ text: 'a' }, { text: 'b' });
    const env = { PALIMPSEST_MODEL: 'openai:from-environment' };
    await chat(['--user', 'u1'], 'hello\n', { env });
    await chat(['--user', 'u1', '--model', 'anthropic:from-option'], 'hello\n', { env });
    expect(server.requests.map(({ model }) => model)).toEqual(['from-environment', 'from-option']);
  });

  test.each([
    [['--model', 'gpt-5'], {}, 2, /^error: --model must be google:<name>/],
    [['--model', 'openai:x'], { OPENAI_API_KEY: '' }, 2, /^error: OPENAI_API_KEY is not set/],
    [['--agent', 'user'], {}, 2, /^error: --agent may not be "user"/],
    [['--session', ''], {}, 2, /^error: --session is empty/],
    [
      ['--model', 'http://127.0.0.1:9/v1'],
      {},
      1,
      /^error: .*\nIs the server at http:\/\/127\.0\.0\.1:9\/v1 running\?\n$/,
    ],
  ])('%j: the reason, and no store is made', async (args, env, code, err) => {
    const result = await chat(args, 'hello\n', { env });
    expect(result).toMatchObject({ code, out: '', err: expect.stringMatching(err) });
    expect(existsSync(join(directory, environment().PALIMPSEST_FILE ?? ''))).toBe(false);
    const json = await chat([...args, '--json'], 'hello\n', { env });
    expect(json).toMatchObject({ code, out: '' });
    expect(JSON.parse(json.err).error).toMatchObject({ message: expect.stringMatching(/\S/) });
  });

  test('a server that goes down leaves the chat', async () => {
    const other = await startWireServer();
    await other.close();
    const { code, out, err } = await chat(['--user', 'u1', '--model', `${other.baseUrl('openai')}#m`], '一\n');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/ECONNREFUSED[\s\S]*Is the server at .* running\?/);
  });
});

describe('--json', () => {
  test('one stored event a line, failures on stderr', async () => {
    server.reply({ text: ['Cel', 'sius'] }, { status: 400, message: 'no' }, { text: '好' });
    const { code, out, err } = await chat(['--user', 'u1', '--model', 'openai:m', '--json'], 'one\n二\n三\n');
    expect(code).toBe(1);
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const event of events) expect(event).toMatchObject({ seq: expect.any(Number), author: expect.any(String) });
    expect(
      events.filter(({ origin, errorCode }) => origin === 'agent' && !errorCode).map(({ content }) => content.parts),
    ).toEqual([[{ text: 'Celsius' }], [{ text: '好' }]]);
    expect(JSON.parse(err).error).toMatchObject({ code: 'MODEL_FAILED', details: { status: 400 } });
  });
});

describe('offline', () => {
  const label = '[offline: no model, quoting memory]';

  test('says how to configure a model, labels every answer, quotes with sources', async () => {
    const first = await chat([], 'Please use Celsius for the temperature.\n');
    expect(first).toMatchObject({ code: 0 });
    expect(first.err).toMatch(/^No model is configured[^\n]*--model or PALIMPSEST_MODEL/);
    expect(first.err).toContain('Made ');
    expect(first.out).toMatch(/^\[offline: no model, quoting memory\]\nMemory holds nothing/);
    const second = await chat(['--session', 's2'], 'Which temperature unit?\n温度用什么单位？\n');
    expect(second.out.split('\n').slice(0, 3)).toEqual([
      label,
      '1 memory bears on this:',
      expect.stringMatching(
        /^- chat-\d{4}-\d\d-\d\d-[0-9a-f]{6} #1, .* user: Please use Celsius for the temperature\.$/,
      ),
    ]);
    expect(second.out).toContain('[离线：没有模型，以下引自记忆]');
    expect(server.requests).toEqual([]);
  });

  test('finds what was said a moment ago, and never quotes the question back', async () => {
    const { out } = await chat([], '我喜欢摄氏度\n我喜欢什么温度单位？\n我喜欢什么温度单位？\n');
    expect(out.match(/我喜欢摄氏度/g)).toHaveLength(2);
    expect(out).not.toContain('我喜欢什么');
  });

  test('its quotes stand in the log under its own name; no model reads them, memory learns none', async () => {
    await chat(['--session', 's1'], 'Please use Celsius.\nCelsius or Fahrenheit?\n');
    const events = await logOf('s1');
    expect(events.map(({ author }: { author: string }) => author)).toEqual(['user', 'offline', 'user', 'offline']);
    expect(events[3].content.parts[0].text).toMatch(/^\[offline: no model/);
    expect((await cli(['show', 's1'])).out).toContain(label);
    for (const query of ['offline', 'memory bears', 'Celsius']) {
      const { memories } = JSON.parse((await cli(['search', query, '--json'])).out);
      for (const memory of memories) expect(memory.author).toBe('user');
    }
    server.reply({ text: 'Celsius.' });
    await chat(['--session', 's1', '--model', 'openai:m'], 'So which?\n');
    expect(server.requests[0]?.bodyText).toContain('Please use Celsius.');
    expect(server.requests[0]?.bodyText).not.toContain('[offline');
  });
});

describe('at a terminal', () => {
  test('a conversation with commands', async () => {
    server.reply({ text: 'Celsius it is.' }, { text: ['You ', 'prefer Celsius.'] });
    await chat(['--user', 'u1', '--model', 'google:m', '--session', 's1'], 'I prefer Celsius\n');
    const at = typing(['--model', 'google:m', '--session', 's2']);
    await at.sees('> ');
    at.type('/why\r');
    await at.sees(/No memory was recalled[^\n]*\n> /);
    at.type('/context\r');
    await at.sees(/Nothing has been sent yet\.\n> /);
    at.type('Which unit do I prefer?\r');
    await at.sees(/recalled 2 memories: s1 #1 #2[\s\S]*You prefer Celsius\.\n\n> /);
    at.type('/why\r');
    await at.sees(/s1 #1 .*user\n +I prefer Celsius\n[\s\S]*> /);
    at.type('/context\r');
    await at.sees(
      /Request to gemini for agent assistant[\s\S]*load_memory[\s\S]*for this request only[\s\S]*<recalled_memories>[\s\S]*> /,
    );
    at.type('/memories Celsius\r');
    await at.sees(/s1 #1[\s\S]*\n> /);
    at.type('/session\r');
    await at.sees(
      /Session s2 of user "u1", 2 events, answered by m\.[\s\S]*palimpsest chat --file [\s\S]*--user u1[\s\S]*--session s2\n> /,
    );
    at.type('/nonsense\r/help\r');
    await at.sees(/There is no \/nonsense[\s\S]*\/memories <query>[\s\S]*> /);
    at.type('/exit\r');
    expect(await at.ended).toMatchObject({ code: 0, err: expect.not.stringContaining('error') });
  });

  test('Ctrl-C stops an answer, which is stored as interrupted; the chat goes on', async () => {
    const at = typing(['--user', 'u1', '--model', 'openai:m', '--session', 's1']);
    await at.sees('> ');
    server.reply(
      { text: ['Once ', 'upon ', ...Array.from({ length: 2000 }, () => 'a time ')], dripMs: 5 },
      { text: '好。' },
    );
    at.type('Tell me a story\r');
    await at.sees('upon');
    at.type('\u0003');
    await at.sees(/stopped; what had come is stored as interrupted\n\n> /);
    at.type('再来\r');
    await at.sees(/好。\n\n> /);
    at.type('\u0004');
    expect((await at.ended).code).toBe(0);
    const events = await logOf('s1');
    expect(events[1]).toMatchObject({ author: 'assistant', interrupted: true });
    expect(events[1].content.parts[0].text).toMatch(/^Once upon/);
    expect(events[3].content.parts).toEqual([{ text: '好。' }]);
    expect(await server.requests[0]?.outcome).toBe('closed');
  });

  test('Ctrl-C clears what is typed; twice at an empty prompt, it leaves with 130', async () => {
    const at = typing([]);
    await at.sees('> ');
    at.type('half a wo\u0003');
    await at.sees(/\^C\n> /);
    at.type('\u0003');
    await at.sees(/Ctrl-C once more leaves[^\n]*\n> /);
    at.type('/session\r');
    await at.sees(/0 events[\s\S]*> /);
    at.type('\u0003');
    await at.sees(/Ctrl-C once more leaves[^\n]*\n> /);
    at.type('\u0003');
    expect((await at.ended).code).toBe(130);
  });

  test('a paste of several lines is one message; what is typed during an answer comes next', async () => {
    server.reply({ text: ['one', ...Array.from({ length: 20 }, () => ' more')], dripMs: 10 }, { text: 'two' });
    const at = typing(['--user', 'u1', '--model', 'openai:m', '--session', 's1']);
    await at.sees('> ');
    at.type('\u001b[200~第一行\r第二行\r\u001b[201~第三行\r');
    await at.sees('one');
    at.type('typed ahead\r');
    await at.sees(/> typed ahead\ntwo\n\n> /);
    at.type('\u0004');
    await at.ended;
    expect(
      (await logOf('s1')).map(({ content }: { content: { parts: { text: string }[] } }) => content.parts[0]?.text),
    ).toEqual(['第一行\n第二行\n第三行', `one${' more'.repeat(20)}`, 'typed ahead', 'two']);
  });

  test('a signal stops the answer and leaves', async () => {
    const controller = new AbortController();
    const at = typing(['--user', 'u1', '--model', 'openai:m', '--session', 's1'], { signal: controller.signal });
    await at.sees('> ');
    server.reply({ text: ['Once ', 'upon ', ...Array.from({ length: 2000 }, () => 'a time ')], dripMs: 5 });
    at.type('Tell me a story\r');
    await at.sees('upon');
    controller.abort();
    expect((await at.ended).code).toBe(130);
    expect((await logOf('s1'))[1]).toMatchObject({ interrupted: true });
  });

  test('silence is shown; Ctrl-C before anything came says no more than that', async () => {
    const at = typing(['--user', 'u1', '--model', 'openai:m', '--session', 's1']);
    await at.sees('> ');
    server.reply({ hang: true }, { text: '好。' }, { text: '' });
    at.type('在吗？\r');
    await at.sees('waiting …');
    at.type('\u0003');
    await at.sees(/ {2}stopped before anything came\n\n> /);
    at.type('在吗？\r');
    await at.sees(/好。\n\n> /);
    at.type('在吗？\r');
    await at.sees(/error: The model answered with nothing[^\n]*\n\n> /);
    at.type('\u0004');
    expect((await at.ended).code).toBe(0);
  });

  test('/session prints a command that goes on in the same session', async () => {
    const file = "it's a store.db";
    const app = ['--file', file, '--app', '应用'];
    const at = typing(['--user', '小王', ...app], { columns: 200 });
    await at.sees('> ');
    at.type('你好\r');
    await at.sees(/记[\s\S]*> /);
    at.type('/session\r');
    await at.sees(
      /To go on later:\npalimpsest chat --file '[^\n]*it'\\''s a store\.db' --app '应用' --user '小王' [^\n]*\n> /,
    );
    at.type('/exit\r');
    await at.ended;
  });

  test('a session in which another program answers: what to do', async () => {
    server.reply({ text: ['a', ...Array.from({ length: 2000 }, () => ' b')], dripMs: 5 });
    const at = typing(['--user', 'u1', '--model', 'openai:m', '--session', 's1']);
    await at.sees('> ');
    at.type('一\r');
    await at.sees('a b');
    const { code, err } = await chat(['--user', 'u1', '--model', 'openai:m', '--session', 's1'], '二\n');
    expect(code).toBe(1);
    expect(err).toMatch(
      /error: Another program answers in session "s1"; [^\n]*\nWait until it is done [^\n]*--session\.\n$/,
    );
    at.type('\u0003');
    await at.sees(/stopped; what had come[\s\S]*> /);
    at.type('\u0004');
    await at.ended;
  });

  test('a failure is told, and the chat goes on', async () => {
    server.reply({ status: 404, message: '没有这个模型' }, { text: '在。' });
    const at = typing(['--user', 'u1', '--model', 'openai:m']);
    await at.sees('> ');
    at.type('你好\r');
    await at.sees(/HTTP 404\): 没有这个模型[\s\S]*Is there a model of that name at[\s\S]*> /);
    at.type('你好\r');
    await at.sees(/在。/);
    at.type('/exit\r');
    expect((await at.ended).code).toBe(0);
  });

  test.each([40, 60, 80])('in %i columns every line fits and no word is broken', async (columns) => {
    const text =
      '好的，周五到大理，住三天。大理这几天白天十八摄氏度左右。 The temperature will be reported in Celsius, as you asked. ';
    server.reply({ text: [...text.repeat(3)] });
    const at = typing(['--user', '小王', '--model', 'openai:m', '--session', 's1'], { columns });
    await at.sees('> ');
    at.type('/help\r');
    await at.sees(/clears[\s\S]*> /);
    at.type('大理\r');
    await at.sees(/好的[\s\S]*\n\n> /);
    at.type('/context full\r');
    await at.sees(/openai[\s\S]*> /);
    at.type('/exit\r');
    await at.ended;
    const shown = at.shown();
    for (const line of shown.split('\n')) expect(textWidth(line.trimEnd())).toBeLessThanOrEqual(columns);
    const words = new Set(shown.match(/[A-Za-z]+/g));
    for (const word of text.match(/[A-Za-z]+/g) ?? []) expect(words).toContain(word);
  });
});
