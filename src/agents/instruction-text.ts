import type { JsonValue } from '../events/index.ts';

/** A doubled brace, or a name in single ones that could be a key of state. */
const pattern = /\{\{|\}\}|\{([A-Za-z_][\w.-]*(?::[\w.-]+)?)(\?)?\}/g;

/**
 * Fills in the values of state: `{key}`, `{user:key}`; `{key?}` is empty where state has no such key. `{{` and `}}` are
 * braces. Whatever else stands in braces, and a key that state does not have, stays as it is.
 */
export function fillInstruction(template: string, stateAt: (key: string) => JsonValue | undefined): string {
  return template.replace(pattern, (match, key: string | undefined, optional: string | undefined) => {
    if (match === '{{') return '{';
    if (match === '}}') return '}';
    const value = key === undefined ? undefined : stateAt(key);
    if (value === undefined) return optional === undefined ? match : '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}
