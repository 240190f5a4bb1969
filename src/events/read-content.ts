import { PalimpsestError } from '../errors/index.ts';
import type { Content, Part } from './content.ts';
import { type CopyReport, copyJson, copyJsonMap, copyText, isPlainObject } from './json.ts';

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Checks a content and returns a frozen copy. A string stands for one text part. A missing role is `user` for function
 * responses, else `fallbackRole`. Throws INVALID_EVENT or NOT_JSON naming the field.
 */
export function readContent(value: unknown, path: string, report: CopyReport, fallbackRole: Content['role']): Content {
  if (typeof value === 'string') {
    const parts = Object.freeze([Object.freeze({ text: copyText(value, report, path) })]);
    return Object.freeze({ role: fallbackRole, parts });
  }
  if (!isPlainObject(value)) throw invalid(path, 'must be a text or { role, parts }');
  if (!Array.isArray(value.parts)) throw invalid(`${path}.parts`, 'must be a list of parts');
  const parts = value.parts.map((part: unknown, index) => readPart(part, `${path}.parts[${index}]`, report));
  const role = value.role ?? (parts.some((part) => part.functionResponse) ? 'user' : fallbackRole);
  if (role !== 'user' && role !== 'model') throw invalid(`${path}.role`, 'must be "user" or "model"');
  return Object.freeze({ role, parts: Object.freeze(parts) });
}

type FieldReader = (value: unknown, path: string, report: CopyReport) => unknown;

/** Reads the named fields of an object; anything else in it is refused, so that nothing is lost unseen. */
function readFields(
  value: unknown,
  path: string,
  report: CopyReport,
  fields: Readonly<Record<string, FieldReader>>,
  required: readonly string[] = [],
): object {
  if (!isPlainObject(value)) throw invalid(path, 'must be an object');
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (value[name] === undefined) continue;
    const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (read === undefined)
      throw invalid(`${path}.${name}`, 'is no known field; put what other systems add into extensions');
    copy[name] = read(value[name], `${path}.${name}`, report);
  }
  for (const name of required) if (copy[name] === undefined) throw invalid(`${path}.${name}`, 'is missing');
  report.size += 16;
  return Object.freeze(copy);
}

/** Reads a text; lone surrogates in it are replaced. */
export const readText: FieldReader = (value, path, report) => {
  if (typeof value !== 'string') throw invalid(path, 'must be a text');
  return copyText(value, report, path);
};

/** Reads true or false. */
export const readBoolean: FieldReader = (value, path) => {
  if (typeof value !== 'boolean') throw invalid(path, 'must be true or false');
  return value;
};

/** True for base64 text in either alphabet, padded or not. */
export function isBase64(text: string): boolean {
  return base64.test(text);
}

const readBytes: FieldReader = (value, path, report) => {
  if (value instanceof Uint8Array)
    return readBytes(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'), path, report);
  if (typeof value !== 'string' || !isBase64(value)) throw invalid(path, 'must be base64 text or a Uint8Array');
  report.encoded = (report.encoded ?? 0) + value.length;
  return value;
};

const partFields: Readonly<Record<string, FieldReader>> = {
  text: readText,
  thought: readBoolean,
  thoughtSignature: readBytes,
  inlineData: (value, path, report) =>
    readFields(value, path, report, { mimeType: readText, data: readBytes, displayName: readText }, [
      'mimeType',
      'data',
    ]),
  fileData: (value, path, report) =>
    readFields(value, path, report, { fileUri: readText, mimeType: readText, displayName: readText }, ['fileUri']),
  functionCall: (value, path, report) =>
    readFields(value, path, report, { id: readText, name: readText, args: copyJsonMap }, ['name']),
  functionResponse: (value, path, report) =>
    readFields(value, path, report, { id: readText, name: readText, response: copyJson }, ['name']),
  executableCode: (value, path, report) =>
    readFields(value, path, report, { code: readText, language: readText, id: readText }, ['code']),
  codeExecutionResult: (value, path, report) =>
    readFields(value, path, report, { outcome: readText, output: readText, id: readText }, ['outcome']),
  extensions: copyJsonMap,
};

const payloads = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
];

function readPart(value: unknown, path: string, report: CopyReport): Part {
  const part = readFields(value, path, report, partFields);
  let found: string | undefined;
  for (const name of payloads) {
    if (!(name in part)) continue;
    if (found !== undefined) throw invalid(path, `has both ${found} and ${name}; one part carries one`);
    found = name;
  }
  return part;
}

/** The error for a field of an event that is not as it must be. */
export function invalid(field: string, reason: string): PalimpsestError {
  return new PalimpsestError('INVALID_EVENT', { field, reason });
}
