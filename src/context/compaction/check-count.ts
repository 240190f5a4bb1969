import { PalimpsestError } from '../../errors/index.ts';

/** The value, if it is a whole number from `least` on, 1 unless that is given. Throws INVALID_ARGUMENT, which names the field. */
export function checkCount(argument: string, value: number, least: 0 | 1 = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new PalimpsestError('INVALID_ARGUMENT', { argument, reason: `must be a whole number, ${least} or more` });
}
