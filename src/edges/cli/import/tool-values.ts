import { isPlainObject } from '../../../events/index.ts';

/** What a tool returned, in the form that models accept: an object; anything else becomes its `result`. */
export function toolResponse(value: unknown): Record<string, unknown> {
  const parsed = typeof value === 'string' ? parsedOr(value) : value;
  return isPlainObject(parsed) ? parsed : { result: value };
}

/** The arguments of a call; text that is not a JSON object, as models at times write, is kept under `arguments`. */
export function toolArguments(value: unknown): Record<string, unknown> {
  const parsed = typeof value === 'string' ? parsedOr(value) : value;
  if (isPlainObject(parsed)) return parsed;
  return value === undefined || value === null || value === '' ? {} : { arguments: value };
}

function parsedOr(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    // Text that only begins like an object is a text.
    return text;
  }
}
