import { isPlainObject, type ToolDeclaration } from '../../events/index.ts';
import { toolConstants as constants } from './request-constants.ts';

type CountText = (text: string) => number;

/** Tokens of one declaration: lines of name, type and description, as OpenAI's models are told of tools. */
export function countTool({ name, description, parameters }: ToolDeclaration, count: CountText): number {
  return constants.tool + count(`${name}:${withoutPeriod(description)}`) + countProperties(parameters, count);
}

/** Parameters of a schema, and of the objects and lists in it. */
function countProperties(schema: unknown, count: CountText): number {
  if (!isPlainObject(schema)) return 0;
  const below = countProperties(schema.items, count);
  if (!isPlainObject(schema.properties)) return below;
  const entries = Object.entries(schema.properties);
  const start = entries.length === 0 ? 0 : constants.parameters;
  return entries.reduce((sum, [name, property]) => sum + countProperty(name, property, count), below + start);
}

function countProperty(name: string, property: unknown, count: CountText): number {
  if (!isPlainObject(property)) return constants.parameter + count(name);
  const { type, description, enum: allowed } = property;
  const line = [name, wordOf(type), withoutPeriod(wordOf(description))].join(':');
  return constants.parameter + count(line) + countAllowed(allowed, count) + countProperties(property, count);
}

function countAllowed(values: unknown, count: CountText): number {
  if (!Array.isArray(values) || values.length === 0) return 0;
  return values.reduce<number>(
    (sum, value) => sum + constants.allowedValue + count(wordOf(value)),
    constants.allowedValues,
  );
}

function wordOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function withoutPeriod(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text;
}
