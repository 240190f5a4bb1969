import {
  type AdkObject,
  adkObject,
  booleanAt,
  fieldAt,
  mapAt,
  objectAt,
  onlySet,
  textAt,
  withoutKnownNulls,
} from './adk-fields.ts';
import { type AdkCasing, bareFields, type Fields, spell, spellFields } from './adk-names.ts';
import { addResidue, type Residue, residueOf } from './adk-residue.ts';
import type { Content, Part, Role } from './content.ts';
import { isPlainObject, type JsonMap } from './json.ts';
import { invalid, isBase64 } from './read-content.ts';

/** A content read from ADK, and what it says beyond a Palimpsest content. */
export interface AdkContent {
  readonly content: Content;
  readonly residue: Residue | undefined;
}

/**
 * Reads an ADK (Gemini) content; whatever a part says beyond a Palimpsest part goes into its `extensions.adk`. A role
 * that Palimpsest lacks is read as the side it stands on; `fallback` is used for a missing one, `always` in any case.
 */
export function contentFromAdk(
  object: AdkObject,
  role: { readonly fallback: Role } | { readonly always: Role },
): AdkContent {
  const { casing } = object;
  const list = fieldAt(object, 'parts');
  if (list !== undefined && !Array.isArray(list.value)) throw invalid(list.path, 'must be a list of parts');
  const items: readonly unknown[] = Array.isArray(list?.value) ? list.value : [];
  const parts = items.map((part, index) => partFromAdk(part, `${list?.path}[${index}]`, casing));
  const answers = parts.some((part) => part.functionResponse !== undefined);
  const given = roleFromAdk(textAt(object, 'role'));
  const side = 'always' in role ? role.always : (given ?? (answers ? 'user' : role.fallback));
  const original = withoutKnownNulls(object.fields, contentNames);
  // The parts keep their own residues, so only their presence is compared here.
  if (list !== undefined) original.parts = items.length;
  return { content: { role: side, parts }, residue: residueOf(original, { role: side, parts: items.length }) };
}

/** A content as ADK writes it. */
export function contentToAdk(content: Content, options: AdkSpelling & { readonly residue?: unknown }): Fields {
  const parts = content.parts.map((part) => partToAdk(part, options));
  return addResidue({ role: content.role, parts }, options.residue, options.respellTo);
}

/** How names are spelt on the way out; `respellTo` also for residues that came in the other casing. */
export interface AdkSpelling {
  readonly casing: AdkCasing;
  readonly respellTo?: AdkCasing | undefined;
}

const contentNames = new Set(['role', 'parts']);

function roleFromAdk(role: string | undefined): Role | undefined {
  if (role === undefined) return undefined;
  return role === 'model' || role === 'assistant' ? 'model' : 'user';
}

function partFromAdk(value: unknown, path: string, casing: AdkCasing): Part {
  const object = adkObject(value, path, casing);
  const known = onlySet({
    thought: booleanAt(object, 'thought'),
    thoughtSignature: bytesAt(object, 'thoughtSignature'),
    ...payloadFromAdk(object),
  });
  const residue = residueOf(withoutPartNulls(object), partToAdk(known, { casing }));
  return residue === undefined ? known : { ...known, extensions: { adk: residue as JsonMap } };
}

/** The one payload of a part. One that lacks what Palimpsest requires is left to the residue, the next one is tried. */
function payloadFromAdk(object: AdkObject): Fields {
  for (const name of payloadNames) {
    const inner = objectAt(object, name);
    const payload = inner && payloadReaders[name](inner);
    if (payload !== undefined) return { [name]: onlySet(payload) };
  }
  return { text: textAt(object, 'text') };
}

const payloadReaders = {
  functionCall: (call: AdkObject) => requiring({ name: textAt(call, 'name') }, callFields(call)),
  functionResponse: (response: AdkObject) => requiring({ name: textAt(response, 'name') }, responseFields(response)),
  inlineData: (data: AdkObject) =>
    requiring(
      { mimeType: textAt(data, 'mimeType'), data: bytesAt(data, 'data') },
      { displayName: textAt(data, 'displayName') },
    ),
  fileData: (data: AdkObject) =>
    requiring(
      { fileUri: textAt(data, 'fileUri') },
      { mimeType: textAt(data, 'mimeType'), displayName: textAt(data, 'displayName') },
    ),
  executableCode: (code: AdkObject) =>
    requiring({ code: textAt(code, 'code') }, { language: textAt(code, 'language'), id: textAt(code, 'id') }),
  codeExecutionResult: (result: AdkObject) =>
    requiring({ outcome: textAt(result, 'outcome') }, { output: textAt(result, 'output'), id: textAt(result, 'id') }),
};

const payloadNames = Object.keys(payloadReaders) as readonly (keyof typeof payloadReaders)[];

/** Optional fields of Gemini's parts, for which null and absent are the same, those that are not read included. */
const payloadFields: { readonly [name in keyof typeof payloadReaders]: ReadonlySet<string> } = {
  functionCall: new Set(['id', 'name', 'args', 'partialArgs', 'willContinue']),
  functionResponse: new Set(['id', 'name', 'response', 'parts', 'scheduling', 'willContinue']),
  inlineData: new Set(['mimeType', 'data', 'displayName']),
  fileData: new Set(['fileUri', 'mimeType', 'displayName']),
  executableCode: new Set(['code', 'language', 'id']),
  codeExecutionResult: new Set(['outcome', 'output', 'id']),
};

const partNames = new Set([
  ...['text', 'thought', 'thoughtSignature', ...payloadNames],
  ...['videoMetadata', 'mediaResolution', 'partMetadata', 'toolCall', 'toolResponse'],
]);

function requiring(required: Readonly<Fields>, optional: Readonly<Fields>): Fields | undefined {
  return Object.values(required).includes(undefined) ? undefined : { ...required, ...optional };
}

function callFields(call: AdkObject): Fields {
  return { id: textAt(call, 'id'), args: mapAt(call, 'args') };
}

function responseFields(response: AdkObject): Fields {
  return { id: textAt(response, 'id'), response: mapAt(response, 'response') };
}

function bytesAt(object: AdkObject, camel: string): string | undefined {
  const bytes = textAt(object, camel);
  if (bytes === undefined || isBase64(bytes)) return bytes;
  throw invalid(fieldAt(object, camel)?.path ?? object.path, 'must be base64 text');
}

function withoutPartNulls(object: AdkObject): Fields {
  const copy = withoutKnownNulls(object.fields, partNames);
  for (const name of payloadNames) {
    const spelt = spell(name, object.casing);
    const payload = copy[spelt];
    if (isPlainObject(payload)) copy[spelt] = withoutKnownNulls(payload, payloadFields[name]);
  }
  return copy;
}

function partToAdk(part: Part, { casing, respellTo }: AdkSpelling): Fields {
  const { extensions, functionResponse, ...rest } = part;
  const fields = bareFields();
  for (const [name, value] of Object.entries(rest)) {
    fields[spell(name, casing)] = isPlainObject(value) ? spellFields(value, casing) : value;
  }
  if (functionResponse !== undefined) {
    const { response, ...call } = functionResponse;
    // ADK's responses are objects; what is none goes out the way ADK itself wraps it.
    const wrapped = response === undefined || isPlainObject(response) ? response : { result: response };
    fields[spell('functionResponse', casing)] = spellFields({ ...call, response: wrapped }, casing);
  }
  return addResidue(fields, extensions?.adk, respellTo);
}
