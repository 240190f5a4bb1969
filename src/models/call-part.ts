import { isPalimpsestError } from '../errors/index.ts';
import { copyJsonMap, type JsonMap, type Part } from '../events/index.ts';
import { readNotes } from './provider-notes.ts';

/** Of arguments that are no JSON object, this many code points are kept. */
const keptCodePoints = 2_000;

const noArgs: JsonMap = Object.freeze({});

/**
 * A call as a part. `input` is JSON text or the object itself; anything else leaves the arguments empty and stands in
 * `extensions.invalidArguments`, so that it can be answered with what is wrong.
 */
export function callPart(call: {
  readonly toolCallId: unknown;
  readonly toolName: string;
  readonly input: unknown;
  readonly metadata: unknown;
}): Part {
  const { toolCallId, toolName, input, metadata } = call;
  const notes = readNotes(metadata);
  const args = argsOf(input);
  const id = typeof toolCallId === 'string' && toolCallId !== '' ? { id: toolCallId } : {};
  const part = { functionCall: { ...id, name: toolName, args: args ?? noArgs }, ...notes };
  if (args !== undefined) return part;
  return { ...part, extensions: { ...notes.extensions, invalidArguments: startOf(rawText(input)) } };
}

function argsOf(input: unknown): JsonMap | undefined {
  // What some models write for a tool that takes nothing.
  if (input === undefined || (typeof input === 'string' && input.trim() === '')) return noArgs;
  try {
    const value: unknown = typeof input === 'string' ? JSON.parse(input) : input;
    return copyJsonMap(value, 'args', { replacedSurrogates: 0, size: 0 });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError || isPalimpsestError(error)) return undefined;
    throw error;
  }
}

function rawText(input: unknown): string {
  if (typeof input === 'string') return input;
  try {
    return JSON.stringify(input) ?? String(input);
  } catch {
    return String(input);
  }
}

function startOf(raw: string): string {
  let end = 0;
  for (let count = 0; count < keptCodePoints && end < raw.length; count++) {
    end += (raw.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return raw.slice(0, end);
}
