import { PalimpsestError } from '../../errors/index.ts';

/** The value, if it is a whole number from 1 on. Throws INVALID_ARGUMENT, which names the field. */
export function checkCount(argument: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: 'must be a whole number, 1 or more' });
}
