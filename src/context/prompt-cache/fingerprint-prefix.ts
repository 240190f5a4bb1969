import type { Content, JsonMap } from '../../events/index.ts';
import { canonicalJson, LineHash } from '../../internal/index.ts';
import type { PrefixPlan } from './plan-prefix.ts';

/** Where a prefix is cached: a prefix of another model or another backend is another one. */
export interface PrefixScope {
  readonly model: string;
  readonly backend?: {
    readonly vendor?: string;
    readonly project?: string;
    readonly location?: string;
    readonly baseUrl?: string;
  };
  /** Whatever else the provider caches with it, such as the tool choice. */
  readonly config?: JsonMap;
}

/** Names a prefix: two of the same hash and length are the same, byte for byte. */
export interface PrefixFingerprint {
  /** SHA-256, as 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** How many contents the prefix has. */
  readonly contents: number;
}

/** A prefix, where it is cached, and how its contents are told apart. */
export interface ScopedPrefix {
  readonly plan: PrefixPlan;
  readonly scope: PrefixScope;
  /** A line that stands for a content, such as a hash that is known already. Default: its canonical JSON. */
  readonly lineOf?: (content: Content) => string;
}

/**
 * The fingerprint of a prefix: SHA-256 over lines of canonical JSON, one for model and backend, one for the instruction,
 * one for the tools by name, and one for each content.
 */
export function fingerprintPrefix(plan: PrefixPlan, scope: PrefixScope, lineOf = lineOfContent): PrefixFingerprint {
  return fingerprintOf({ plan, scope, lineOf }, plan.contents.length);
}

/** True if a prefix begins with an older one, or is the same. */
export function isExtensionOf(prefix: ScopedPrefix, older: PrefixFingerprint): boolean {
  return fingerprintOf(prefix, older.contents).hash === older.hash;
}

function fingerprintOf({ plan, scope, lineOf = lineOfContent }: ScopedPrefix, contents: number): PrefixFingerprint {
  const { model, backend = {}, config = {} } = scope;
  const head = [{ model, backend, config }, plan.instruction, plan.tools];
  const hash = new LineHash(head.map((value) => canonicalJson(value)));
  for (const content of plan.contents.slice(0, contents)) hash.add(lineOf(content));
  return Object.freeze({ hash: hash.digest(), contents });
}

function lineOfContent(content: Content): string {
  return canonicalJson(content);
}
