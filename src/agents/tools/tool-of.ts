import { PalimpsestError } from '../../errors/index.ts';
import { isPlainObject, type JsonMap, type JsonValue, type ToolDeclaration } from '../../events/index.ts';
import type { SchemaOutput, StandardSchema } from '../../models/index.ts';
import { isStandardSchema } from './is-standard-schema.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema-of.ts';
import type { JsonSchemaValue } from './json-schema-value.ts';
import { readBySchema } from './read-by-schema.ts';
import type { Tool, ToolContext } from './tool.ts';
import { longestTimer } from './within-time.ts';

/** A schema of a library that writes no JSON Schema, with the JSON Schema that the model is told. */
export interface DescribedSchema {
  readonly schema: StandardSchema;
  readonly jsonSchema: JsonSchema;
}

/** What a tool may say about its arguments. */
export type ToolParameters = StandardSchema | DescribedSchema | JsonSchema;

/** The arguments that a tool with such parameters is run with. */
export type ArgumentsOf<Parameters> = Parameters extends StandardSchema
  ? SchemaOutput<Parameters>
  : Parameters extends { readonly schema: infer Schema extends StandardSchema }
    ? SchemaOutput<Schema>
    : Parameters extends { readonly type: 'object' }
      ? JsonSchemaValue<Parameters>
      : Record<string, JsonValue>;

/** What makes a tool. */
export interface ToolDefinition<
  Parameters extends ToolParameters = JsonMap,
  Result = unknown,
  State extends object = JsonMap,
> {
  /** 1 to 64 of A–Z, a–z, 0–9, _ and -, a letter or _ first: what every provider takes. */
  readonly name: string;
  /** For the model: what the tool does and when to call it. */
  readonly description: string;
  /** The schema of one object; none: the tool takes what it is given. */
  readonly parameters?: Parameters;
  /** Its answer comes later, from outside the run; what `run` returns is a first word that the model reads meanwhile. */
  readonly longRunning?: boolean;
  /** The longest it may take, in milliseconds; none: the agent's. */
  readonly timeoutMs?: number;
  /**
   * Does the work. Returns a JSON value, or a promise of one; what is thrown is told to the model. To have state typed,
   * write the type of the context: `context: ToolContext<MyState>`.
   */
  run(args: ArgumentsOf<Parameters>, context: ToolContext<State>): Result;
}

/** A tool whose arguments and result are known to the compiler. */
export interface TypedTool<Args, Result> extends Tool {
  run(args: Args, context: ToolContext): Result;
}

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const fields: ReadonlySet<string> = new Set<keyof ToolDefinition>([
  'name',
  'description',
  'parameters',
  'longRunning',
  'timeoutMs',
  'run',
]);

/**
 * Makes a tool. The types of its arguments come from `parameters`: what a Standard Schema makes of them, transformations
 * and defaults applied, or what a JSON Schema literal describes. A plain JSON Schema is checked by zod's conversion of
 * it, which is loaded at the first call. Throws INVALID_ARGUMENT naming the field.
 *
 * @example
 * const forecast = tool({
 *   name: 'forecast',
 *   description: 'The weather of the next days in a city.',
 *   parameters: z.object({ city: z.string(), days: z.number().default(3) }),
 *   run: ({ city, days }) => fetchForecast(city, days),
 * });
 */
export function tool<
  const Parameters extends ToolParameters = JsonMap,
  Result = unknown,
  State extends object = JsonMap,
>(definition: ToolDefinition<Parameters, Result, State>): TypedTool<ArgumentsOf<Parameters>, Result>;
export function tool(definition: ToolDefinition): Tool {
  checkDefinition(definition);
  const { name, description, parameters, timeoutMs } = definition;
  const written = parameters === undefined ? undefined : splitParameters(parameters);
  const declaration: ToolDeclaration = Object.freeze({
    name,
    description,
    ...(written && { parameters: written.jsonSchema }),
  });
  return Object.freeze({
    declaration,
    ...(definition.longRunning === true && { longRunning: true as const }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    async readArguments(args: JsonMap) {
      if (written === undefined) return { value: args };
      const read = await readBySchema(written.schema, args);
      if ('value' in read) return read;
      return { problem: `The arguments of ${name} do not fit its parameters:\n${read.problem}` };
    },
    run: (args: Record<string, JsonValue>, context: ToolContext) => definition.run(args, context),
  });
}

/** What the arguments are checked by, and what the model is told of it. */
function splitParameters(parameters: ToolParameters): {
  readonly schema: StandardSchema | JsonSchema;
  readonly jsonSchema: JsonMap;
} {
  if (isStandardSchema(parameters)) return { schema: parameters, jsonSchema: jsonSchemaOf(parameters) };
  if (isDescribed(parameters)) {
    return { schema: parameters.schema, jsonSchema: jsonSchemaOf(parameters.jsonSchema, 'parameters.jsonSchema') };
  }
  const jsonSchema = jsonSchemaOf(parameters);
  return { schema: jsonSchema, jsonSchema };
}

function isDescribed(parameters: DescribedSchema | JsonSchema): parameters is DescribedSchema {
  return isPlainObject(parameters) && isStandardSchema(parameters.schema);
}

function checkDefinition(definition: unknown): void {
  if (!isPlainObject(definition)) throw bad('definition', 'must be an object with name, description and run');
  const { name, description, longRunning, timeoutMs, run } = definition;
  const unknown = Object.keys(definition).find((field) => !fields.has(field));
  if (unknown !== undefined) throw bad(unknown, `is no field of a tool; its fields are ${[...fields].join(', ')}`);
  if (typeof name !== 'string' || !toolName.test(name)) {
    throw bad('name', 'must be 1 to 64 of A–Z, a–z, 0–9, _ and -, a letter or _ first, as all providers ask');
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw bad('description', `of the tool ${name} must be a text that tells the model what the tool does`);
  }
  if (typeof run !== 'function') throw bad('run', `of the tool ${name} must be a function of (args, context)`);
  if (longRunning !== undefined && typeof longRunning !== 'boolean') {
    throw bad('longRunning', `of the tool ${name} must be true or false`);
  }
  if (timeoutMs !== undefined && !isDuration(timeoutMs)) {
    throw bad('timeoutMs', `of the tool ${name} must be a whole number of milliseconds from 1 to ${longestTimer}`);
  }
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= longestTimer;
}

function bad(argument: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_ARGUMENT', { argument, reason });
}
