import { canonicalJson } from '../internal/index.ts';
import { type AdkCasing, bareFields, type Fields, hasUserKeys, respell, respellValue } from './adk-names.ts';
import { isPlainObject } from './json.ts';

/**
 * What an ADK object says that Palimpsest's own fields do not: `fields` to set, names that are `absent`, and the same
 * for objects `inner` to it. Added back to what the own fields express, it gives the object as it came.
 */
export interface Residue {
  readonly fields?: Readonly<Fields>;
  readonly inner?: { readonly [name: string]: Residue };
  readonly absent?: readonly string[];
}

/** What is left of an object when that which is expressed already is taken away; `undefined` if nothing is. */
export function residueOf(original: Readonly<Fields>, expressed: Readonly<Fields>): Residue | undefined {
  const fields = bareFields();
  const inner: { [name: string]: Residue } = Object.create(null);
  for (const name of Object.keys(original)) {
    const value = original[name];
    const other = Object.hasOwn(expressed, name) ? expressed[name] : undefined;
    if (value === undefined || value === other) continue;
    if (isPlainObject(value) && isPlainObject(other)) {
      const residue = residueOf(value, other);
      if (residue !== undefined) inner[name] = residue;
    } else if (other === undefined || canonicalJson(value) !== canonicalJson(other)) fields[name] = value;
  }
  const absent = Object.keys(expressed).filter((name) => !isSet(original, name) && isSet(expressed, name));
  const residue = {
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(Object.keys(inner).length > 0 ? { inner } : {}),
    ...(absent.length > 0 ? { absent } : {}),
  };
  return Object.keys(residue).length === 0 ? undefined : residue;
}

/**
 * Adds a residue to what is expressed. With `respellTo`, its field names are put into that casing. Total: whatever does
 * not have the shape of a residue, or speaks of an object that is no longer there, is passed over.
 */
export function addResidue(expressed: Readonly<Fields>, residue: unknown, respellTo?: AdkCasing): Fields {
  const whole: Fields = Object.assign(bareFields(), expressed);
  if (!isPlainObject(residue)) return whole;
  const { fields, inner, absent } = residue;
  const named = (name: string) => (respellTo === undefined ? name : respell(name, respellTo));
  if (Array.isArray(absent)) for (const name of absent) delete whole[named(String(name))];
  if (isPlainObject(fields)) {
    for (const name of Object.keys(fields)) {
      const free = !(named(name) in whole) || named(name) === name;
      whole[free ? named(name) : name] = respellTo ? respellValue(name, fields[name], respellTo) : fields[name];
    }
  }
  if (isPlainObject(inner)) {
    for (const name of Object.keys(inner)) {
      const target = whole[named(name)];
      if (!isPlainObject(target)) continue;
      whole[named(name)] = addResidue(target, inner[name], hasUserKeys(name) ? undefined : respellTo);
    }
  }
  return whole;
}

function isSet(object: Readonly<Fields>, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}
