import { isPalimpsestError, PalimpsestError } from '../../errors/index.ts';
import { copyJsonMap, isPlainObject, type JsonMap } from '../../events/index.ts';
import type { StandardSchema } from '../../models/index.ts';
import { failureText } from './failure-text.ts';
import { isStandardSchema } from './is-standard-schema.ts';

/** JSON Schema as it is written down. A literal is best: the types of what it describes are read from it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The JSON Schema of what a schema takes, deep-frozen, as a model is told it. Throws INVALID_ARGUMENT if the schema's
 * library writes none, or if it is not the schema of an object, which all providers ask for; `argument` is what the error
 * names.
 */
export function jsonSchemaOf(schema: StandardSchema | JsonSchema, argument = 'parameters'): JsonMap {
  const { $schema: _, ...written } = isStandardSchema(schema) ? writtenBy(schema, argument) : copied(schema, argument);
  if (written.type !== 'object') {
    throw refused(argument, "must be the schema of an object; its JSON Schema needs type: 'object' at the top");
  }
  return copied(written, argument);
}

function writtenBy(schema: StandardSchema, argument: string): JsonMap {
  const { jsonSchema, vendor } = schema['~standard'];
  const instead = 'give JSON Schema itself, or for the parameters of a tool { schema, jsonSchema }';
  if (jsonSchema === undefined)
    throw refused(argument, `is a schema of ${vendor}, which writes no JSON Schema; ${instead}`);
  try {
    return copied(jsonSchema.input({ target: 'draft-07' }), argument);
  } catch (error) {
    if (isPalimpsestError(error)) throw error;
    throw refused(argument, `cannot be written as JSON Schema (${failureText(error) ?? vendor}); ${instead}`, error);
  }
}

function copied(schema: unknown, argument: string): JsonMap {
  if (!isPlainObject(schema)) throw refused(argument, 'must be a Standard Schema or a JSON Schema object');
  try {
    return copyJsonMap(schema, argument, { replacedSurrogates: 0, size: 0 });
  } catch (error) {
    if (!isPalimpsestError(error, 'NOT_JSON')) throw error;
    throw refused(error.details.path, `${error.details.reason}, which is not JSON`, error);
  }
}

function refused(argument: string, reason: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason }, cause === undefined ? undefined : { cause });
}
