/** Readers that translate files of other systems into sessions; one file a format. */
export { detectFormat, readerOf, refuseOtherFormat } from './detect-format.ts';
export { importFailure } from './import-failure.ts';
export { openSource, type RefusedRecord } from './import-source.ts';
export type { ReadSession } from './read-session.ts';
