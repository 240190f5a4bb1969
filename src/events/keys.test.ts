import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PalimpsestError } from '../errors/index.ts';
import { parseId, parseScope, parseSessionKey } from './keys.ts';

function refusal(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    return error instanceof PalimpsestError ? [error.code, error.details] : error;
  }
  return 'accepted';
}

describe('parseId', () => {
  it.each([
    ['a'],
    ['__proto__'],
    ['constructor'],
    ['user/1:*'],
    ['with inner spaces'],
    ['全角\u3000空格'],
    ['用户一'],
    ['🙂'],
    ['👩‍👩‍👧'],
    ["'; DROP TABLE events; --"],
    ['x'.repeat(256)],
    ['🙂'.repeat(256)],
    ['é'.normalize('NFC')],
  ])('keeps %j as it is', (id) => {
    expect(parseId(id, 'userId')).toBe(id);
  });

  it.each([
    [undefined, /string/],
    [null, /string/],
    [7, /string/],
    [['a'], /string/],
    ['', /empty/],
    ['a\u0000b', /control/],
    ['a\nb', /control/],
    ['a\u007fb', /control/],
    ['a\u0085b', /control/],
    ['\ud800', /surrogate/],
    ['a\udc00b', /surrogate/],
    [' a', /white space/],
    ['a ', /white space/],
    ['a\u3000', /white space/],
    ['\u3000a', /white space/],
    ['a\u00a0', /white space/],
    ['\ufeffa', /white space/],
    ['é'.normalize('NFD'), /NFC/],
    ['\u212b', /NFC/],
    ['x'.repeat(257), /256/],
    ['🙂'.repeat(257), /256/],
    ['字'.repeat(300), /256/],
  ])('refuses %j', (id, reason) => {
    expect(refusal(() => parseId(id, 'projectId'))).toEqual([
      'INVALID_ID',
      { field: 'projectId', reason: expect.stringMatching(reason) },
    ]);
  });

  it('accepts exactly what the rule says, and never changes it', () => {
    const oddities = fc.constantFrom(
      ' ',
      '\u3000',
      '\u0000',
      '\u0301',
      'é',
      '\u009f',
      '/',
      ':',
      '*',
      '🙂',
      '\ud83d',
      '字',
    );
    const id = fc.array(fc.oneof(oddities, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 8 });
    fc.assert(
      fc.property(id, (pieces) => {
        const text = pieces.join('');
        const points = [...text];
        const legal =
          points.length >= 1 &&
          points.length <= 256 &&
          points.every((point) => !/[\p{Cc}\p{Cs}]/u.test(point)) &&
          !/^[\s]|[\s]$/u.test(text) &&
          text === text.normalize('NFC');
        expect(refusal(() => parseId(text, 'id')) === 'accepted').toBe(legal);
        if (legal) expect(parseId(text, 'id')).toBe(text);
      }),
    );
  });
});

describe('parseSessionKey and parseScope', () => {
  const key = { appName: 'app', userId: 'u', sessionId: 's' };

  it('return frozen copies with nothing else in them', () => {
    const copy = parseSessionKey({ ...key, more: 1 } as typeof key);
    expect(copy).toEqual(key);
    expect(copy).not.toBe(key);
    expect(Object.isFrozen(copy)).toBe(true);
    const scope = parseScope({ appName: 'app', userId: 'u', projectId: 'p', more: 1 } as {
      appName: string;
      userId: string;
    });
    expect(scope).toEqual({ appName: 'app', userId: 'u', projectId: 'p' });
    expect(Object.isFrozen(scope)).toBe(true);
    expect(parseScope({ appName: 'app', shared: true })).toEqual({ appName: 'app', shared: true });
  });

  it.each<[string, string, unknown]>([
    ['INVALID_ID', 'appName', { ...key, appName: '' }],
    ['INVALID_ID', 'userId', { ...key, userId: undefined }],
    ['INVALID_ID', 'sessionId', { appName: 'app', userId: 'u' }],
    ['INVALID_ID', 'appName', undefined],
  ])('name what is wrong in a key: %s %s', (code, field, given) => {
    expect(refusal(() => parseSessionKey(given as typeof key))).toMatchObject([code, { field }]);
  });

  it.each<[string, object, unknown]>([
    ['INVALID_ID', { field: 'scope.appName' }, undefined],
    ['INVALID_ID', { field: 'scope.userId' }, { appName: 'app' }],
    ['INVALID_ID', { field: 'scope.projectId' }, { appName: 'app', userId: 'u', projectId: '' }],
    ['INVALID_ID', { field: 'scope.sessionId' }, { appName: 'app', userId: 'u', sessionId: 1 }],
    ['INVALID_ARGUMENT', { argument: 'scope.shared' }, { appName: 'app', shared: false }],
  ])('never take a missing scope for all: %s %o', (code, details, given) => {
    expect(refusal(() => parseScope(given as { appName: string; shared: true }))).toMatchObject([code, details]);
  });
});
