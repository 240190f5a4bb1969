import { PalimpsestError } from '../errors/index.ts';

/** What a value must be, in words, or `undefined` if it is that. */
export type Check = (value: unknown) => string | undefined;

/** Checks the fields of an option. Throws INVALID_ARGUMENT naming the first that is wrong, also one that is unknown. */
export function checkFields(
  path: string,
  value: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, Check>>,
): void {
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    const reason = check === undefined ? `is no known field; the fields are ${namesOf(known)}` : check(field);
    if (reason !== undefined) throw badOption(`${path}.${name}`, reason);
  }
}

/** One of these texts. */
export function oneOf(...values: readonly string[]): Check {
  return (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `must be one of ${values.join(', ')}`;
}

/** True for an object, of whatever kind, with a function of that name. */
export function isFunctionOf(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}

/** The names of fields, as a sentence lists them. */
export function namesOf(known: object): string {
  return Object.keys(known).join(', ');
}

/** The refusal of an option. */
export function badOption(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
