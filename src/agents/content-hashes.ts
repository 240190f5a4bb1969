import type { Content, Part } from '../events/index.ts';
import { canonicalJson, sha256 } from '../internal/index.ts';

const ofParts = new WeakMap<Part, string>();
const ofContents = new WeakMap<Content, string>();

/**
 * SHA-256 of a content: of its role and the hashes of its parts, one a line. Frozen ones, as all that stand in a log,
 * are hashed once.
 */
export function contentHash(content: Content): string {
  return (
    ofContents.get(content) ?? remember(ofContents, content, hashLines([content.role, ...content.parts.map(partHash)]))
  );
}

/** SHA-256 of the canonical JSON of a value. */
export function jsonHash(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** SHA-256 of a list of hashes or names, one a line. */
export function hashLines(lines: readonly string[]): string {
  return sha256(lines.join('\n'));
}

/** SHA-256 of the canonical JSON of a part. */
export function partHash(part: Part): string {
  return ofParts.get(part) ?? remember(ofParts, part, jsonHash(part));
}

function remember<Key extends Content | Part>(known: WeakMap<Key, string>, key: Key, hash: string): string {
  if (Object.isFrozen(key) && (!('parts' in key) || Object.isFrozen(key.parts))) known.set(key, hash);
  return hash;
}
