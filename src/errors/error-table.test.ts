import { describe, expect, it } from 'vitest';
import { type ErrorCode, type ErrorDetails, errorTable } from './error-table.ts';
import { PalimpsestError } from './palimpsest-error.ts';

/** Details with values that are found again in a text. */
const samples: { readonly [C in ErrorCode]: ErrorDetails[C] } = {
  INVALID_ARGUMENT: { argument: 'the-argument', reason: 'the-reason' },
  INVALID_ID: { field: 'the-field', reason: 'the-reason' },
  INVALID_EVENT: { field: 'the-field', reason: 'the-reason' },
  NOT_JSON: { path: 'the-path', reason: 'the-reason' },
  EVENT_TOO_LARGE: { field: 'the-field', bytes: 4711, limit: 1234 },
  EVENT_ID_REUSED: { sessionId: 'the-session', eventId: 'the-event', reason: 'the-reason' },
  INVALID_COMPACTION: { reason: 'the-reason' },
  INVALID_REWIND: { invocationId: 'the-invocation', reason: 'the-reason' },
  INVALID_PIN: { seq: 4711, reason: 'the-reason' },
  APPEND_CONFLICT: { sessionId: 'the-session', expected: 4711, actual: 1234 },
  SESSION_EXISTS: { sessionId: 'the-session' },
  SESSION_NOT_FOUND: { sessionId: 'the-session' },
  SESSION_BUSY: { sessionId: 'the-session', freeAt: '2026-01-01T00:00:00.000Z' },
  LEASE_LOST: { sessionId: 'the-session' },
  MODEL_FAILED: { model: 'the-model', reason: 'the-reason', status: 4711, attempts: 1234 },
  STEP_LIMIT: { sessionId: 'the-session', limit: 4711 },
  FORK_REFUSED: { sessionId: 'the-session', openCalls: ['call-a', 'call-b'] },
  MEMORY_NOT_FOUND: { id: 'the-id' },
  MEMORY_ID_REUSED: { id: 'the-id' },
  WATERMARK_MOVED: { sessionId: 'the-session', expected: 4711, actual: 1234 },
  NOT_SUPPORTED: { capability: 'the-capability', instead: 'Do the-other.' },
  MISSING_PACKAGE: { package: 'the-package', install: 'npm install the-package' },
  FILE_NOT_FOUND: { file: 'the-file' },
  FILE_EXISTS: { file: 'the-file' },
  NOT_A_STORE: { file: 'the-file', reason: 'the-reason' },
  SCHEMA_NEWER: { file: 'the-file', found: 4711, supported: 1234 },
  STORE_BUSY: { file: 'the-file', waitedMs: 4711 },
  STORE_FULL: { file: 'the-file' },
  STORE_CORRUPT: { file: 'the-file', reason: 'the-reason' },
  STORE_FAILED: { file: 'the-file', reason: 'the-reason' },
  INVALID_IMPORT: { file: 'the-file', line: 4711, field: 'the-field', reason: 'the-reason' },
  IMPORT_DIVERGED: { sessionId: 'the-session', seq: 4711, reason: 'the-reason' },
  CLOSED: { what: 'the-thing' },
  ABORTED: { what: 'the-thing' },
};
const codes = Object.keys(errorTable) as ErrorCode[];

describe('the error table', () => {
  it.each(codes)('%s has a message that carries its details and ends with a period', (code) => {
    const { message } = new PalimpsestError(code, samples[code]);
    for (const value of Object.values(samples[code]).flat()) expect(message).toContain(String(value));
    expect(message).toMatch(/^\S.*[^.]\.$/);
    expect(message).not.toMatch(/undefined|null|\[object|\s\s/);
  });

  it.each(codes)('%s has a status that fits its kind', (code) => {
    const { status, retryable } = errorTable[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    // What the caller must change first is never to be simply tried again.
    if (status === 400 || status === 404) expect(retryable).toBe(false);
  });

  it('leaves the line out of an import error that has none', () => {
    const { message } = new PalimpsestError('INVALID_IMPORT', { file: 'a.json', field: 'x', reason: 'is bad' });
    expect(message).toMatch(/^a\.json: x is bad\./);
  });

  it('says what a failed model call knows, and no more', () => {
    const failed = (details: Partial<ErrorDetails['MODEL_FAILED']>) =>
      new PalimpsestError('MODEL_FAILED', { model: '模型', reason: 'the stream was cut', attempts: 1, ...details })
        .message;
    expect(failed({})).toBe('Model "模型" failed after 1 attempt: the stream was cut.');
    expect(failed({ attempts: 3, status: 429 })).toContain('after 3 attempts (HTTP 429)');
  });

  it('quotes ids, so that odd ones are readable', () => {
    const { message } = new PalimpsestError('SESSION_NOT_FOUND', { sessionId: 'a "b" 会话' });
    expect(message).toContain('"a \\"b\\" 会话"');
  });
});
