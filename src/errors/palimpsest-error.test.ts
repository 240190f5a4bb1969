import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { isPalimpsestError, PalimpsestError } from './palimpsest-error.ts';

const conflict = new PalimpsestError('APPEND_CONFLICT', { sessionId: 's', expected: 3, actual: 5 });

describe('PalimpsestError', () => {
  it('carries code, details, traits and cause', () => {
    const cause = new Error('below');
    const error = new PalimpsestError('STORE_FAILED', { file: 'a.db', reason: 'it broke' }, { cause });
    expect(error).toMatchObject({
      name: 'PalimpsestError',
      code: 'STORE_FAILED',
      retryable: false,
      status: 500,
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe('PalimpsestError: "a.db" failed: it broke.');
    expect(conflict).toMatchObject({ retryable: true, status: 409, details: { expected: 3, actual: 5 } });
    expect('cause' in conflict).toBe(false);
  });
});

describe('isPalimpsestError', () => {
  it('narrows to the details of a code', () => {
    const error: unknown = conflict;
    expect(isPalimpsestError(error)).toBe(true);
    expect(isPalimpsestError(error, 'SESSION_BUSY')).toBe(false);
    if (!isPalimpsestError(error, 'APPEND_CONFLICT')) return expect.unreachable();
    expectTypeOf(error.details.actual).toEqualTypeOf<number>();
    expect(error.details.actual).toBe(5);
  });

  it('knows errors of another copy of the package, which instanceof does not', async () => {
    vi.resetModules();
    const copy = await import('./palimpsest-error.ts');
    const foreign = new copy.PalimpsestError('CLOSED', { what: 'x' });
    expect(foreign).not.toBeInstanceOf(PalimpsestError);
    expect(isPalimpsestError(foreign, 'CLOSED')).toBe(true);
    expect(copy.isPalimpsestError(conflict, 'APPEND_CONFLICT')).toBe(true);
  });

  it.each([undefined, null, 'CLOSED', 5, {}, new Error('x'), { code: 'CLOSED', name: 'PalimpsestError' }])(
    'is false for %o',
    (value) => {
      expect(isPalimpsestError(value)).toBe(false);
      expect(isPalimpsestError(value, 'CLOSED')).toBe(false);
    },
  );
});
