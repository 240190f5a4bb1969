import { PalimpsestError } from '../errors/index.ts';
import { isPlainObject } from '../events/index.ts';

const merges: readonly unknown[] = ['append', 'union', 'max'];

/** Checks what is declared about state keys. Throws INVALID_ARGUMENT naming `state.<key>` and the member of it. */
export function checkStateKeys(keys: Readonly<Record<string, unknown>>): void {
  for (const [key, declared] of Object.entries(keys)) {
    const argument = `state.${key}`;
    if (merges.includes(declared)) continue;
    if (!isPlainObject(declared)) throw bad(argument, 'must be append, union, max or { merge, schema }');
    for (const [name, value] of Object.entries(declared)) {
      const reason = value === undefined ? undefined : reasonAgainst(name, value);
      if (reason !== undefined) throw bad(`${argument}.${name}`, reason);
    }
  }
}

function reasonAgainst(name: string, value: unknown): string | undefined {
  if (name === 'merge') return merges.includes(value) ? undefined : 'must be append, union or max';
  if (name !== 'schema') return 'is no known option';
  return isStandardSchema(value) ? undefined : 'must be a Standard Schema, as Zod, Valibot and ArkType make them';
}

/** Some libraries make schemas that are functions. */
function isStandardSchema(value: unknown): boolean {
  if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return false;
  const standard: unknown = Reflect.get(value, '~standard');
  if (typeof standard !== 'object' || standard === null) return false;
  return Reflect.get(standard, 'version') === 1 && typeof Reflect.get(standard, 'validate') === 'function';
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
