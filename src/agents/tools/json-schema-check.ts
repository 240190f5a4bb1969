import { isPlainObject } from '../../events/index.ts';
import type { StandardSchema } from '../../models/index.ts';
import type { JsonSchema } from './json-schema-of.ts';

const checks = new WeakMap<JsonSchema, Promise<StandardSchema>>();

/**
 * A check by JSON Schema, made by zod, which is loaded at the first need. Properties that use keywords which zod cannot
 * check (`if`, `not`, `dependentRequired` and the like) take any value, and so does a schema with such keywords at its
 * top, but for its properties: a schema is never refused here, where nobody could mend it.
 */
export function jsonSchemaCheck(schema: JsonSchema): Promise<StandardSchema> {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const made = makeCheck(schema);
  checks.set(schema, made);
  return made;
}

type Convert = (schema: JsonSchema) => StandardSchema;

async function makeCheck(schema: JsonSchema): Promise<StandardSchema> {
  const { z } = await import('zod');
  // The keyword for parts that are referred to tells the version where the schema does not.
  const defaultTarget = 'definitions' in schema && !('$defs' in schema) ? 'draft-7' : 'draft-2020-12';
  // zod checks the shape as it converts. A registry of its own keeps notes about the schema out of the global one.
  const convert: Convert = (part) => z.fromJSONSchema({ ...part }, { registry: z.registry<object>(), defaultTarget });
  return converted(convert, schema) ?? convert(withoutUnchecked(convert, schema));
}

function converted(convert: Convert, schema: JsonSchema): StandardSchema | undefined {
  try {
    return convert(schema);
  } catch {
    return undefined;
  }
}

/** The schema of an object of those properties that can be checked. */
function withoutUnchecked(convert: Convert, schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object' || !isPlainObject(schema.properties)) return { ...pick(schema, ['type']) };
  const parts = pick(schema, ['$schema', '$defs', 'definitions']);
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    const isChecked = isPlainObject(property) && converted(convert, { ...parts, ...property }) !== undefined;
    return [name, isChecked ? property : true];
  });
  return { ...parts, ...pick(schema, ['required']), type: 'object', properties: Object.fromEntries(properties) };
}

function pick(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(keywords.flatMap((keyword) => (keyword in schema ? [[keyword, schema[keyword]]] : [])));
}
