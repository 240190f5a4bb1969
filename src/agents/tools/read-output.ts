import { freezeParsed } from '../../events/index.ts';
import type { StandardSchema } from '../../models/index.ts';
import type { JsonSchema } from './json-schema-of.ts';
import { readBySchema } from './read-by-schema.ts';
import { shortenText } from './shorten-text.ts';

/** What reading a model's answer as a value gave; a problem is a text that the model can act on. */
export type OutputReading = { readonly value: unknown } | { readonly problem: string };

/**
 * Reads a model's answer as a value of a schema. The answer is JSON, alone or in a fence of Markdown. The value is what the
 * schema makes of it; by plain JSON Schema, the value with defaults filled in. Never rejects.
 */
export async function readOutput(schema: StandardSchema | JsonSchema, text: string): Promise<OutputReading> {
  const parsed = parseJson(text) ?? parseJson(fenced(text));
  if (parsed === undefined) {
    const given = text.trim() === '' ? 'empty' : `no JSON: ${shortenText(text.trim(), 200)}`;
    return { problem: `The answer is ${given}\nAnswer again with JSON that fits the schema, and nothing else.` };
  }
  const read = await readBySchema(schema, parsed.value);
  if ('value' in read) return read;
  return { problem: `The answer does not fit the schema:\n${read.problem}\nAnswer again with JSON that fits.` };
}

function parseJson(text: string | undefined): { readonly value: unknown } | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    freezeParsed(value);
    return { value };
  } catch {
    return undefined;
  }
}

/** What stands between the first fence and the last: a text in the JSON may have fences of its own. */
function fenced(text: string): string | undefined {
  const opening = /```[A-Za-z0-9]*/.exec(text);
  if (opening === null) return undefined;
  const from = opening.index + opening[0].length;
  const to = text.lastIndexOf('```');
  return to < from ? undefined : text.slice(from, to);
}
