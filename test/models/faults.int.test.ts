import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isPalimpsestError, type PalimpsestError } from '../../src/errors/index.ts';
import { text } from '../../src/events/index.ts';
import { type LanguageModel, type RetryOptions, withRetries } from '../../src/models/index.ts';
import { type Reply, startWireServer, type Turn, type WireName, type WireServer } from '../wire-server/index.ts';
import {
  apiKey,
  modelAt,
  modelNames,
  type Outcome,
  outcomeOf,
  requestOf,
  textsOf,
  wireNames,
} from './provider-models.ts';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer({ apiKey });
});
afterEach(() => server.clear());
afterAll(() => server.close());

const call = { request: requestOf([text('你好')]) };
const quick: RetryOptions = { firstDelayMs: 1, retries: 2 };
const good: Turn = { text: ['你', '好'] };
const modes = wireNames.flatMap((wire) => [
  { wire, streaming: true },
  { wire, streaming: false },
]);

/** Plays a script against a model with retries. */
function play(wire: WireName, replies: readonly Reply[], { options = quick, streaming = true } = {}): Promise<Outcome> {
  server.reply(...replies);
  return outcomeOf(withRetries(modelAt(server, wire), options), { ...call, streaming });
}

function failureOf({ error }: Outcome): PalimpsestError<'MODEL_FAILED'>['details'] {
  return isPalimpsestError(error, 'MODEL_FAILED') ? error.details : expect.unreachable(`ended with ${error}`);
}

describe.each(modes)('$wire, streaming: $streaming', ({ wire, streaming }) => {
  it('goes on after 429 and 500 as if nothing had been', async () => {
    const outcome = await play(wire, [{ status: 429, retryAfter: 0 }, { status: 500 }, good], { streaming });
    expect(outcome.error).toBeUndefined();
    expect(textsOf(outcome).join('')).toBe('你好');
    expect(server.requests.map(({ bodyText }) => bodyText)).toEqual(Array(3).fill(server.requests[0]?.bodyText));
  });

  it('ends with status and attempts when the service stays away', async () => {
    const outcome = await play(wire, Array(3).fill({ status: 503, message: '服务过载' }), { streaming });
    expect(outcome.pieces).toEqual([]);
    expect(failureOf(outcome)).toEqual({ model: modelNames[wire], status: 503, attempts: 3, reason: '服务过载' });
  });

  it('ends at once where Retry-After asks for too much', async () => {
    const outcome = await play(wire, [{ status: 429, retryAfter: 3600, message: 'slow down' }, good], { streaming });
    expect(failureOf(outcome)).toMatchObject({
      status: 429,
      attempts: 1,
      retryAfterMs: 3_600_000,
      reason: 'slow down',
    });
  });

  it('does not repeat a bad request, and shows no key', async () => {
    const refused = await play(wire, [{ status: 400, message: 'no such field' }, good], { streaming });
    expect(failureOf(refused)).toMatchObject({ status: 400, attempts: 1, reason: 'no such field' });
    const secret = 'sk-proj-0123456789abcdefghij';
    const locked = await outcomeOf(withRetries(modelAt(server, wire, secret), quick), { ...call, streaming });
    expect(failureOf(locked)).toMatchObject({ status: 401, attempts: 1, reason: 'Incorrect API key provided: [key]' });
    expect(String(locked.error)).not.toContain('0123456789');
  });

  it.each([
    ['a page of a proxy', { status: 502, body: '<html><body>nginx</body></html>' }],
    ['a broken connection', { text: ['一', '二'], cutAfter: 0 }],
    ['an empty body', { text: '一', endAfter: 0 }],
    ['a body that is no JSON', { text: '一', malformedAfter: 0 }],
    ['an error in the answer', { text: '一', errorAfter: 0 }],
  ] as [string, Reply][])('tries again after %s', async (_name, fault) => {
    const outcome = await play(wire, [fault, good], { streaming });
    expect(outcome.error).toBeUndefined();
    expect(textsOf(outcome).join('')).toBe('你好');
    expect(server.requests).toHaveLength(2);
  });

  it('is stopped by the deadline when nothing ever comes', async () => {
    const outcome = await play(wire, [{ hang: true }], { streaming, options: { deadlineMs: 60 } });
    expect(failureOf(outcome)).toMatchObject({ attempts: 1, reason: 'it took longer than 60 ms' });
    await expect(server.requests[0]?.outcome).resolves.toBe('closed');
  });

  it('asks the fallback when the attempts have failed', async () => {
    const fallback = modelAt(server, wire);
    const outcome = await play(wire, [...Array(3).fill({ status: 500 }), good], {
      streaming,
      options: { ...quick, fallback },
    });
    expect(textsOf(outcome).join('')).toBe('你好');
    expect(outcome.reply.modelVersion).toBe(modelNames[wire]);
    expect(server.requests).toHaveLength(4);
  });
});

describe.each(wireNames)('%s, within a stream', (wire) => {
  it.each([
    ['the connection breaks', { cutAfter: 2 }, /UND_ERR_SOCKET|ECONNRESET/],
    ['a chunk is no JSON', { malformedAfter: 2 }, /^JSON parsing failed/],
    ['the service reports an error', { errorAfter: 2 }, /^scripted error in the stream$/],
    ['it ends without its finish', { endAfter: 2 }, /cut|without a finish/],
  ] as [string, Turn, RegExp][])('gives what had come, then fails, never twice: %s', async (_name, fault, reason) => {
    const outcome = await play(wire, [{ text: ['一', '二', '三'], ...fault }, good]);
    expect(textsOf(outcome)).toEqual(['一', '二']);
    expect(outcome.reply.isWhole).toBe(false);
    expect(failureOf(outcome)).toMatchObject({ model: modelNames[wire], attempts: 1 });
    expect(failureOf(outcome).reason).toMatch(reason);
    expect(failureOf(outcome).reason).not.toContain('choices');
    expect(server.requests).toHaveLength(1);
  });

  it('never hands on half a call', async () => {
    const calls = [
      { name: 'f', args: { 城: '北京' } },
      { name: 'f', args: { 城: '上海' } },
    ];
    const outcome = await play(wire, [{ calls, cutAfter: 1 }]);
    const parts = outcome.pieces.flatMap((piece) => (piece.type === 'part' ? piece.part : []));
    for (const { functionCall } of parts) expect(functionCall).toMatchObject(calls[0] ?? {});
    expect(parts.length).toBeLessThanOrEqual(1);
    if (parts.length === 1) expect(failureOf(outcome)).toMatchObject({ attempts: 1 });
  });

  it('waits for an answer that drips', async () => {
    const outcome = await play(wire, [{ text: [...'一二三四五'], dripMs: 5 }], { options: { idleMs: 5_000 } });
    expect(textsOf(outcome).join('')).toBe('一二三四五');
  });

  it('gives up on one that falls silent', async () => {
    const outcome = await play(wire, [{ text: ['一', '二'], hangAfter: 1 }, good], { options: { idleMs: 200 } });
    expect(textsOf(outcome)).toEqual(['一']);
    expect(failureOf(outcome).reason).toBe('it sent nothing for 200 ms');
    await expect(server.requests[0]?.outcome).resolves.toBe('closed');
  });

  it.each([
    ['bare', (model: LanguageModel) => model],
    ['with retries', (model: LanguageModel) => withRetries(model)],
  ])('hangs up when the caller stops: %s', async (_name, wrap) => {
    server.reply({ text: [...'一二三四五六七八九十'], dripMs: 20 });
    const controller = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const piece of wrap(modelAt(server, wire)).call({ ...call, signal: controller.signal })) {
        if (piece.type === 'text') seen.push(piece.text);
        controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
    expect(seen).toEqual(['一']);
    await expect(server.requests[0]?.outcome).resolves.toBe('closed');
  });

  it.each([
    ['bare', (model: LanguageModel) => model],
    ['with retries', (model: LanguageModel) => withRetries(model)],
  ])('hangs up when the caller goes away: %s', async (_name, wrap) => {
    server.reply({ text: [...'一二三四五六七八九十'], dripMs: 20 });
    for await (const piece of wrap(modelAt(server, wire)).call(call)) {
      expect(piece).toMatchObject({ type: 'text', text: '一' });
      break;
    }
    await expect(server.requests[0]?.outcome).resolves.toBe('closed');
  });
});

it('fails by name where nobody listens', async () => {
  const gone = await startWireServer();
  await gone.close();
  for (const wire of wireNames) {
    const outcome = await outcomeOf(withRetries(modelAt(gone, wire), quick), call);
    expect(failureOf(outcome)).toMatchObject({ attempts: 3, reason: expect.stringContaining('ECONNREFUSED') });
  }
});
