import type { JsonValue } from '../events/index.ts';

/** A name that could be a key of state, in any script, in single braces or in doubled ones. */
const pattern = /\{\{([\p{L}_][\p{L}\p{N}_.:-]*\??)\}\}|\{([\p{L}_][\p{L}\p{N}_.:-]*)(\?)?\}/gu;

/**
 * Fills in the values of state: `{key}`, `{user:key}`, `{单位}`; `{key?}` is empty where state has no such key, and
 * `{{key}}` stands for `{key}` itself. Whatever else stands in braces, JSON and code too, and a key that state does not
 * have, stays as it is.
 */
export function fillInstruction(template: string, stateAt: (key: string) => JsonValue | undefined): string {
  return template.replace(
    pattern,
    (match, escaped: string | undefined, key: string | undefined, optional: string | undefined) => {
      if (escaped !== undefined) return `{${escaped}}`;
      const value = key === undefined ? undefined : stateAt(key);
      if (value === undefined) return optional === undefined ? match : '';
      return typeof value === 'string' ? value : JSON.stringify(value);
    },
  );
}
