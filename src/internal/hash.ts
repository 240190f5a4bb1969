import { createHash } from 'node:crypto';

/** SHA-256 of a text (as UTF-8) or of bytes, as 64 lower-case hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
