import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import type { LanguageModel, ModelCall, ModelPiece } from './language-model.ts';
import type { RetryOptions } from './retry-options.ts';
import { withRetries } from './with-retries.ts';

const call: ModelCall = { request: { instruction: [], tools: [], contents: [], transient: [] } };
const finish: ModelPiece = { type: 'finish', finishReason: 'stop' };
const hang = Symbol('hang');
const answer: Step[] = [piece('你'), piece('好'), finish];

/** What a scripted attempt does next: give a piece, throw an error, fall silent, or do something. */
type Step = ModelPiece | Error | typeof hang | (() => void);

function piece(text: string): ModelPiece {
  return { type: 'text', text };
}

function unavailable(retryAfterMs?: number): PalimpsestError {
  const given = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new PalimpsestError('MODEL_FAILED', { model: 'm', reason: 'busy', status: 503, attempts: 1, ...given });
}

/** A model that plays one list of steps a call, and tells what became of its calls. */
function scripted(name: string, ...attempts: Step[][]) {
  const closed: string[] = [];
  const signals: AbortSignal[] = [];
  const model: LanguageModel & { closed: string[]; signals: AbortSignal[] } = {
    name,
    vendor: 'hand-made',
    provider: 'openai',
    closed,
    signals,
    async *call({ signal }) {
      if (signal !== undefined) signals.push(signal);
      try {
        for (const step of attempts[signals.length - 1] ?? [new Error('called too often')]) {
          if (step instanceof Error) throw step;
          if (step === hang) await new Promise((_resolve, reject) => signal?.addEventListener('abort', reject));
          else if (typeof step === 'function') step();
          else if (typeof step === 'object') yield step;
        }
      } finally {
        closed.push(signal?.aborted ? 'aborted' : 'closed');
      }
    },
  };
  return model;
}

/** Plays a call to its end. Pauses take no time, but the clock moves by them. */
async function play(model: LanguageModel, options: RetryOptions = {}, given: Partial<ModelCall> = {}) {
  const pauses: number[] = [];
  let clock = 0;
  const patient = withRetries(model, options, {
    random: () => 1,
    now: () => clock,
    sleep: async (ms) => {
      pauses.push(ms);
      clock += ms;
    },
  });
  const pieces: ModelPiece[] = [];
  const outcome = { pieces, pauses, error: undefined as PalimpsestError | undefined };
  try {
    for await (const one of patient.call({ ...call, ...given })) pieces.push(one);
  } catch (error) {
    if (!isPalimpsestError(error)) throw error;
    outcome.error = error;
  }
  return outcome;
}

const textOf = (pieces: readonly ModelPiece[]) => pieces.map((one) => (one.type === 'text' ? one.text : '')).join('');

describe('repetition', () => {
  it('is the model itself in name, vendor and provider', () => {
    expect(withRetries(scripted('模型'))).toMatchObject({ name: '模型', vendor: 'hand-made', provider: 'openai' });
  });

  it('passes on an answer as it comes, with one attempt', async () => {
    const model = scripted('m', answer);
    expect(await play(model)).toEqual({ pieces: [piece('你'), piece('好'), finish], pauses: [], error: undefined });
    expect(model.closed).toEqual(['closed']);
  });

  it('repeats what failed before its first piece, with pauses that double', async () => {
    const model = scripted('m', [unavailable()], [unavailable()], [unavailable()], answer);
    const { pieces, pauses } = await play(model, { retries: 3, longestDelayMs: 1500 });
    expect(textOf(pieces)).toBe('你好');
    expect(pauses).toEqual([500, 1000, 1500]);
  });

  it('takes a random half of each pause away', async () => {
    const pauses: number[] = [];
    const sleep = async (ms: number) => void pauses.push(ms);
    const model = withRetries(scripted('m', [unavailable()], answer), {}, { random: () => 0, sleep });
    for await (const _piece of model.call(call)) expect(pauses).toEqual([250]);
  });

  it('counts its attempts in the failure that is left', async () => {
    const cause = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    const { error, pieces } = await play(scripted('m', [cause], [cause], [cause]));
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { model: 'm', attempts: 3 }, cause });
    expect(pieces).toEqual([]);
    expect((await play(scripted('m', [cause]), { retries: 0 })).error?.details).toMatchObject({ attempts: 1 });
  });

  it('never repeats what has been passed on', async () => {
    const { pieces, error, pauses } = await play(
      scripted('m', [unavailable()], [piece('一半'), unavailable()], answer),
    );
    expect(textOf(pieces)).toBe('一半');
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { attempts: 2, status: 503 } });
    expect(pauses).toHaveLength(1);
  });

  it('does not repeat what would fail again', async () => {
    const refused = Object.assign(new Error('no such model'), { status: 404 });
    const { error, pauses } = await play(scripted('m', [refused], answer));
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { attempts: 1, status: 404 } });
    expect(pauses).toEqual([]);
    const misused = new PalimpsestError('INVALID_ARGUMENT', { argument: 'a', reason: 'b' });
    expect((await play(scripted('m', [misused], answer), { fallback: scripted('f', answer) })).error).toBe(misused);
  });

  it('takes a stream without a finish for a cut one', async () => {
    expect(textOf((await play(scripted('m', [], answer))).pieces)).toBe('你好');
    const { pieces, error } = await play(scripted('m', [piece('半')], answer));
    expect(textOf(pieces)).toBe('半');
    expect(error?.details).toMatchObject({ attempts: 1, reason: 'its answer was cut off' });
  });

  it('lets nothing after the finish spoil a whole answer', async () => {
    const model = scripted('m', [...answer, unavailable()]);
    expect((await play(model)).error).toBeUndefined();
    expect(model.closed).toEqual(['closed']);
  });

  it('holds for a model whose call throws at once', async () => {
    const model: LanguageModel = {
      ...scripted('m'),
      call: () => {
        throw unavailable();
      },
    };
    expect((await play(model)).error?.details).toMatchObject({ attempts: 3 });
  });
});

describe('Retry-After', () => {
  it('makes the pause as long as asked', async () => {
    expect((await play(scripted('m', [unavailable(7000)], answer))).pauses).toEqual([7000]);
    expect((await play(scripted('m', [unavailable(7)], answer))).pauses).toEqual([500]);
  });

  it('ends the attempts when it asks for more than the longest pause', async () => {
    const { error, pauses } = await play(scripted('m', [unavailable(30_001)], answer));
    expect(error?.details).toMatchObject({ retryAfterMs: 30_001, attempts: 1 });
    expect(pauses).toEqual([]);
  });

  it('ends them when the pause would outlast the deadline', async () => {
    const { error, pauses } = await play(scripted('m', [unavailable(900)], [unavailable(900)], answer), {
      deadlineMs: 1500,
    });
    expect(error?.details).toMatchObject({ attempts: 2, reason: 'busy' });
    expect(pauses).toEqual([900]);
  });
});

describe('the fallback', () => {
  it('that finds the request too long says so', async () => {
    const fallback = scripted('f', [new Error('maximum context length is 9000 tokens')]);
    const { error } = await play(scripted('m', [unavailable(60_000)]), { fallback });
    expect(error?.details).toEqual({ ...error?.details, model: 'm', contextTooLong: true });
  });

  it('is asked once when the attempts have failed, and signs its answer', async () => {
    const fallback = scripted('f', answer);
    const { pieces } = await play(scripted('m', [unavailable()], [unavailable()]), { retries: 1, fallback });
    expect(textOf(pieces)).toBe('你好');
    expect(pieces.at(-1)).toEqual({ ...finish, modelVersion: 'f' });
  });

  it('is asked at once for what would fail again', async () => {
    const refused = Object.assign(new Error('no such model'), { status: 404 });
    const { pieces, pauses } = await play(scripted('m', [refused]), { fallback: scripted('f', answer) });
    expect([textOf(pieces), pauses]).toEqual(['你好', []]);
  });

  it('adds its own failure to the one that it was asked for', async () => {
    const fallback = scripted('f', [Object.assign(new Error('锁住了'), { status: 401 })], answer);
    const { error } = await play(scripted('m', [unavailable(60_000)]), { fallback });
    expect(error?.details).toMatchObject({ model: 'm', status: 503, retryAfterMs: 60_000, attempts: 1 });
    expect(error?.details).toMatchObject({ reason: 'busy; its fallback f failed too: 锁住了' });
    expect(error?.cause).toMatchObject({ code: 'MODEL_FAILED', details: { model: 'f', status: 401 } });
    expect(fallback.signals).toHaveLength(1);
  });

  it('is not asked once pieces have been passed on', async () => {
    const fallback = scripted('f', answer);
    const { error } = await play(scripted('m', [piece('a'), unavailable()]), { fallback });
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { model: 'm' } });
    expect(fallback.signals).toEqual([]);
  });

  it('fails under its own name once it has passed on pieces', async () => {
    const { error, pieces } = await play(scripted('m', [unavailable()]), {
      retries: 0,
      fallback: scripted('f', [piece('半'), Object.assign(new Error('断了'), { status: 500 })]),
    });
    expect(textOf(pieces)).toBe('半');
    expect(error?.details).toEqual({ model: 'f', attempts: 1, status: 500, reason: '断了' });
  });
});

describe('stopping', () => {
  it('does not begin for a caller that has stopped', async () => {
    const model = scripted('m', answer);
    const { error } = await play(model, { fallback: scripted('f', answer) }, { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ code: 'ABORTED', details: { what: 'The model call' } });
    expect(model.signals).toEqual([]);
  });

  it('ends a silent model at once, and asks nobody else', async () => {
    const controller = new AbortController();
    const fallback = scripted('f', answer);
    const stop = () => queueMicrotask(() => controller.abort());
    const model = scripted('m', [piece('a'), stop, hang]);
    const { error, pieces } = await play(model, { fallback }, { signal: controller.signal });
    expect([error?.code, textOf(pieces)]).toEqual(['ABORTED', 'a']);
    expect([model.closed, fallback.signals]).toEqual([['aborted'], []]);
  });

  it('ends a model that does not listen', async () => {
    const controller = new AbortController();
    const deaf: LanguageModel = {
      ...scripted('m'),
      call: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => queueMicrotask(() => controller.abort())) }),
      }),
    };
    expect((await play(deaf, {}, { signal: controller.signal })).error?.code).toBe('ABORTED');
  });

  it('ends one that does not listen when the caller stops between two pieces', async () => {
    const controller = new AbortController();
    const steps = [Promise.resolve({ done: false, value: piece('半') }), new Promise<never>(() => undefined)];
    const deaf: LanguageModel = {
      ...scripted('m'),
      call: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => steps.shift() ?? expect.unreachable('asked too often') }),
      }),
    };
    const reading = (async () => {
      for await (const _piece of withRetries(deaf).call({ ...call, signal: controller.signal })) controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('ends a pause', async () => {
    const controller = new AbortController();
    const model = withRetries(scripted('m', [unavailable()], answer), {
      firstDelayMs: 1_000_000,
      longestDelayMs: 1e7,
      deadlineMs: 1e8,
    });
    const first = model
      .call({ ...call, signal: controller.signal })
      [Symbol.asyncIterator]()
      .next();
    queueMicrotask(() => setTimeout(() => controller.abort(), 5));
    await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('closes the model when the caller stops reading', async () => {
    const model = scripted('m', answer);
    for await (const one of withRetries(model).call(call)) {
      expect(one).toEqual(piece('你'));
      break;
    }
    expect(model.closed).toEqual(['closed']);
    expect(model.signals[0]?.aborted).toBe(true);
  });

  it.each([
    ['an answer', answer],
    ['a failure', [Object.assign(new Error('x'), { status: 400 })]],
    ['a cut', [piece('a'), unavailable()]],
  ] as [string, Step[]][])('leaves no listener on the signal after %s', async (_name, steps) => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await play(scripted('m', steps), {}, { signal });
    expect(added.mock.calls.map(([, listener]) => listener)).toHaveLength(1);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

describe('time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    // No timer outlives its call, however the call ended.
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  async function playFor(ms: number, model: LanguageModel, options: RetryOptions) {
    const playing = playInTime(model, options);
    await vi.advanceTimersByTimeAsync(ms);
    return playing;
  }

  async function playInTime(model: LanguageModel, options: RetryOptions) {
    const pieces: ModelPiece[] = [];
    const patient = withRetries(model, options, {
      random: () => 0,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
    try {
      for await (const one of patient.call(call)) pieces.push(one);
      return { pieces, error: undefined };
    } catch (error) {
      return { pieces, error: isPalimpsestError(error) ? error : expect.unreachable() };
    }
  }

  it('repeats a call that stays silent, then says how long it was', async () => {
    const model = scripted('m', [hang], [hang], [hang]);
    const { error } = await playFor(9000, model, { idleMs: 2000 });
    expect(error?.details).toMatchObject({ attempts: 3, reason: 'it sent nothing for 2000 ms' });
    expect(model.closed).toEqual(['aborted', 'aborted', 'aborted']);
    expect(textOf((await playFor(9000, scripted('m', [hang], answer), { idleMs: 2000 })).pieces)).toBe('你好');
  });

  it('aborts a stream that falls silent', async () => {
    const { pieces, error } = await playFor(200_000, scripted('m', [piece('半'), hang]), {});
    expect(textOf(pieces)).toBe('半');
    expect(error?.details).toMatchObject({ attempts: 1, reason: 'it sent nothing for 120000 ms' });
  });

  it('ends it all at the deadline', async () => {
    const model = scripted('m', [hang], [hang], [hang]);
    const { error } = await playFor(9000, model, { idleMs: 2000, deadlineMs: 3000 });
    expect(error?.details).toMatchObject({ attempts: 2, reason: 'it took longer than 3000 ms' });
    expect(model.closed).toEqual(['aborted', 'aborted']);
  });

  it('knows the deadline from its timer, whatever the clock says', async () => {
    const model = scripted('m', [hang], answer);
    const patient = withRetries(model, { deadlineMs: 10, firstDelayMs: 0 }, { now: () => 0 });
    const first = patient.call(call)[Symbol.asyncIterator]().next();
    const outcome = expect(first).rejects.toMatchObject({ code: 'MODEL_FAILED', details: { attempts: 1 } });
    await vi.advanceTimersByTimeAsync(10);
    await outcome;
  });

  it('asks the fallback as soon as a model has been silent, within the deadline', async () => {
    const fallback = scripted('f', answer, [hang]);
    const options = { idleMs: 2000, deadlineMs: 3000, fallback };
    expect(textOf((await playFor(2000, scripted('m', [hang]), options)).pieces)).toBe('你好');
    const { error } = await playFor(3000, scripted('m', [hang]), options);
    expect(error?.details).toMatchObject({
      reason: 'it sent nothing for 2000 ms; its fallback f failed too: it took longer than 3000 ms',
    });
    const late = scripted('f', answer);
    const { error: overdue } = await playFor(1000, scripted('m', [hang]), { deadlineMs: 1000, fallback: late });
    expect([overdue?.details, late.signals]).toMatchObject([{ reason: 'it took longer than 1000 ms' }, []]);
  });

  it('does not count the time that the caller takes', async () => {
    const patient = withRetries(scripted('m', answer), { deadlineMs: 1000, idleMs: 1000 });
    const pieces: ModelPiece[] = [];
    for await (const one of patient.call(call)) {
      pieces.push(one);
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(textOf(pieces)).toBe('你好');
  });

  it('hears a model that fails after it was given up', async () => {
    let fail: (error: Error) => void = () => undefined;
    const late: LanguageModel = {
      ...scripted('m'),
      call: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise((_resolve, reject) => (fail = reject)),
          return: () => Promise.reject(new Error('not even that')),
        }),
      }),
    };
    const { error } = await playFor(1000, late, { retries: 0, idleMs: 1000 });
    fail(new Error('much later'));
    await vi.advanceTimersByTimeAsync(1);
    expect(error?.code).toBe('MODEL_FAILED');
  });
});
