import type { SchemaIssue, StandardSchema } from '../../models/index.ts';
import { failureText } from './failure-text.ts';
import { isStandardSchema } from './is-standard-schema.ts';
import { jsonSchemaCheck } from './json-schema-check.ts';
import type { JsonSchema } from './json-schema-of.ts';
import { shortenText } from './shorten-text.ts';
import type { ReadArguments } from './tool.ts';

const mostIssues = 10;
const longestIssue = 300;

/**
 * Checks a value by a schema. Never rejects: what is wrong comes back as text, a line for each issue (ten at most) with
 * its path, so that whoever wrote the value can mend it.
 */
export async function readBySchema(schema: StandardSchema | JsonSchema, value: unknown): Promise<ReadArguments> {
  try {
    const check = isStandardSchema(schema) ? schema : await jsonSchemaCheck(schema);
    const result = await check['~standard'].validate(value);
    return result.issues === undefined ? { value: result.value } : { problem: issuesText(result.issues) };
  } catch (error) {
    return { problem: `- ${failureText(error) ?? 'the schema could not check it'}` };
  }
}

function issuesText(issues: readonly SchemaIssue[]): string {
  if (issues.length === 0) return '- it does not fit';
  const lines = issues.slice(0, mostIssues).map((issue) => `- ${shortenText(issueText(issue), longestIssue)}`);
  if (issues.length > mostIssues) lines.push(`- and ${issues.length - mostIssues} more`);
  return lines.join('\n');
}

function issueText({ path = [], message }: SchemaIssue): string {
  const place = path.map((step) => placeText(typeof step === 'object' ? step.key : step)).join('');
  return place === '' ? message : `${place.replace(/^\./, '')}: ${message}`;
}

function placeText(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}
