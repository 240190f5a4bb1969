import { describe, expect, it } from 'vitest';
import type { JsonMap, LanguageModel, ModelCall, ModelPiece, RetryOptions } from '../../src/index.ts';
import { ScriptedModel } from '../../src/testing/index.ts';
import { logOf, openQuiet, outline, runToEnd } from './run-to-end.ts';

/** A model that says what it is told to, whatever that is. */
function saying(pieces: (call: ModelCall) => Iterable<unknown> | AsyncIterable<unknown>): LanguageModel {
  return {
    name: '自制',
    vendor: 'hand-made',
    provider: 'openai',
    async *call(call) {
      for await (const piece of pieces(call)) yield piece as ModelPiece;
    },
  };
}

const finish = { type: 'finish', finishReason: 'stop' };

describe('a model that', () => {
  it.each<[string, unknown, RegExp]>([
    ['a text', 'x', /"x"/],
    ['nothing', undefined, /undefined/],
    ['a part without a part', { type: 'part' }, /no part/],
    ['a part with two payloads', { type: 'part', part: { text: 'a', functionCall: { name: 'b' } } }, /both text and/],
    ['an unknown type', { type: 'wat' }, /"wat".*finish/],
    ['a text that is none', { type: 'text', text: 5 }, /5/],
    ['a date for a version', { ...finish, modelVersion: new Date(0) }, /modelVersion.*Date/],
    ['no number of tokens', { ...finish, usage: { inputTokens: Number.NaN } }, /inputTokens/],
  ])('gives %s has failed, and what was good is kept', async (_name, bad, told) => {
    const palimpsest = await openQuiet();
    const model = saying(() => [{ type: 'text', text: '好的部分' }, bad, finish]);
    const agent = palimpsest.agent({ name: 'assistant', model });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', details: { reason: expect.stringMatching(told) } });
    expect(events.map(outline)).toEqual(['assistant: 好的部分 !MODEL_FAILED']);
    expect(events[0]?.interrupted).toBe(true);
  });

  it('says more than an event can hold is kept as far as it fits', async () => {
    const palimpsest = await openQuiet();
    const text = '字😀'.repeat(1_500_000);
    const model = new ScriptedModel([{ text, calls: [{ name: 'look' }] }, 'next'], { pieceLength: 1_000_000 });
    const agent = palimpsest.agent({ name: 'assistant', model, streaming: false });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toMatchObject({ code: 'EVENT_TOO_LARGE' });
    const [event] = events;
    expect(event).toMatchObject({ interrupted: true, errorCode: 'EVENT_TOO_LARGE' });
    expect(event?.customMetadata?.callsNotMade).toEqual(['look']);
    const kept = event?.content?.parts[0]?.text ?? '';
    expect(kept.endsWith('… [cut]')).toBe(true);
    expect(kept.isWellFormed()).toBe(true);
    expect(text.startsWith(kept.slice(0, -'… [cut]'.length))).toBe(true);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(7 * 1024 * 1024);
  });

  it.each<[string, object, readonly string[]]>([
    ['with something said', { text: '半句' }, ['assistant: 半句 !MODEL_FAILED']],
    ['with nothing said', {}, ['assistant: - !MODEL_FAILED']],
  ])('ends with an error %s has failed', async (_name, turn, said) => {
    const palimpsest = await openQuiet();
    const model = new ScriptedModel(() => ({ ...turn, finishReason: 'error' }));
    const agent = palimpsest.agent({ name: 'assistant', model, retry: { firstDelayMs: 0 } });
    const { events, failure } = await runToEnd(agent, { message: 'go' });
    expect(failure).toMatchObject({ code: 'MODEL_FAILED' });
    expect(events.map(outline)).toEqual(said);
    expect(events[0]?.interrupted).toBe(true);
    expect(model.calls).toHaveLength('text' in turn ? 1 : 3);
  });

  it('aborts of its own accord is asked again', async () => {
    const palimpsest = await openQuiet();
    const gone = { failure: new DOMException('gone', 'AbortError'), cutAfter: 0 };
    const agent = palimpsest.agent({
      name: 'assistant',
      model: new ScriptedModel([gone, '在']),
      retry: { firstDelayMs: 0 },
    });
    expect((await runToEnd(agent, { message: 'go' })).events.map(outline)).toEqual(['assistant: 在']);
    const lone = palimpsest.agent({ name: 'assistant', model: new ScriptedModel([gone]), retry: false });
    expect((await runToEnd(lone, { message: 'go' })).failure).toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('never pauses can be stopped by a timer', async () => {
    const palimpsest = await openQuiet();
    const model = saying(function* () {
      for (;;) yield { type: 'text', text: '' };
    });
    for (const retry of [false, {}] as const) {
      const agent = palimpsest.agent({ name: 'assistant', model, retry });
      const { failure } = await runToEnd(agent, { message: 'go', signal: AbortSignal.timeout(20) });
      expect(failure).toMatchObject({ code: 'ABORTED' });
    }
  });
});

it('repetitions and the last failure are told to the log and to whoever asks for it', async () => {
  const told: [string, string, JsonMap | undefined][] = [];
  const note = (level: string) => (message: string, fields?: JsonMap) => void told.push([level, message, fields]);
  const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  const palimpsest = await openQuiet({ logger });
  const model = new ScriptedModel(() => ({ failure: new Error('忙'), cutAfter: 0 }));
  const asked: Parameters<NonNullable<RetryOptions['onRetry']>>[0][] = [];
  const onRetry: RetryOptions['onRetry'] = (repetition) => {
    asked.push(repetition);
    throw new Error('a listener that fails');
  };
  const agent = palimpsest.agent({ name: 'assistant', model, retry: { retries: 2, firstDelayMs: 0, onRetry } });
  await runToEnd(agent, { message: 'go' });
  expect(asked.map(({ attempt, error }) => [attempt, error.details.reason])).toEqual([
    [1, '忙'],
    [2, '忙'],
  ]);
  expect(told).toEqual([
    ['warn', 'a model call is repeated', expect.objectContaining({ attempt: 1, reason: '忙' })],
    ['warn', 'a model call is repeated', expect.objectContaining({ attempt: 2, reason: '忙' })],
    ['error', 'a model call failed', expect.objectContaining({ attempts: 3, model: 'scripted', reason: '忙' })],
  ]);
  expect((await logOf(palimpsest)).map(outline)).toEqual(['user: go', 'assistant: - !MODEL_FAILED']);
});
