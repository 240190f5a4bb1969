import { APICallError, JSONParseError, LoadAPIKeyError, TypeValidationError } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPalimpsestError, PalimpsestError } from '../errors/index.ts';
import { abortedCall, mayRepeat, modelFailure } from './model-failure.ts';

type ApiFields = Partial<ConstructorParameters<typeof APICallError>[0]>;

function apiError(fields: ApiFields): APICallError {
  return new APICallError({
    message: 'It failed',
    url: 'http://x/v1',
    requestBodyValues: { prompt: '秘密' },
    ...fields,
  });
}

function detailsOf(error: unknown, attempts?: number): PalimpsestError<'MODEL_FAILED'>['details'] {
  const failure = modelFailure(error, 'm', attempts);
  if (!isPalimpsestError(failure, 'MODEL_FAILED')) return expect.unreachable(`is ${failure.code}`);
  return failure.details;
}

function networkError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('其他 side closed'), { code }) });
}

describe('modelFailure', () => {
  it('names model, status, attempts and what the service itself says, and keeps the cause', () => {
    const cause = apiError({ statusCode: 503, responseBody: '{"error":{"message":"服务过载。 Try later."}}' });
    const failure = modelFailure(cause, 'gemini-2.5-flash', 3);
    expect(failure).toMatchObject({ code: 'MODEL_FAILED', cause });
    expect(failure.details).toEqual({
      model: 'gemini-2.5-flash',
      status: 503,
      attempts: 3,
      reason: '服务过载。 Try later',
    });
    expect(failure.message).toBe('Model "gemini-2.5-flash" failed after 3 attempts (HTTP 503): 服务过载。 Try later.');
  });

  it.each([
    ['openai', '{"error":{"message":"why","type":"x","code":null}}'],
    ['gemini', '{"error":{"code":400,"message":"why","status":"INVALID_ARGUMENT"}}'],
    ['gemini in a list', '[{"error":{"message":"why"}}]'],
    ['anthropic', '{"type":"error","error":{"type":"invalid_request_error","message":"why"}}'],
    ['a text', '{"error":"why"}'],
    ['a message', '{"message":"why"}'],
    ['a detail', '{"detail":"why"}'],
  ])('reads the error body of %s', (_name, responseBody) => {
    expect(detailsOf(apiError({ statusCode: 400, responseBody }))).toMatchObject({ reason: 'why', status: 400 });
  });

  it.each([
    [
      'a page',
      apiError({ statusCode: 502, message: 'Bad Gateway', responseBody: '<html>nginx</html>' }),
      'Bad Gateway',
    ],
    ['nothing', apiError({ statusCode: 502, message: '', responseBody: '' }), 'it gave no reason'],
    ['undefined', undefined, 'it gave no reason'],
    ['a string', 'kaputt.', 'kaputt'],
    ['lines', new Error('one\n\ttwo\u0000three'), 'one two three'],
    ['an error in a stream', { type: 'overloaded_error', message: 'Overloaded' }, 'Overloaded'],
    ['a chain', new Error('Outer: ', { cause: new Error('inner', { cause: new Error('inn') }) }), 'Outer: inner'],
  ])('says something of %s', (_name, error, reason) => {
    expect(detailsOf(error).reason).toBe(reason);
  });

  it('does not quote what a parser could not read', () => {
    const text = '用户的秘密 '.repeat(200);
    const broken = new JSONParseError({ text, cause: new SyntaxError('Unexpected token') });
    const misshapen = new TypeValidationError({ value: { text }, cause: new Error(text) });
    expect(detailsOf(broken).reason).toBe('JSON parsing failed: Unexpected token');
    expect(detailsOf(misshapen).reason).toBe('Type validation failed');
    expect(detailsOf(apiError({ statusCode: 200, message: 'Invalid JSON response', cause: broken }))).toEqual({
      model: 'm',
      attempts: 1,
      reason: 'Invalid JSON response: JSON parsing failed: Unexpected token',
    });
    // A package may put the parser's error in the place of the body and its message in the place of its own.
    const wrapped = apiError({ statusCode: 500, message: broken.message, responseBody: JSON.stringify(broken) });
    expect(detailsOf(wrapped).reason).toBe('JSON parsing failed');
  });

  it.each([
    'Incorrect API key provided: sk-proj-abcDEF123456_7890. See the page',
    'API key sk-ant-api03-abcdefghijkl is no good',
    'cannot reach https://x/v1?key=AIzaSyA1234567890abcdefghijk&alt=sse',
    'refused Authorization: Bearer abcdefgh12345678',
    'refused {"api_key":"0123456789abcdef"}',
  ])('blanks the key in: %s', (message) => {
    const { reason } = detailsOf(apiError({ statusCode: 401, message }));
    expect(reason).toContain('[key]');
    expect(reason).not.toMatch(/123456|0123|abcdefghijkl/);
  });

  it('leaves words about keys as they are', () => {
    const message = 'API key not valid. Please pass a valid API key, or a Bearer token; max_tokens: 128000';
    expect(detailsOf(new Error(message)).reason).toBe(message);
  });

  it('cuts a reason at 500 code points, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1200, size: 'max' }), (text) => {
        const { reason } = detailsOf(new Error(text));
        expect([...reason].length).toBeLessThanOrEqual(500);
        expect(reason.isWellFormed()).toBe(true);
        expect(reason).not.toBe('');
      }),
    );
    expect(detailsOf(new Error('字'.repeat(501))).reason).toBe(`${'字'.repeat(499)}…`);
    expect(detailsOf(new Error('😀'.repeat(500))).reason).toBe('😀'.repeat(500));
  });

  it.each([
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '99' }, 1500],
    ['seconds', { 'Retry-After': '2' }, 2000],
    ['a part of a second', { 'retry-after': '0.25' }, 250],
    ['a date', { 'retry-after': 'Wed, 21 Oct 2015 07:28:10 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' }, 10_000],
    ['a date that is past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['less than nothing', { 'retry-after': '-3' }, undefined],
  ])('reads Retry-After as %s', (_name, responseHeaders, expected) => {
    expect(detailsOf(apiError({ statusCode: 429, responseHeaders })).retryAfterMs).toBe(expected);
  });

  it('reads the delay that Gemini puts into the error', () => {
    const detail = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' };
    const responseBody = JSON.stringify({ error: { code: 429, message: 'quota', details: [{}, detail] } });
    expect(detailsOf(apiError({ statusCode: 429, responseBody })).retryAfterMs).toBe(34_070);
  });

  it('names the code of a network error', () => {
    expect(detailsOf(networkError('ECONNRESET')).reason).toBe('fetch failed: 其他 side closed (ECONNRESET)');
    const unreachable = apiError({ message: 'Cannot connect to API: ', cause: { code: 'ECONNREFUSED', message: '' } });
    expect(detailsOf(unreachable).reason).toBe('Cannot connect to API (ECONNREFUSED)');
  });

  it('survives a chain of causes that bites its tail', () => {
    const error = new Error('round');
    error.cause = error;
    expect(detailsOf(error).reason).toBe('round');
  });

  it('counts the attempts of a failure that it has made, where it is told', () => {
    const first = modelFailure(apiError({ statusCode: 500 }), 'm', 2);
    expect(detailsOf(first, 4)).toEqual({ ...first.details, attempts: 4 });
    expect(modelFailure(first, 'other', 4).cause).toBe(first.cause);
    expect(modelFailure(first, 'other')).toBe(first);
  });

  it('does not take the status of our own errors for that of the service', () => {
    const closed = new PalimpsestError('CLOSED', { what: 'x' });
    expect(detailsOf(new Error('wrapped', { cause: closed }))).not.toHaveProperty('status');
    const inner = modelFailure(apiError({ statusCode: 429 }), 'inner');
    expect(detailsOf(new Error('wrapped', { cause: inner }))).toMatchObject({ model: 'm', status: 429 });
  });

  it('leaves other errors of the library alone', () => {
    const closed = new PalimpsestError('CLOSED', { what: 'x' });
    const aborted = abortedCall();
    expect(modelFailure(closed, 'm')).toBe(closed);
    expect(modelFailure(aborted, 'm', 2)).toBe(aborted);
    expect(aborted.details).toEqual({ what: 'The model call' });
  });

  it('takes an abort for the caller’s only if the signal of the call says so', () => {
    const gone = new DOMException('连接没了', 'AbortError');
    expect(modelFailure(gone, 'm', 1, AbortSignal.abort())).toMatchObject({ code: 'ABORTED' });
    const { signal } = new AbortController();
    for (const failure of [modelFailure(gone, 'm'), modelFailure(gone, 'm', 1, signal)]) {
      expect(failure).toMatchObject({ code: 'MODEL_FAILED', cause: gone, details: { reason: '连接没了' } });
      expect(mayRepeat(failure)).toBe(true);
    }
    expect(modelFailure(abortedCall(), 'm', 1, signal)).toMatchObject({ code: 'MODEL_FAILED' });
  });
});

describe('mayRepeat', () => {
  it.each([
    [408, true],
    [409, true],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [529, true],
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [413, false],
    [422, false],
  ])('a status of %i: %s', (statusCode, expected) => {
    expect(mayRepeat(apiError({ statusCode }))).toBe(expected);
    expect(mayRepeat(modelFailure(apiError({ statusCode }), 'm'))).toBe(expected);
    expect(
      mayRepeat(new PalimpsestError('MODEL_FAILED', { model: 'm', reason: 'x', status: statusCode, attempts: 1 })),
    ).toBe(expected);
    expect(mayRepeat(Object.assign(new Error('of another package'), { status: statusCode }))).toBe(expected);
  });

  it.each([
    ['a package says yes to a 400', apiError({ statusCode: 400, isRetryable: true }), true],
    ['a package says no to a 429', apiError({ statusCode: 429, isRetryable: false }), false],
    ['an internal error inside a stream', apiError({ statusCode: 500, isRetryable: false }), true],
    ['a broken answer', apiError({ statusCode: 200 }), true],
    ['a chunk that is no JSON', new JSONParseError({ text: '{', cause: new SyntaxError('x') }), true],
    ['an overload inside a stream', { type: 'overloaded_error', message: 'Overloaded' }, true],
    ['a bad request inside a stream', { type: 'invalid_request_error', message: 'x' }, false],
    ['a lost connection', networkError('UND_ERR_SOCKET'), true],
    ['a network error without a code', new TypeError('terminated'), true],
    ['any other error', new Error('flaky'), true],
    ['a fault in the code', new TypeError('x is not a function'), false],
    ['a missing key', new LoadAPIKeyError({ message: 'set it' }), false],
    ['an abort', abortedCall(), false],
    ['another error of the library', new PalimpsestError('INVALID_ARGUMENT', { argument: 'a', reason: 'b' }), false],
  ])('%s', (_name, error, expected) => {
    expect(mayRepeat(error)).toBe(expected);
    expect(mayRepeat(modelFailure(error, 'm'))).toBe(expected);
  });
});
