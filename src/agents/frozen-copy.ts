import { isPlainObject } from '../events/index.ts';

/**
 * A copy of a value of which nothing can be changed, so that no callback changes a request or an answer in place. What
 * is frozen all through, as all that comes from a log, is not copied; what is neither list nor plain object stays what it
 * is.
 */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) {
    const items = value.map(frozenCopy);
    return isKept(value, items) ? value : (Object.freeze(items) as T);
  }
  if (!isPlainObject(value)) return value;
  const names = Object.keys(value);
  const before = Object.values(value);
  const after = before.map(frozenCopy);
  if (isKept(before, after, value)) return value;
  return Object.freeze(Object.fromEntries(names.map((name, index) => [name, after[index]]))) as T;
}

function isKept(before: readonly unknown[], after: readonly unknown[], whole: object = before): boolean {
  return Object.isFrozen(whole) && before.every((member, index) => member === after[index]);
}
