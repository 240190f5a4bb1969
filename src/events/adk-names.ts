import { isPlainObject } from './json.ts';

/** How ADK spells its field names: `snake` in its databases, `camel` over HTTP. */
export type AdkCasing = 'snake' | 'camel';

/** Which ADK wrote it: `python` counts time in seconds, `js` in milliseconds. */
export type AdkDialect = 'python' | 'js';

/** An object whose keys are still unchecked. */
export type Fields = { [name: string]: unknown };

/** An empty object without a prototype, so that any key can be set in it. */
export function bareFields(): Fields {
  return Object.create(null);
}

/** A field name, given in camel case, as a casing spells it. */
export function spell(camel: string, casing: AdkCasing): string {
  return casing === 'camel' ? camel : toSnake(camel);
}

/** The same fields under the names of a casing; `undefined` ones are left out. */
export function spellFields(fields: Readonly<Fields>, casing: AdkCasing): Fields {
  const spelt = bareFields();
  for (const camel of Object.keys(fields)) if (fields[camel] !== undefined) spelt[spell(camel, casing)] = fields[camel];
  return spelt;
}

/** A name in the other casing, or unchanged if the way back would not give it again. */
export function respell(name: string, casing: AdkCasing): string {
  const other = casing === 'camel' ? toCamel(name) : toSnake(name);
  const back = casing === 'camel' ? toSnake(other) : toCamel(other);
  return back === name ? other : name;
}

/** A known field name in camel case, whichever casing it came in. */
export function toCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The casing of an object, from the first of its keys that shows one. */
export function casingOf(object: Readonly<Fields>, known: ReadonlySet<string>, otherwise: AdkCasing): AdkCasing {
  for (const key of Object.keys(object)) {
    const camel = toCamel(key);
    if (known.has(camel) && toSnake(camel) !== camel) return key === camel ? 'camel' : 'snake';
  }
  return otherwise;
}

/** Below these, keys are the user's and are never respelt. */
const userKeys = new Set([
  'stateDelta',
  'artifactDelta',
  'requestedAuthConfigs',
  'requestedToolConfirmations',
  'agentState',
  'customMetadata',
  'args',
  'response',
  'output',
  'payload',
]);

/** Fields of ADK and Gemini that Palimpsest does not read, but whose keys are known to be theirs all the way down. */
const structured = new Set([
  'groundingMetadata',
  'citationMetadata',
  'usageMetadata',
  'cacheMetadata',
  'logprobsResult',
  'liveSessionResumptionUpdate',
  'goAway',
  'inputTranscription',
  'outputTranscription',
  'videoMetadata',
  'partialArgs',
  'nodeInfo',
  'compaction',
]);

/** True if the keys inside a field are the user's own. */
export function hasUserKeys(name: string): boolean {
  return userKeys.has(toCamel(name));
}

/** The value of a field in another casing: respelt all the way down where its keys are known, else unchanged. */
export function respellValue(name: string, value: unknown, casing: AdkCasing): unknown {
  return structured.has(toCamel(name)) ? respellDeep(value, casing) : value;
}

/** A value with all field names in a casing, except the user's keys and names that would collide. */
export function respellDeep(value: unknown, casing: AdkCasing): unknown {
  if (Array.isArray(value)) return value.map((item) => respellDeep(item, casing));
  if (!isPlainObject(value)) return value;
  const copy = bareFields();
  for (const key of Object.keys(value)) {
    const other = respell(key, casing);
    const name = other in copy || (other !== key && Object.hasOwn(value, other)) ? key : other;
    copy[name] = hasUserKeys(key) ? value[key] : respellDeep(value[key], casing);
  }
  return copy;
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
