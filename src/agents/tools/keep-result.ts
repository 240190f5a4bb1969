import { isPalimpsestError } from '../../errors/index.ts';
import { type CopyReport, copyJson, type JsonValue } from '../../events/index.ts';
import { failureText } from './failure-text.ts';
import { jsonBeginning, jsonBytes } from './json-pieces.ts';
import { firstCodePoints, shortenText } from './shorten-text.ts';
import type { ToolOutcome } from './tool.ts';

/** The longest beginning of a refused result that the model is shown, in code points. */
const longestBeginning = 2_000;

/** The longest path that is told: that of a cycle is as long as the deepest value. */
const longestPath = 200;

/** No code unit takes more bytes of JSON than this. */
const bytesPerUnit = 6;

/**
 * A tool's result as it is stored: a frozen copy of the JSON value that it is, `undefined` as null. What is not JSON, or
 * takes more bytes of it than may be, becomes an error that the model can act on. Never throws.
 */
export function keepResult(toolName: string, result: unknown, maxBytes: number): ToolOutcome {
  const report: CopyReport = { replacedSurrogates: 0, size: 0 };
  let response: JsonValue;
  try {
    response = copyJson(result === undefined ? null : result, '$', report);
  } catch (error) {
    return refusedCopy(toolName, error);
  }
  if (report.size * bytesPerUnit <= maxBytes) return { response };
  const bytes = jsonBytes(response);
  return bytes <= maxBytes ? { response } : tooLarge(toolName, response, { bytes, maxBytes });
}

function refusedCopy(toolName: string, error: unknown): ToolOutcome {
  if (isPalimpsestError(error, 'EVENT_TOO_LARGE')) {
    const { bytes } = error.details;
    const text = `The result of ${toolName} takes more than ${bytes} bytes, too much to be kept. Ask for less.`;
    return { response: { error: text }, failure: 'tooLarge' };
  }
  const why = isPalimpsestError(error, 'NOT_JSON')
    ? `${shortenText(error.details.path, longestPath)} ${shortenText(error.details.reason, longestPath)}`
    : (failureText(error) ?? 'it could not be read');
  return { response: { error: `The result of ${toolName} cannot be kept: ${why}.` }, failure: 'notJson' };
}

function tooLarge(
  toolName: string,
  result: JsonValue,
  { bytes, maxBytes }: { readonly bytes: number; readonly maxBytes: number },
): ToolOutcome {
  const error = `The result of ${toolName} takes ${bytes} bytes, the most is ${maxBytes}. Ask for less.`;
  const text = typeof result === 'string' ? result : jsonBeginning(result, 2 * longestBeginning);
  return { response: { error, beginning: firstCodePoints(text, longestBeginning) }, failure: 'tooLarge' };
}
