import type { JsonMap, JsonValue } from '../events/index.ts';
import type { SchemaInput, StandardSchema } from '../models/index.ts';
import type { StateMerge, StateMerges } from '../sessions/index.ts';

/** What is declared about one state key: its merge by name, or its merge and what its values must be. */
export type StateKey<Value = unknown> =
  | StateMerge
  | {
      readonly merge?: StateMerge;
      /**
       * What a value that is written must be; of a merged key, what is added. Checked before an event is stored, whatever
       * path it comes by. What the schema would make of the value is not used: a log keeps what was said.
       */
      readonly schema?: StandardSchema<Value, unknown>;
    };

/** What is declared about state, by full key, scope prefix included. */
export type StateKeys = Readonly<Record<string, StateKey>>;

/** Declarations for keys of a state whose type is known. */
export type StateKeysOf<State extends object> =
  NamesNoKey<State> extends true ? StateKeys : { readonly [Key in keyof State]?: StateKey<State[Key]> };

/** The state that declarations with schemas describe; a key with a merge alone may hold anything. */
export type DeclaredState<Keys extends StateKeys> = [Extract<Keys[keyof Keys], WithSchema>] extends [never]
  ? JsonMap
  : { -readonly [Key in keyof Keys]: Keys[Key] extends WithSchema ? SchemaInput<Keys[Key]['schema']> : JsonValue };

interface WithSchema {
  readonly schema: StandardSchema;
}

/** State as it is read: any key may be missing, and nothing can be changed. Untyped, it is a JsonMap. */
export type StoredState<State extends object> =
  NamesNoKey<State> extends true ? (string extends keyof State ? Readonly<State> : JsonMap) : Readonly<Partial<State>>;

/** State as it is given when a session is made. */
export type GivenState<State extends object> =
  NamesNoKey<State> extends true ? Readonly<Record<string, unknown>> : Readonly<Partial<State>>;

/** Whether a type of state leaves open which keys there are. */
type NamesNoKey<State extends object> = string extends keyof State
  ? true
  : [keyof State] extends [never]
    ? true
    : false;

/** The merges among declarations. */
export function mergesOf(keys: StateKeys): StateMerges {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([key, declared]): [string, StateMerge][] => {
      const merge = typeof declared === 'string' ? declared : declared.merge;
      return merge === undefined ? [] : [[key, merge]];
    }),
  );
}

/** The schemas among declarations. */
export function schemasOf(keys: StateKeys): ReadonlyMap<string, StandardSchema> {
  return new Map(
    Object.entries(keys).flatMap(([key, declared]): [string, StandardSchema][] =>
      typeof declared === 'string' || declared.schema === undefined ? [] : [[key, declared.schema]],
    ),
  );
}
