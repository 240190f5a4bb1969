import { PalimpsestError } from '../errors/index.ts';

/** Names one session. */
export interface SessionKey {
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** Whose data is meant: of one user, perhaps within a project or session, or what an app shares among its users. */
export type Scope =
  | { readonly appName: string; readonly userId: string; readonly projectId?: string; readonly sessionId?: string }
  | { readonly appName: string; readonly shared: true };

const longestId = 256;
const ordinary = /^[\x21-\x7e]{1,256}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is the pattern that finds them
const control = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Checks an id that comes from outside and returns it, byte for byte. Throws INVALID_ID naming field and reason for:
 * anything but a string, empty, control characters, lone surrogates, white space at an end, not NFC, over 256 code points.
 */
export function parseId(value: unknown, field: string): string {
  if (typeof value === 'string' && ordinary.test(value)) return value;
  const reason = whyNotAnId(value);
  if (reason === undefined && typeof value === 'string') return value;
  throw new PalimpsestError('INVALID_ID', { field, reason: reason ?? 'must be a string' });
}

/** Checks the three ids of a session key and returns a frozen copy without other properties. */
export function parseSessionKey(key: SessionKey): SessionKey {
  return Object.freeze({
    appName: parseId(key?.appName, 'appName'),
    userId: parseId(key?.userId, 'userId'),
    sessionId: parseId(key?.sessionId, 'sessionId'),
  });
}

/** Checks the ids of a scope and returns a frozen copy without other properties. A missing scope is an error. */
export function parseScope(scope: Scope): Scope {
  const appName = parseId(scope?.appName, 'scope.appName');
  if ('shared' in scope) {
    if (scope.shared !== true)
      throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'scope.shared', reason: 'must be true' });
    return Object.freeze({ appName, shared: true });
  }
  return Object.freeze({
    appName,
    userId: parseId(scope.userId, 'scope.userId'),
    ...(scope.projectId === undefined ? {} : { projectId: parseId(scope.projectId, 'scope.projectId') }),
    ...(scope.sessionId === undefined ? {} : { sessionId: parseId(scope.sessionId, 'scope.sessionId') }),
  });
}

function whyNotAnId(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value === '') return 'is empty';
  if (!value.isWellFormed()) return 'contains a lone surrogate';
  if (control.test(value)) return 'contains a control character';
  if (value.trim() !== value) return 'has white space at an end';
  if (value.normalize('NFC') !== value) return 'is not in Unicode form NFC';
  if (value.length > longestId && [...value].length > longestId) return `is longer than ${longestId} code points`;
  return undefined;
}
