import { copyJson, isPlainObject, type JsonValue } from '../events/index.ts';
import type { AiSdkJson, AiSdkOutputItem, AiSdkToolOutput } from './ai-sdk-language-model.ts';

/** A tool's result as the log holds it, and the form it had if the value alone does not show it. */
export interface LoggedOutput {
  readonly response: JsonValue;
  readonly form?: string;
}

const denied = 'The call was not allowed.';

/** Reads a result from a caller's prompt. Throws NOT_JSON naming the place. */
export function responseOf(output: AiSdkToolOutput, path: string): LoggedOutput {
  const value = (): JsonValue =>
    'value' in output ? copyJson(output.value, `${path}.value`, { replacedSurrogates: 0, size: 0 }) : null;
  switch (output.type) {
    case 'text':
      return { response: value() };
    case 'json':
      return typeof output.value === 'string' ? { response: value(), form: 'json' } : { response: value() };
    case 'execution-denied':
      return { response: { denied: output.reason ?? denied }, form: output.type };
    case 'content':
      return { response: { content: value() }, form: output.type };
    default:
      return { response: { error: value() }, form: output.type };
  }
}

/** Writes a result in the form it had, as long as it still has the value that belongs to that form. */
export function outputOf(response: JsonValue | undefined, form: JsonValue | undefined): AiSdkToolOutput {
  const formed = isPlainObject(response) ? formedOutput(response, form) : undefined;
  if (formed !== undefined) return formed;
  if (typeof response === 'string' && form !== 'json') return { type: 'text', value: response };
  return response === undefined ? { type: 'text', value: '' } : { type: 'json', value: response as AiSdkJson };
}

function formedOutput(
  response: Readonly<Record<string, unknown>>,
  form: JsonValue | undefined,
): AiSdkToolOutput | undefined {
  const { error, denied: reason, content } = response;
  if (Object.keys(response).length !== 1) return undefined;
  if (form === 'error-text' && typeof error === 'string') return { type: form, value: error };
  if (form === 'error-json' && error !== undefined) return { type: form, value: error as AiSdkJson };
  if (form === 'execution-denied' && typeof reason === 'string') return { type: form, reason };
  if (form === 'content' && Array.isArray(content) && content.every(isItem)) return { type: form, value: content };
  return undefined;
}

function isItem(item: unknown): item is AiSdkOutputItem {
  return isPlainObject(item) && typeof item.type === 'string';
}
