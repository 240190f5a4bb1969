import { PalimpsestError } from '../errors/index.ts';

/** Any value that JSON can write and read back unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A frozen map of JSON values without a prototype, so that a key such as `__proto__` is a key like any other. */
export type JsonMap = { readonly [key: string]: JsonValue };

/** What copying found out on the way: how many lone surrogates were replaced, and about how much text there is. */
export interface CopyReport {
  replacedSurrogates: number;
  /** UTF-16 code units of all strings and keys seen so far, plus a constant for every value: an estimate of size. */
  size: number;
  /** Characters of base64, which may move out of the event before its size is judged. */
  encoded?: number;
}

/** The most JSON one event may take, in bytes. */
export const maxEventBytes = 8 * 1024 * 1024;

/** Every value counts at most this many times the bytes that its JSON takes. */
const sizePerByte = 8;

const maxDepth = 256;

/**
 * A deep-frozen copy of a JSON value. Members that are `undefined` are left out, -0 becomes 0, lone surrogates become
 * U+FFFD. Throws NOT_JSON with the path of the first value that JSON cannot hold.
 */
export function copyJson(value: unknown, path: string, report: CopyReport, depth = 0): JsonValue {
  addSize(report, 8, path);
  switch (typeof value) {
    case 'string':
      return copyText(value, report, path);
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw notJson(path, `is ${value}`);
      return value === 0 ? 0 : value;
    case 'object':
      break;
    default:
      throw notJson(path, `is ${describe(value)}`);
  }
  if (value === null) return null;
  if (depth === maxDepth) throw notJson(path, `is nested more than ${maxDepth} levels deep, or contains itself`);
  if (Array.isArray(value)) return copyArray(value, path, report, depth);
  return copyJsonMap(value, path, report, depth);
}

/** The same for a plain object, which becomes a map without a prototype. */
export function copyJsonMap(value: unknown, path: string, report: CopyReport, depth = 0): JsonMap {
  if (!isPlainObject(value)) throw notJson(path, `is ${describe(value)}`);
  const copy: { [key: string]: JsonValue } = Object.create(null);
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    copy[copyText(key, report, path)] = copyJson(member, `${path}.${key}`, report, depth + 1);
  }
  return Object.freeze(copy);
}

/** A text as it is stored: lone surrogates become U+FFFD and are counted. */
export function copyText(text: string, report: CopyReport, path: string): string {
  addSize(report, text.length, path);
  if (text.isWellFormed()) return text;
  report.replacedSurrogates += text.match(/\p{Surrogate}/gu)?.length ?? 0;
  return text.toWellFormed();
}

/** Counts what a value adds. Throws EVENT_TOO_LARGE as soon as the whole is over the limit however it is written. */
export function addSize(report: CopyReport, size: number, path: string): void {
  report.size += size;
  if (report.size <= maxEventBytes * sizePerByte) return;
  throw new PalimpsestError('EVENT_TOO_LARGE', {
    field: path,
    bytes: Math.ceil(report.size / sizePerByte),
    limit: maxEventBytes,
  });
}

/** Freezes a value just parsed from JSON in place; every object in it loses its prototype. */
export function freezeParsed(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) freezeParsed(item);
  } else {
    for (const key of Object.keys(value)) freezeParsed(Reflect.get(value, key));
    Object.setPrototypeOf(value, null);
  }
  Object.freeze(value);
}

/** True for an object written with braces, or one without a prototype; false for arrays, dates, maps and instances. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || isForeignObjectPrototype(prototype);
}

/** Object.prototype of another realm (a worker, a test runner's context). */
function isForeignObjectPrototype(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty') &&
    Object.hasOwn(prototype, 'isPrototypeOf')
  );
}

function copyArray(value: readonly unknown[], path: string, report: CopyReport, depth: number): JsonValue {
  const copy: JsonValue[] = [];
  for (let index = 0; index < value.length; index++) {
    copy.push(copyJson(value[index], `${path}[${index}]`, report, depth + 1));
  }
  return Object.freeze(copy);
}

function notJson(path: string, reason: string): PalimpsestError {
  return new PalimpsestError('NOT_JSON', { path, reason });
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return `an instance of ${value.constructor?.name || 'an unnamed class'}`;
}
