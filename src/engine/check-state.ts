import { PalimpsestError } from '../errors/index.ts';
import { copyJson, isPlainObject } from '../events/index.ts';
import type { SchemaIssue, StandardSchema } from '../models/index.ts';
import type { BeforeAppend } from '../sessions/index.ts';

/** An object may be wrong in a thousand places; a message names the first few. */
const mostIssues = 3;

/**
 * A hook that lets no event pass whose state breaks a schema. It sees what `before` returns. Throws INVALID_EVENT naming
 * `actions.stateDelta.<key>` with the schema's own words, or NOT_JSON.
 */
export function checkState(
  schemas: ReadonlyMap<string, StandardSchema>,
  before: BeforeAppend | undefined,
): BeforeAppend | undefined {
  if (schemas.size === 0) return before;
  return async (input, key) => {
    const event = before === undefined ? input : await before(input, key);
    // What is no event is left to the checks of the append, which name what is wrong with it.
    const delta = isPlainObject(event) && isPlainObject(event.actions) ? event.actions.stateDelta : undefined;
    if (!isPlainObject(delta)) return event;
    const stateDelta = await checkDelta(schemas, delta);
    return { ...event, actions: { ...event.actions, stateDelta } };
  };
}

/** The delta with copies of what was checked: what is stored is what the schema saw, whatever the caller does meanwhile. */
async function checkDelta(
  schemas: ReadonlyMap<string, StandardSchema>,
  delta: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const checked: [string, unknown][] = [];
  for (const [key, value] of Object.entries(delta)) {
    const schema = value === undefined ? undefined : schemas.get(key.toWellFormed());
    checked.push([key, schema === undefined ? value : await checkValue(schema, value, `actions.stateDelta.${key}`)]);
  }
  return Object.fromEntries(checked);
}

async function checkValue(schema: StandardSchema, value: unknown, field: string): Promise<unknown> {
  const report = { replacedSurrogates: 0, size: 0 };
  const copy = copyJson(value, field, report);
  // The append replaces lone surrogates, and counts them.
  const given: unknown = report.replacedSurrogates === 0 ? copy : structuredClone(value);
  // Schemas are written for ordinary objects, which a copy for the log is not.
  const issues = await issuesOf(schema, structuredClone(copy), field);
  if (issues.length === 0) return given;
  throw refusal(field, `does not fit its schema: ${issues.slice(0, mostIssues).map(inWords).join('; ')}`);
}

async function issuesOf(schema: StandardSchema, value: unknown, field: string): Promise<readonly SchemaIssue[]> {
  try {
    return (await schema['~standard'].validate(value)).issues ?? [];
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw refusal(field, `cannot be checked, since its schema fails: ${withoutPeriod(words)}`, cause);
  }
}

function inWords({ message, path = [] }: SchemaIssue): string {
  const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return place === '' ? withoutPeriod(message) : `${withoutPeriod(message)} (at ${place})`;
}

function withoutPeriod(words: string): string {
  return words.replace(/\.$/, '');
}

function refusal(field: string, reason: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError('INVALID_EVENT', { field, reason }, cause === undefined ? {} : { cause });
}
