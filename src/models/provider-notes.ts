import { isPalimpsestError } from '../errors/index.ts';
import { copyJsonMap, isPlainObject, type JsonMap, type JsonValue, type Part, type Provider } from '../events/index.ts';
import type { AiSdkJsonObject, AiSdkProviderOptions } from './ai-sdk-language-model.ts';

/**
 * What a provider attached to a part, as the log keeps it: the signature in its own field, whatever else there was
 * under `extensions.aiSdk`.
 */
export interface ProviderNotes {
  readonly thoughtSignature?: string;
  readonly extensions?: { readonly aiSdk: AiSdkNotes };
}

/** What stands under `extensions.aiSdk` of a part. */
export interface AiSdkNotes extends JsonMap {
  /** Where the thoughtSignature stood in the metadata. */
  readonly signedBy?: { readonly provider: string; readonly field: string };
  /** What else stood there, under the providers' names. */
  readonly providerOptions?: JsonMap;
  /** Options of the message that the part ends. */
  readonly messageOptions?: JsonMap;
  /** The form of a tool's result, where its value alone does not show it. */
  readonly output?: string;
}

/** Fields in which providers hand out what they want back unchanged. */
const signatureFields = ['signature', 'redactedData', 'thoughtSignature', 'reasoningEncryptedContent'];

/** Where a request is to be cached is a matter of that request; kept with a part it would pile up in the next ones. */
const momentary = new Set(['cacheControl', 'cache_control', 'cachePoint', 'promptCacheBreakpoint']);

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Reads what a provider attached to a part. What is no JSON, or not named by provider, is nothing. */
export function readNotes(metadata: unknown): ProviderNotes {
  const kept = lastingOptions(metadata);
  if (kept === undefined) return {};
  const signature = findSignature(kept);
  if (signature === undefined) return { extensions: { aiSdk: { providerOptions: kept } } };
  const { thoughtSignature, ...signedBy } = signature;
  const rest = withoutField(kept, signedBy);
  const aiSdk = { signedBy, ...(rest === undefined ? {} : { providerOptions: rest }) };
  return { thoughtSignature, extensions: { aiSdk } };
}

/** Provider options without what holds for one request only; `undefined` if nothing is left. */
export function lastingOptions(options: unknown): JsonMap | undefined {
  if (!isPlainObject(options)) return undefined;
  const kept = Object.entries(options).flatMap(([provider, fields]): [string, JsonMap][] => {
    if (!isPlainObject(fields)) return [];
    const lasting = jsonOrNothing(
      Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null && !momentary.has(name))),
    );
    return lasting === undefined || Object.keys(lasting).length === 0 ? [] : [[provider, lasting]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** What is kept under `extensions.aiSdk` of a part. */
export function notesOf(part: Part): AiSdkNotes {
  const notes = part.extensions?.aiSdk;
  return isPlainObject(notes) ? notes : {};
}

/** A part's extensions with more under `aiSdk`. */
export function addNotes(part: Part, more: AiSdkNotes): Part {
  return { ...part, extensions: { ...part.extensions, aiSdk: { ...notesOf(part), ...more } } };
}

/** True for a thought that another provider has signed: it says nothing to this one, which may refuse it. */
export function isForeignThought(part: Part, provider: Provider): boolean {
  const signedBy = signerOf(part);
  return part.thought === true && signedBy !== undefined && !mayRead(signedBy.provider, provider);
}

/**
 * What goes back to a provider with a part: what it attached, and what no other one is known to have attached. A
 * signature of unknown origin goes to any provider that signs.
 */
export function optionsFor(part: Part, provider: Provider): AiSdkProviderOptions | undefined {
  const options = readable(notesOf(part).providerOptions, provider) ?? {};
  for (const [name, field] of signaturePlaces(part, provider)) {
    options[name] = { ...options[name], [field]: part.thoughtSignature };
  }
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Those of some provider options that do not belong to another provider. */
export function readable(options: JsonValue | undefined, provider: Provider): AiSdkProviderOptions | undefined {
  if (!isPlainObject(options)) return undefined;
  const kept: AiSdkProviderOptions = {};
  for (const [name, fields] of Object.entries(options)) {
    if (isPlainObject(fields) && mayRead(name, provider)) kept[name] = fields as AiSdkJsonObject;
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function signaturePlaces(part: Part, provider: Provider): readonly (readonly [name: string, field: string])[] {
  if (part.thoughtSignature === undefined) return [];
  const signedBy = signerOf(part);
  if (signedBy === undefined) {
    if (provider === 'gemini') return [['google', 'thoughtSignature']];
    return provider === 'anthropic' && part.thought === true ? [['anthropic', 'signature']] : [];
  }
  if (!mayRead(signedBy.provider, provider)) return [];
  const own = [signedBy.provider, signedBy.field] as const;
  // Gemini behind an OpenAI-shaped server hands signatures out under the server's name and takes them under Google's.
  const isCompatible = provider === 'openai' && signedBy.field === 'thoughtSignature';
  return isCompatible ? [own, ['google', signedBy.field]] : [own];
}

function signerOf(part: Part): { readonly provider: string; readonly field: string } | undefined {
  const { signedBy } = notesOf(part);
  if (part.thoughtSignature === undefined || !isPlainObject(signedBy)) return undefined;
  const { provider, field } = signedBy;
  return typeof provider === 'string' && typeof field === 'string' ? { provider, field } : undefined;
}

/** Whose metadata a name is known to hold; other names are read by their own provider only. */
const owners: ReadonlyMap<string, Provider> = new Map([
  ['google', 'gemini'],
  ['vertex', 'gemini'],
  ['googleVertex', 'gemini'],
  ['anthropic', 'anthropic'],
]);

function mayRead(name: string, provider: Provider): boolean {
  return (owners.get(name) ?? provider) === provider;
}

function findSignature(metadata: JsonMap) {
  for (const [provider, fields] of Object.entries(metadata)) {
    if (!isPlainObject(fields)) continue;
    for (const field of signatureFields) {
      const value = fields[field];
      if (typeof value === 'string' && base64.test(value)) return { thoughtSignature: value, provider, field };
    }
  }
  return undefined;
}

function withoutField(metadata: JsonMap, { provider, field }: { provider: string; field: string }) {
  const entries = Object.entries(metadata).flatMap(([name, fields]) => {
    if (name !== provider || !isPlainObject(fields)) return [[name, fields] as const];
    const { [field]: _, ...rest } = fields;
    return Object.keys(rest).length === 0 ? [] : [[name, rest as JsonMap] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function jsonOrNothing(value: unknown): JsonMap | undefined {
  try {
    return copyJsonMap(value, 'providerMetadata', { replacedSurrogates: 0, size: 0 });
  } catch (error) {
    if (isPalimpsestError(error)) return undefined;
    throw error;
  }
}
