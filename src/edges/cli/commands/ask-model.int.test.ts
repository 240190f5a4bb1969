import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWireServer, type WireServer } from '../../../../test/wire-server/index.ts';
import { openPalimpsest } from '../../../engine/index.ts';
import { type RunOptions, runCaptured } from '../run-captured.ts';

const question = 'Which temperature unit do I prefer?';

let directory = '';
let server: WireServer;
let made = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'palimpsest-ask-'));
  server = await startWireServer();
});
afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  server.clear();
  made += 1;
  const palimpsest = await openPalimpsest({ file: join(directory, `ask-${made}.db`) });
  const said = { units: 'Please report the temperature in Celsius.', trip: '我周五去大理。' };
  for (const [id, content] of Object.entries(said)) {
    const session = await palimpsest.user('u1').session(id);
    await session.append([
      { author: 'user', content },
      { author: 'guide', content: '好的。' },
    ]);
  }
  await palimpsest.close();
});

const ask = (args: readonly string[], { env, ...options }: RunOptions = {}) =>
  runCaptured(['ask', ...args, '--session', 'trip', '--file', `ask-${made}.db`], {
    cwd: directory,
    env: {
      GEMINI_API_KEY: 'key',
      OPENAI_API_KEY: 'key',
      ANTHROPIC_API_KEY: 'key',
      GOOGLE_GENERATIVE_AI_BASE_URL: server.baseUrl('gemini'),
      OPENAI_BASE_URL: server.baseUrl('openai'),
      ANTHROPIC_BASE_URL: server.baseUrl('anthropic'),
      ...env,
    },
    ...options,
  });

async function logOf(session: string) {
  const shown = await runCaptured(['show', session, '--json', '--file', `ask-${made}.db`], { cwd: directory });
  return JSON.parse(shown.out).events;
}

describe.each(['google:m', 'openai:m', 'anthropic:m'])('%s', (model) => {
  test('prints what was recalled, then the answer; both stand in the log', async () => {
    server.reply({ text: ['Cel', 'sius, ', '当然。'] });
    const { code, out, err } = await ask([question, '--model', model]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Recalled for this question \(\d\)\n\S+ {2}units #1[\s\S]*\n\nCelsius, 当然。\n$/);
    expect(server.requests[0]?.bodyText).toContain('Please report the temperature in Celsius.');
    const [asked, answered] = (await logOf('trip')).slice(2);
    expect(asked).toMatchObject({ author: 'user', content: { parts: [{ text: question }] } });
    expect(answered).toMatchObject({ author: 'guide', content: { parts: [{ text: 'Celsius, 当然。' }] } });
  });
});

test('--json: one object with request, memories and the answer', async () => {
  server.reply({ calls: [{ name: 'load_memory', args: { query: '大理' } }] }, { text: 'Celsius.' });
  const { code, out, err } = await ask([question, '--json', '--model', 'openai:m', '--limit', '1']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const json = JSON.parse(out);
  expect(json).toMatchObject({
    session: { userId: 'u1', sessionId: 'trip' },
    agentName: 'guide',
    provider: 'openai',
    memories: [{ text: 'Please report the temperature in Celsius.' }],
    answer: { seq: 6, content: { parts: [{ text: 'Celsius.' }] } },
  });
  expect(JSON.stringify(json.request)).toContain(question);
});

test('a dry run shows the request in the rules of the model, and sends and stores nothing', async () => {
  const env = { PALIMPSEST_MODEL: 'anthropic:m' };
  const { code, out, err } = await ask([question, '--dry-run'], { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('Request to anthropic for agent guide');
  expect(out).toMatch(/ user\n +Which temperature unit[^\n]*\n +user {2}for this request only\n +\[\d memor/);
  expect((await ask([question, '--dry-run', '--provider', 'openai'], { env })).out).toContain('Request to openai');
  expect(server.requests).toEqual([]);
  expect(await logOf('trip')).toHaveLength(2);
});

test('without a model the request is shown, and how to configure one', async () => {
  const { code, out, err } = await ask([question]);
  expect(code).toBe(0);
  expect(out).toContain('Request to gemini for agent guide');
  expect(err).toMatch(/^No model is configured, so nothing was sent\. [^\n]*PALIMPSEST_MODEL: google:<name>/);
  expect((await ask([question, '--json'])).err).toBe('');
  expect(await logOf('trip')).toHaveLength(2);
});

test('a failing model: exit code 1, what to do, and the question is kept', async () => {
  server.reply({ status: 401, message: '密钥无效' });
  const { code, out, err } = await ask([question, '--model', 'openai:m']);
  expect(code).toBe(1);
  expect(out).toMatch(/^Recalled/);
  expect(err).toBe(
    'error: Model "m" failed after 1 attempt (HTTP 401): 密钥无效.\nIs the key in OPENAI_API_KEY right?\n',
  );
  const [asked, failed] = (await logOf('trip')).slice(2);
  expect(asked.content.parts[0].text).toBe(question);
  expect(failed).toMatchObject({ interrupted: true, errorCode: 'MODEL_FAILED' });
  server.reply({ status: 401 });
  const json = await ask([question, '--model', 'openai:m', '--json']);
  expect(json).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(json.err).error).toMatchObject({ code: 'MODEL_FAILED', details: { status: 401 } });
});

test('an empty answer: exit code 1, and why; --json has it too', async () => {
  server.reply({ text: '' }, { text: '' });
  const { code, out, err } = await ask([question, '--model', 'openai:m']);
  expect(code).toBe(1);
  expect(out).toMatch(/^Recalled/);
  expect(err).toMatch(/^error: The model answered with nothing[^\n]*\n$/);
  const json = await ask([question, '--model', 'openai:m', '--json']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out).answer).toMatchObject({ errorCode: 'EMPTY_RESPONSE' });
  expect(JSON.parse(json.err).error).toMatchObject({ code: 'EMPTY_RESPONSE' });
});

test.each([
  [['--agent', 'user'], /^error: --agent may not be "user"/],
  [['--model', 'openai:m', '--provider', 'gemini'], /^error: --provider goes with --dry-run/],
  [['--model', 'acme:m'], /^error: --model must be/],
  [['--model', 'acme:m', '--dry-run'], /^error: --model must be/],
])('%j is wrong usage', async (args, err) => {
  expect(await ask([question, ...args])).toMatchObject({ code: 2, out: '', err: expect.stringMatching(err) });
  expect(server.requests).toEqual([]);
});

test('Ctrl-C stops the answer: what had come is stored, exit code 130', async () => {
  const controller = new AbortController();
  server.reply(() => {
    setTimeout(() => controller.abort(), 100);
    return { text: ['Cel', 'sius ', ...Array.from({ length: 2000 }, () => 'again ')], dripMs: 5 };
  });
  const { code } = await ask([question, '--model', 'openai:m'], { signal: controller.signal });
  expect(code).toBe(130);
  expect((await logOf('trip'))[3]).toMatchObject({ author: 'guide', interrupted: true });
});
