import { type Event, type JsonMap, type JsonValue, noActions, type SessionKey } from '../events/index.ts';
import { canonicalJson } from '../internal/index.ts';
import type { StateScope, StateValue, StateWrite } from './session-store.ts';

/**
 * How writes to a state key meet what stands there: `append` adds to a list, `union` adds what the list lacks, `max`
 * keeps the greater number. A value of another type is taken as a list of one, or replaces.
 */
export type StateMerge = 'append' | 'union' | 'max';

/** Declared merges by full key, scope prefix included; other keys are replaced. */
export type StateMerges = Readonly<Record<string, StateMerge>>;

const prefixes = { app: 'app:', user: 'user:' } as const;

/** A state key taken apart. */
export interface ScopedKey {
  readonly kind: StateScope['kind'];
  /** Without the prefix. */
  readonly name: string;
}

/** Takes a key such as `user:unit` apart. */
export function scopedKey(key: string): ScopedKey {
  if (key.startsWith(prefixes.app)) return { kind: 'app', name: key.slice(prefixes.app.length) };
  if (key.startsWith(prefixes.user)) return { kind: 'user', name: key.slice(prefixes.user.length) };
  return { kind: 'session', name: key };
}

/** The key as agents write it. */
export function fullKey({ kind, name }: ScopedKey): string {
  return kind === 'session' ? name : prefixes[kind] + name;
}

/** The scope of a session that a kind of key belongs to. */
export function scopeOf(kind: StateScope['kind'], key: SessionKey): StateScope {
  if (kind === 'session') return { kind, key };
  return kind === 'user' ? { kind, appName: key.appName, userId: key.userId } : { kind, appName: key.appName };
}

/** One change of state, in the order in which the events make it; `undefined` removes the key. */
export interface StateChange {
  readonly key: string;
  readonly value: JsonValue | undefined;
  readonly seq: number;
}

/** The changes that an event records. */
export function changesOf(event: Pick<Event, 'seq' | 'actions'>): StateChange[] {
  if (event.actions === noActions) return [];
  const { stateDelta = {}, stateRemoved = [] } = event.actions;
  const { seq } = event;
  return [
    ...Object.keys(stateDelta).map((key) => ({ key, value: stateDelta[key], seq })),
    ...stateRemoved.map((key) => ({ key, value: undefined, seq })),
  ];
}

/** The one reducer: what a key holds after a change. */
export function reduceValue(
  merge: StateMerge | undefined,
  values: { readonly before: JsonValue | undefined; readonly change: JsonValue | undefined },
): JsonValue | undefined {
  const { before, change } = values;
  if (merge === undefined || before === undefined || change === undefined) return change;
  if (merge === 'max')
    return typeof before === 'number' && typeof change === 'number' ? Math.max(before, change) : change;
  const list = listOf(before);
  const added = listOf(change);
  if (merge === 'append') return Object.freeze([...list, ...added]);
  const seen = new Set(list.map((item) => canonicalJson(item)));
  const fresh = added.filter((item) => {
    const name = canonicalJson(item);
    return !seen.has(name) && seen.add(name);
  });
  return Object.freeze([...list, ...fresh]);
}

/** Session state as a fold of changes; shared keys are passed over. */
export function foldSessionState(changes: Iterable<StateChange>, merges: StateMerges): Map<string, JsonValue> {
  const state = new Map<string, JsonValue>();
  for (const { key, value } of changes) {
    if (scopedKey(key).kind !== 'session') continue;
    const next = reduceValue(mergeFor(merges, key), { before: state.get(key), change: value });
    if (next === undefined) state.delete(key);
    else state.set(key, next);
  }
  return state;
}

/** What changes write, given the values that stand; a key changed twice is written once, with its last value. */
export function writesOf(options: {
  readonly changes: readonly StateChange[];
  readonly key: SessionKey;
  readonly incarnation: string;
  readonly merges: StateMerges;
  /** Current values of merged keys; others are not asked for. */
  readonly current: ReadonlyMap<string, StateValue>;
}): StateWrite[] {
  const writes = new Map<string, StateWrite>();
  for (const { key, value, seq } of options.changes) {
    const { kind, name } = scopedKey(key);
    const merge = mergeFor(options.merges, key);
    const standing = options.current.get(key);
    const before = writes.has(key) ? writes.get(key)?.value : standing?.value;
    writes.set(key, {
      scope: scopeOf(kind, options.key),
      key: name,
      value: reduceValue(merge, { before, change: value }),
      source: { incarnation: options.incarnation, seq },
      ...(merge && kind !== 'session' ? { expectedRevision: standing?.revision ?? 0 } : {}),
    });
  }
  return [...writes.values()];
}

/** The declared merge of a key, if any. */
export function mergeFor(merges: StateMerges, key: string): StateMerge | undefined {
  return Object.hasOwn(merges, key) ? merges[key] : undefined;
}

/**
 * The state an agent sees: all scopes in one frozen map, prefixes kept, keys sorted by code unit; JavaScript puts those
 * that are whole numbers first.
 */
export function mergeScopes(
  scopes: readonly { readonly kind: StateScope['kind']; readonly values: readonly StateValue[] }[],
): JsonMap {
  const found = new Map<string, JsonValue>();
  for (const { kind, values } of scopes) {
    for (const { key, value } of values) if (value !== undefined) found.set(fullKey({ kind, name: key }), value);
  }
  const state: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, value] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) state[key] = value;
  return Object.freeze(state);
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
