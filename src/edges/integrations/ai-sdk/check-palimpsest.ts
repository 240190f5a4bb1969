import { PalimpsestError } from '../../../index.ts';

const methods = ['user', 'context', 'close'];

/** Throws INVALID_ARGUMENT for what is no open Palimpsest, as it comes of an await that was left out. */
export function checkPalimpsest(given: unknown): void {
  const fields = typeof given === 'object' && given !== null ? given : {};
  if (methods.every((name) => typeof Reflect.get(fields, name) === 'function')) return;
  const isPromise = typeof Reflect.get(fields, 'then') === 'function';
  throw new PalimpsestError('INVALID_ARGUMENT', {
    argument: 'palimpsest',
    reason: `must be an open Palimpsest${isPromise ? ', not a promise of one' : ''}: give what \`await openPalimpsest()\` gives`,
  });
}
