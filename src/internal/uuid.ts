import { randomFillSync } from 'node:crypto';

const poolSize = 4096;
const pool = new Uint8Array(poolSize);
let used = poolSize;
let lastMillis = 0;
let sequence = 0;

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * A UUID v7 (RFC 9562) as 36 characters: 48 bits of time, a 12-bit counter, 62 random bits. Ids made by one process
 * sort in the order they were made, so they always land at the right edge of an index.
 */
export function uuidV7(millis: number): string {
  if (millis > lastMillis) {
    lastMillis = millis;
    sequence = (byteAt() << 3) | (byteAt() >> 5);
  } else if (++sequence > 0xfff) {
    lastMillis += 1;
    sequence = 0;
  }
  const high = Math.floor(lastMillis / 0x10000);
  const low = lastMillis % 0x10000;
  return `${h(high >>> 24)}${h(high >>> 16)}${h(high >>> 8)}${h(high)}-${h(low >>> 8)}${h(low)}-${h(0x70 | (sequence >> 8))}${h(
    sequence,
  )}-${h(0x80 | (byteAt() & 0x3f))}${h(byteAt())}-${h(byteAt())}${h(byteAt())}${h(byteAt())}${h(byteAt())}${h(byteAt())}${h(
    byteAt(),
  )}`;
}

/** A random UUID of version 4, for values that carry no order. */
export function uuidV4(): string {
  return crypto.randomUUID();
}

function h(value: number): string {
  return hex[value & 0xff] ?? '';
}

function byteAt(): number {
  if (used === poolSize) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] ?? 0;
}
