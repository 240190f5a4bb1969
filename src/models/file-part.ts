import { isPlainObject, type Part } from '../events/index.ts';

const reference = /^(https?|gs):\/\//;
const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*;base64,/;

/**
 * Media of an AI SDK prompt or answer as a part: bytes and base64 text inline, a URL as a reference. Data that says by
 * itself what it is, as specification v4 has it, is read too. `undefined` for what is no file.
 */
export function filePart(file: {
  readonly data: unknown;
  readonly mediaType: unknown;
  readonly filename?: unknown;
}): Part | undefined {
  const mimeType = typeof file.mediaType === 'string' ? file.mediaType : 'application/octet-stream';
  const name = typeof file.filename === 'string' ? { displayName: file.filename } : {};
  const place = placeOf(file.data);
  if (place === undefined) return undefined;
  if ('uri' in place) return { fileData: { fileUri: place.uri, mimeType, ...name } };
  return { inlineData: { mimeType, data: place.base64, ...name } };
}

type Place = { readonly base64: string } | { readonly uri: string };

function placeOf(data: unknown): Place | undefined {
  if (data instanceof Uint8Array) return { base64: base64Of(data) };
  if (data instanceof URL) return placeOfText(data.href) ?? { uri: uriOf(data) };
  if (typeof data === 'string') return placeOfText(data) ?? { base64: data };
  if (!isPlainObject(data)) return undefined;
  if (data.type === 'data') return placeOf(data.data);
  if (data.type === 'url') return placeOf(data.url);
  if (data.type === 'text' && typeof data.text === 'string') return { base64: base64Of(Buffer.from(data.text)) };
  const [uri] = data.type === 'reference' && isPlainObject(data.reference) ? Object.values(data.reference) : [];
  return typeof uri === 'string' ? { uri } : undefined;
}

function placeOfText(text: string): Place | undefined {
  const inline = dataUrl.exec(text);
  if (inline !== null) return { base64: text.slice(inline[0].length) };
  return reference.test(text) ? { uri: text } : undefined;
}

/** A URL writes what is not ASCII in its own way; an artifact is known by the name under which it was saved. */
function uriOf({ protocol, href }: URL): string {
  if (protocol !== 'artifact:') return href;
  try {
    const plain = decodeURIComponent(href);
    return new URL(plain).href === href ? plain : href;
  } catch {
    return href;
  }
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
