/** Leaves without a domain: one small thing a file, nothing imported from the rest of the library. */
export { canonicalJson } from './canonical-json.ts';
export { type Clock, systemClock } from './clock.ts';
export { sha256 } from './hash.ts';
export { LineHash } from './line-hash.ts';
export { decodeCursor, encodeCursor } from './paging.ts';
export { uuidV4, uuidV7 } from './uuid.ts';
