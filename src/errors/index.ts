/** One class, one table: every failure of the library. */
export { type ErrorCode, type ErrorDetails, type ErrorTraits, errorTable } from './error-table.ts';
export { isPalimpsestError, PalimpsestError } from './palimpsest-error.ts';
