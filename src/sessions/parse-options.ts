import { PalimpsestError } from '../errors/index.ts';
import { parseId, parseSessionKey, type SessionKey, type View } from '../events/index.ts';
import { decodeCursor } from '../internal/index.ts';
import { parseTexts, type ReadyText } from './request-texts.ts';
import type { AppendOptions, Lease, ListOptions } from './session-service.ts';

const latestInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** An object that a call needs; callers without types may hand over anything. Throws INVALID_ARGUMENT. */
export function requireObject<T extends object>(value: T, argument: string): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: 'must be an object' });
}

/** Options that may be left out. Throws INVALID_ARGUMENT for anything but an object. */
export function parseOptions<T extends object>(options: T | undefined): Partial<T> {
  return options === undefined ? {} : requireObject(options, 'options');
}

/** Options of an append, checked. */
export interface ReadyOptions extends Omit<AppendOptions, 'texts'> {
  readonly texts?: readonly ReadyText[];
}

/** Options of an append. Throws INVALID_ARGUMENT or INVALID_ID. */
export function parseAppendOptions(options: AppendOptions | undefined, key: SessionKey): ReadyOptions {
  const { expectedVersion, lease, importedFrom, texts } = parseOptions(options);
  return {
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
    ...(lease === undefined ? {} : { lease: parseLease(lease) }),
    ...(importedFrom === undefined ? {} : { importedFrom: parseId(importedFrom, 'importedFrom') }),
    ...(texts === undefined ? {} : { texts: parseTexts(texts, key) }),
  };
}

/** A lease that came back from a caller. Throws INVALID_ARGUMENT or INVALID_ID. */
export function parseLease(lease: Lease): Lease {
  const { key, incarnation, token } = requireObject(lease, 'lease');
  if (typeof incarnation !== 'string' || !Number.isSafeInteger(token)) {
    throw new PalimpsestError('INVALID_ARGUMENT', {
      argument: 'lease',
      reason: 'must be one that acquireLease returned',
    });
  }
  return { ...lease, key: parseSessionKey(requireObject(key, 'lease.key')) };
}

/** How a reader looks at a log, as far as reading it goes. Throws INVALID_ARGUMENT or INVALID_ID. */
export function parseView(view: View): View {
  const { branch, isolationScope } = requireObject(view, 'view');
  if (branch !== undefined) parseId(branch, 'view.branch');
  if (isolationScope !== undefined) parseId(isolationScope, 'view.isolationScope');
  return view;
}

/** The order of a list. Throws INVALID_ARGUMENT. */
export function parseOrder(order: ListOptions['order']): 'newestFirst' | 'oldestFirst' {
  if (order === undefined || order === 'newestFirst' || order === 'oldestFirst') return order ?? 'newestFirst';
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'order', reason: 'must be newestFirst or oldestFirst' });
}

/** A span of seconds from now that ends before the year 10000. Throws INVALID_ARGUMENT. */
export function parseSeconds(seconds: number, argument: string, now: number): number {
  if (typeof seconds === 'number' && seconds > 0 && now + seconds * 1000 <= latestInstant) return seconds;
  const reason = 'must be a positive number of seconds, and end before the year 10000';
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}

/** The place in a list of sessions where a page ended. Throws INVALID_ARGUMENT. */
export function parseListCursor(cursor: string): readonly [active: number, no: number] {
  const [active, no] = decodeCursor(cursor) ?? [];
  if (typeof active === 'number' && typeof no === 'number') return [active, no];
  throw new PalimpsestError('INVALID_ARGUMENT', { argument: 'cursor', reason: 'is not one that this list returned' });
}
