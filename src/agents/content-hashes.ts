import type { Content, ModelRequest, Part } from '../events/index.ts';
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

/**
 * Hashes of the parts of a request's contents that are not placed for this invocation only, in order, with the role
 * before the first part of each side.
 */
export function stablePartHashes({ contents, transient, transientParts }: ModelRequest): readonly string[] {
  const left = new Set(transient);
  const hashes: string[] = [];
  let before: Content['role'] | undefined;
  for (const [index, { role, parts }] of contents.entries()) {
    if (left.has(index)) continue;
    const span = transientParts?.content === index ? transientParts : undefined;
    for (const [at, part] of parts.entries()) {
      if (span !== undefined && at >= span.from && at < span.to) continue;
      if (role !== before) hashes.push(role);
      before = role;
      hashes.push(partHash(part));
    }
  }
  return hashes;
}

function partHash(part: Part): string {
  return ofParts.get(part) ?? remember(ofParts, part, jsonHash(part));
}

function remember<Key extends Content | Part>(known: WeakMap<Key, string>, key: Key, hash: string): string {
  if (Object.isFrozen(key) && (!('parts' in key) || Object.isFrozen(key.parts))) known.set(key, hash);
  return hash;
}
