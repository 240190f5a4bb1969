import { PalimpsestError } from '../errors/index.ts';
import { parseSessionKey } from '../events/index.ts';
import { decodeCursor } from '../internal/index.ts';
import type { Lease } from './session-service.ts';

/** An object that a call needs; callers without types may hand over anything. Throws INVALID_ARGUMENT. */
export function requireObject<T extends object>(value: T, argument: string): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: 'must be an object' });
}

/** Options that may be left out. Throws INVALID_ARGUMENT for anything but an object. */
export function parseOptions<T extends object>(options: T | undefined): Partial<T> {
  return options === undefined ? {} : requireObject(options, 'options');
}

/** A lease that came back from a caller. Throws INVALID_ARGUMENT or INVALID_ID. */
export function parseLease(lease: Lease): Lease {
  return { ...requireObject(lease, 'lease'), key: parseSessionKey(lease.key) };
}

/** The place in a list of sessions where a page ended. Throws INVALID_ARGUMENT. */
export function parseListCursor(cursor: string): readonly [active: number, no: number] {
  const [active, no] = decodeCursor(cursor) ?? [];
  if (typeof active === 'number' && typeof no === 'number') return [active, no];
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'cursor', reason: 'is not one that this list returned' });
}
