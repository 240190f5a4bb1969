/** Readers that translate files of other systems into sessions; one file a format. */
export { detectFormat, type ImportFormat, importFormats, readerOf, refuseOtherFormat } from './detect-format.ts';
export { type ImportSource, openSource } from './import-source.ts';
export type { ReadSession } from './read-session.ts';
