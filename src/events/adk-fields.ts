import { isPalimpsestError } from '../errors/index.ts';
import { type AdkCasing, bareFields, type Fields, spell, toCamel } from './adk-names.ts';
import { isPlainObject } from './json.ts';
import { parseId } from './keys.ts';
import { invalid } from './read-content.ts';

/** An object of ADK that is being read: its fields, how they are spelt, and where it stands. */
export interface AdkObject {
  readonly fields: Readonly<Fields>;
  readonly casing: AdkCasing;
  readonly path: string;
}

/** The object at a path. Throws INVALID_EVENT if it is something else. */
export function adkObject(value: unknown, path: string, casing: AdkCasing): AdkObject {
  if (!isPlainObject(value)) throw invalid(path, 'must be an object');
  return { fields: value, casing, path };
}

/** A field by its camel-case name, in the object's casing or else the other one; null counts as absent. */
export function fieldAt(object: AdkObject, camel: string): { value: unknown; path: string } | undefined {
  const spelt = spell(camel, object.casing);
  const other = spell(camel, object.casing === 'camel' ? 'snake' : 'camel');
  for (const name of spelt === other ? [spelt] : [spelt, other]) {
    const value = Object.hasOwn(object.fields, name) ? object.fields[name] : undefined;
    if (value !== undefined && value !== null) return { value, path: `${object.path}.${name}` };
  }
  return undefined;
}

/** A text field. Throws INVALID_EVENT for any other type; so do its siblings below. */
export function textAt(object: AdkObject, camel: string): string | undefined {
  const field = fieldAt(object, camel);
  if (field === undefined || typeof field.value === 'string') return field?.value as string | undefined;
  throw invalid(field.path, 'must be a text');
}

/** A true or false field. */
export function booleanAt(object: AdkObject, camel: string): boolean | undefined {
  const field = fieldAt(object, camel);
  if (field === undefined || typeof field.value === 'boolean') return field?.value as boolean | undefined;
  throw invalid(field.path, 'must be true or false');
}

/** A finite number. */
export function numberAt(object: AdkObject, camel: string): number | undefined {
  const field = fieldAt(object, camel);
  if (field === undefined || Number.isFinite(field.value)) return field?.value as number | undefined;
  throw invalid(field.path, 'must be a number');
}

/** An object whose keys are the user's. */
export function mapAt(object: AdkObject, camel: string): Readonly<Fields> | undefined {
  const field = fieldAt(object, camel);
  if (field === undefined || isPlainObject(field.value)) return field?.value as Fields | undefined;
  throw invalid(field.path, 'must be an object');
}

/** An object of ADK's own inside another. */
export function objectAt(object: AdkObject, camel: string): AdkObject | undefined {
  const field = fieldAt(object, camel);
  return field && adkObject(field.value, field.path, object.casing);
}

/** An id by the rule for ids; the empty text that ADK writes for “none” counts as absent. */
export function idAt(object: AdkObject, camel: string): string | undefined {
  const id = textAt(object, camel);
  if (id === undefined || id === '') return undefined;
  try {
    return parseId(id, camel);
  } catch (error) {
    const reason = isPalimpsestError(error, 'INVALID_ID') ? error.details.reason : 'is no id';
    throw invalid(fieldAt(object, camel)?.path ?? object.path, reason);
  }
}

/** The object's fields without those that are null and known, which ADK treats as absent. */
export function withoutKnownNulls(fields: Readonly<Fields>, known: ReadonlySet<string>): Fields {
  const copy = bareFields();
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined && (value !== null || !known.has(toCamel(name)))) copy[name] = value;
  }
  return copy;
}

/** Those of the fields that are set. */
export function onlySet(fields: Readonly<Fields>): Fields {
  const copy = bareFields();
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) copy[name] = fields[name];
  return copy;
}
