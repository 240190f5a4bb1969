import type { JsonValue } from '../../events/index.ts';

/**
 * The values that a JSON Schema literal lets through, as far as its plain keywords say: type, properties, required, items,
 * enum, const. Where it says more than that, any JSON value.
 */
export type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: infer Type }
      ? ValueOfType<Type, Schema>
      : JsonValue;

type ValueOfType<Type, Schema> = string extends Type
  ? JsonValue
  : Type extends keyof PlainValues
    ? PlainValues[Type]
    : Type extends 'array'
      ? ItemsOf<Schema>
      : Type extends 'object'
        ? MembersOf<Schema>
        : Type extends readonly (infer One)[]
          ? OneOf<One, Schema>
          : JsonValue;

// Once for each type of a list of types.
type OneOf<Type, Schema> = Type extends unknown ? ValueOfType<Type, Schema> : never;

interface PlainValues {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

type ItemsOf<Schema> = Schema extends { readonly items: infer Items }
  ? readonly (Items extends readonly unknown[] ? JsonValue : JsonSchemaValue<Items>)[]
  : readonly JsonValue[];

type MembersOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? string extends keyof Properties
    ? Record<string, JsonValue>
    : Flat<
        { readonly [Key in keyof Properties & RequiredOf<Schema>]: JsonSchemaValue<Properties[Key]> } & {
          readonly [Key in Exclude<keyof Properties, RequiredOf<Schema>>]?: JsonSchemaValue<Properties[Key]>;
        }
      >
  : Record<string, JsonValue>;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

type Flat<Members> = { [Key in keyof Members]: Members[Key] };
