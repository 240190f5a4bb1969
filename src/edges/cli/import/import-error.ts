import type { z } from 'zod';
import { PalimpsestError } from '../../../errors/index.ts';

/** Where in a foreign file something stands. */
export interface ImportPlace {
  readonly file: string;
  readonly line?: number;
  /** Path of the field inside the record or document. */
  readonly field: string;
}

/** The error for a foreign record that cannot be understood: names file, line, field and reason. */
export function importError(place: ImportPlace, reason: string, cause?: unknown): PalimpsestError<'INVALID_IMPORT'> {
  return new PalimpsestError('INVALID_IMPORT', { ...place, reason }, cause === undefined ? {} : { cause });
}

/** The value as the schema understands it. Throws INVALID_IMPORT naming the first field that is not as it must be. */
export function parseForeign<T>(schema: z.ZodType<T>, value: unknown, place: ImportPlace): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = joinPath(place.field, issue?.path ?? []);
  throw importError({ ...place, field }, issue === undefined ? 'is not as it must be' : reasonOf(issue, value));
}

/** A path such as `[2].messages[0].role` appended to a base. */
export function joinPath(base: string, path: readonly PropertyKey[]): string {
  let joined = base;
  for (const step of path) {
    if (typeof step === 'number') joined += `[${step}]`;
    else joined += joined === '' ? String(step) : `.${String(step)}`;
  }
  return joined;
}

function reasonOf(issue: z.core.$ZodIssue, root: unknown): string {
  if (valueAt(root, issue.path) === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_union':
      return 'has none of the forms that are known';
    default:
      return `is refused: ${issue.message}`;
  }
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}
