import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cannedReply, type Reply, startWireServer, type WireName, type WireServer } from './index.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterEach(() => server.clear());
afterAll(() => server.close());

const paths: Readonly<Record<WireName, string>> = {
  openai: '/chat/completions',
  gemini: '/models/m:generateContent',
  anthropic: '/messages',
};
const streamPaths = { ...paths, gemini: '/models/m:streamGenerateContent?alt=sse' };
const wires = ['openai', 'gemini', 'anthropic'] as const;

function post(wire: WireName, path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  return fetch(`${server.baseUrl(wire)}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** A request with a conversation in the wire's own form. */
function body(wire: WireName, conversation: readonly object[] = [], more: object = {}): object {
  if (wire === 'gemini') return { contents: conversation, ...more };
  return { model: 'm', messages: conversation, ...(wire === 'anthropic' ? { max_tokens: 9 } : {}), ...more };
}

const hello: Readonly<Record<WireName, readonly object[]>> = {
  openai: [{ role: 'user', content: '你好' }],
  gemini: [{ role: 'user', parts: [{ text: '你好' }] }],
  anthropic: [{ role: 'user', content: '你好' }],
};

describe('what each service refuses', () => {
  const user = { role: 'user', content: 'hi' };
  const call = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
  });
  const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
  const use = (...ids: string[]) => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
  });
  const results = (...ids: string[]) => ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
  const asked = { role: 'user', parts: [{ text: 'hi' }] };
  const functionCall = { functionCall: { name: 'f', args: {} } };
  const functionResponse = { functionResponse: { name: 'f', response: {} } };
  const calls = { role: 'model', parts: [functionCall, functionCall] };

  it.each([
    ['openai', 'nothing', [], /messages/],
    ['openai', 'a tool message without a call', [user, answer('a')], /must answer/],
    ['openai', 'a tool message of another call', [user, call('a'), answer('b')], /must answer/],
    ['openai', 'a call answered twice', [user, call('a'), answer('a'), answer('a')], /must answer/],
    ['openai', 'a call not answered before the next message', [user, call('a', 'b'), answer('a'), user], /: b$/],
    ['openai', 'a call not answered at all', [user, call('a')], /: a$/],
    ['openai', 'a message without content', [{ role: 'user', content: null }], /content/],
    ['anthropic', 'nothing', [], /at least one/],
    ['anthropic', 'the assistant first', [{ role: 'assistant', content: 'hi' }], /first message/],
    ['anthropic', 'a blank text', [{ role: 'user', content: [{ type: 'text', text: ' ' }] }], /non-empty/],
    ['anthropic', 'a use without a result', [user, use('a'), user], /without `tool_result`.*: a/],
    ['anthropic', 'a use at the end', [user, use('a')], /without `tool_result`/],
    ['anthropic', 'a result without a use', [{ role: 'user', content: results('a') }], /unexpected/],
    [
      'anthropic',
      'a result behind text',
      [user, use('a'), { role: 'user', content: [{ type: 'text', text: 'x' }, ...results('a')] }],
      /before other/,
    ],
    [
      'anthropic',
      'thinking that is not signed',
      [user, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: '' }] }],
      /signature/,
    ],
    ['gemini', 'nothing', [], /not specified/],
    ['gemini', 'no parts', [{ role: 'user', parts: [] }], /must not be empty/],
    ['gemini', 'a part without data', [{ role: 'user', parts: [{}] }], /oneof/],
    ['gemini', 'fewer responses than calls', [asked, calls, { role: 'user', parts: [functionResponse] }], /equal/],
    ['gemini', 'calls at the end', [asked, calls], /equal/],
    ['gemini', 'responses without calls', [{ role: 'user', parts: [functionResponse] }], /immediately after/],
    [
      'gemini',
      'calls right after the model',
      [
        asked,
        { role: 'model', parts: [{ text: 'x' }] },
        calls,
        { role: 'user', parts: [functionResponse, functionResponse] },
      ],
      /immediately after a user/,
    ],
  ] as [WireName, string, object[], RegExp][])('%s: %s', async (wire, _name, conversation, why) => {
    server.reply({ text: 'not used up' });
    const response = await post(wire, paths[wire], body(wire, conversation));
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatch(why);
    expect((await post(wire, paths[wire], body(wire, hello[wire]))).status).toBe(200);
  });

  it.each([
    ['openai', [user, call('a', 'b'), answer('b'), answer('a'), user]],
    [
      'anthropic',
      [user, user, use('a', 'b'), { role: 'user', content: [...results('b', 'a'), { type: 'text', text: 'x' }] }],
    ],
    ['anthropic', [user, use('a'), { role: 'user', content: results('a') }, user]],
    ['gemini', [asked, calls, { role: 'user', parts: [functionResponse, functionResponse] }, asked]],
  ] as [WireName, object[]][])('%s takes calls that are answered', async (wire, conversation) => {
    server.reply({ text: 'ok' });
    expect((await post(wire, paths[wire], body(wire, conversation))).status).toBe(200);
  });

  it('more than four cache breakpoints', async () => {
    const text = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };
    const response = await post(
      'anthropic',
      '/messages',
      body('anthropic', hello.anthropic, { system: Array(5).fill(text) }),
    );
    expect(await errorOf(response)).toMatch(/maximum of 4/);
  });
});

describe.each(wires)('%s', (wire) => {
  const ask = (isStreaming = false) =>
    post(
      wire,
      isStreaming ? streamPaths[wire] : paths[wire],
      body(wire, hello[wire], isStreaming && wire !== 'gemini' ? { stream: true } : {}),
    );

  it('records requests byte by byte', async () => {
    server.reply({ text: 'a' });
    await (await ask()).text();
    const [request] = server.requests;
    expect(request).toMatchObject({ wire, kind: 'generate', model: 'm', isStreaming: false, method: 'POST' });
    expect(request?.bodyText).toBe(JSON.stringify(request?.body));
    expect(request?.bodyText).toContain('你好');
    await expect(request?.outcome).resolves.toBe('answered');
  });

  it('takes its replies in order, then those of the function, then says that there are none', async () => {
    server.reply({ text: 'first' }, () => ({ text: 'second' }));
    expect(await (await ask()).text()).toContain('first');
    expect(await (await ask(true)).text()).toContain('second');
    const empty = await ask();
    expect(empty.status).toBe(400);
    expect(await empty.text()).toContain('no reply queued');
  });

  it.each([
    [{ status: 429, retryAfter: 7 }, 429, '7'],
    [
      { status: 503, body: '<html>', retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' },
      503,
      'Wed, 21 Oct 2015 07:28:00 GMT',
    ],
    [{ status: 400, body: { odd: true } }, 400, null],
  ] as [Reply, number, string | null][])('refuses with %o', async (reply, status, retryAfter) => {
    server.reply(reply);
    const response = await ask(true);
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
    await response.text();
  });

  it('cuts, ends early, breaks JSON and hangs', async () => {
    const text = ['一', '二', '三'];
    server.reply(
      { text, cutAfter: 1 },
      { text, cutAfter: 1 },
      { text, endAfter: 2 },
      { text, malformedAfter: 1 },
      { hang: true },
    );
    await expect(ask(true).then((response) => response.text())).rejects.toThrow();
    await expect(ask().then((response) => response.text())).rejects.toThrow();
    const ended = await (await ask(true)).text();
    expect([ended.includes('二'), ended.includes('三')]).toEqual([true, false]);
    const lines = (await (await ask(true)).text()).split('\n').filter((line) => line.startsWith('data: {'));
    expect(lines.filter((line) => !isJson(line.slice(6)))).toHaveLength(1);
    const leaving = new AbortController();
    const hanging = fetch(`${server.baseUrl(wire)}${paths[wire]}`, {
      method: 'POST',
      headers: { 'anthropic-version': '1' },
      body: JSON.stringify(body(wire, hello[wire])),
      signal: leaving.signal,
    });
    while (server.requests.length < 5) await new Promise((resolve) => setTimeout(resolve, 1));
    leaving.abort();
    await expect(hanging).rejects.toThrow();
    await expect(server.requests[4]?.outcome).resolves.toBe('closed');
  });
});

/** The message in a body of the service's error shape. */
async function errorOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it('asks for the key that it was started with, and lists models', async () => {
  const locked = await startWireServer({ apiKey: 'right' });
  const list = (key: string) =>
    fetch(`${locked.baseUrl('openai')}/models`, { headers: { authorization: `Bearer ${key}` } });
  expect((await list('wrong')).status).toBe(401);
  expect(await (await list('right')).json()).toMatchObject({ object: 'list', data: [{ object: 'model' }, {}] });
  expect((await fetch(`${locked.url}/elsewhere`)).status).toBe(404);
  await locked.close();
});

it('has canned replies that say so', async () => {
  const said = async (wire: WireName, text: string) => {
    server.answerBy(cannedReply);
    const conversation = wire === 'gemini' ? [{ role: 'user', parts: [{ text }] }] : [{ role: 'user', content: text }];
    return post(wire, paths[wire], body(wire, conversation));
  };
  for (const wire of wires) {
    expect(await (await said(wire, '你好')).text()).toMatch(/\[canned\].*“你好”/);
    const recalled = '<recalled_memories>\n- on 2026-01-31 the user said: 茶\n</recalled_memories>';
    for (const texts of [`!429\n\n${recalled}`, `${recalled}\n!429`])
      expect((await said(wire, texts)).status).toBe(429);
    expect((await said(wire, '!429')).headers.get('retry-after')).toBe('1');
    expect(await (await said(wire, '!call find {"query":"茶"}')).text()).toMatch(/find.*茶/s);
  }
});
