/**
 * Postings in packed form. A posting says that a term occurs in a passage: 10 bits of place within its block, 8 bits of
 * how often (255 and more are one), 14 bits of the passage's length, in one unsigned 32-bit number. A block is the list
 * of postings of one term in 1,024 consecutive passages, in no particular order; a store keeps blocks as bytes, in the
 * byte order of little-endian machines, and needs to know nothing else.
 */
const blockBits = 10;

/** How many passages a block spans. */
export const blockSize = 1 << blockBits;

const mostTimes = 0xff;
const longestPassage = 0x3fff;

/** The block that a passage lies in. */
export function blockOf(passage: number): number {
  return Math.floor(passage / blockSize);
}

/** The place of a passage within its block. */
export function offsetOf(passage: number): number {
  return passage % blockSize;
}

/** Packs one posting. */
export function packPosting(offset: number, posting: { readonly times: number; readonly length: number }): number {
  const times = Math.min(posting.times, mostTimes);
  return ((offset << 22) | (times << 14) | Math.min(posting.length, longestPassage)) >>> 0;
}

/** The place within its block of a packed posting. */
export function packedOffset(packed: number): number {
  return packed >>> 22;
}

/** How often the term of a packed posting occurs in its passage. */
export function packedTimes(packed: number): number {
  return (packed >>> 14) & mostTimes;
}

/** The length of the passage of a packed posting. */
export function packedLength(packed: number): number {
  return packed & longestPassage;
}

/** A block without the postings of some passages. */
export function withoutOffsets(block: Uint32Array, offsets: readonly number[]): Uint32Array {
  const dropped = new Set(offsets);
  return block.filter((packed) => !dropped.has(packedOffset(packed)));
}

/** The bytes of a block, without copying. */
export function bytesOfBlock(block: Uint32Array): Uint8Array {
  return new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
}

/** The block in some bytes; copied only where the machine cannot read them in place. */
export function blockOfBytes(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >>> 2);
}
