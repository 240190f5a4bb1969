import {
  type AiSdkGenerateResult,
  type AiSdkPrompt,
  type AiSdkStreamPart,
  isPlainObject,
  PalimpsestError,
} from '../../../index.ts';

/*
 * ai 7 speaks specification v4 with a middleware, whatever the model speaks. Of what is read and written here it differs
 * in one thing: files and where they stand. So v4 is read as v3, and written back where the model asks for it.
 */

type Fields = Readonly<Record<string, unknown>>;

/** A caller's prompt of either specification in the form of v3. Throws NOT_SUPPORTED for a file that has no place there. */
export function promptAsV3(prompt: readonly unknown[]): AiSdkPrompt {
  return mapParts(prompt, partAsV3) as AiSdkPrompt;
}

/** A prompt in the form that the model asks for. */
export function promptFor(specificationVersion: string, prompt: AiSdkPrompt): readonly unknown[] {
  return specificationVersion === 'v4' ? mapParts(prompt, partAsV4) : prompt;
}

/** An answer of either specification in the form of v3. */
export function resultAsV3(result: { readonly content: readonly unknown[] }): AiSdkGenerateResult {
  return { ...result, content: result.content.map(contentAsV3) } as AiSdkGenerateResult;
}

/** One piece of an answer of either specification in the form of v3. */
export function streamPartAsV3(part: unknown): AiSdkStreamPart {
  return contentAsV3(part) as AiSdkStreamPart;
}

function mapParts(prompt: readonly unknown[], change: (part: Fields) => unknown): readonly unknown[] {
  return prompt.map((message) => {
    if (!isPlainObject(message) || !Array.isArray(message.content)) return message;
    return { ...message, content: message.content.flatMap((part) => (isPlainObject(part) ? change(part) : [part])) };
  });
}

function partAsV3(part: Fields): unknown {
  switch (part.type) {
    case 'file':
      return { ...part, data: dataAsV3(part.data) };
    case 'tool-result':
      return { ...part, output: mapOutput(part.output, itemAsV3) };
    // What a provider alone understands; it has no place in the log.
    case 'custom':
    case 'reasoning-file':
      return [];
    default:
      return part;
  }
}

function partAsV4(part: Fields): unknown {
  if (part.type === 'tool-result') return { ...part, output: mapOutput(part.output, itemAsV4) };
  if (part.type !== 'file') return part;
  const { data } = part;
  return { ...part, data: data instanceof URL ? { type: 'url', url: data } : { type: 'data', data } };
}

function dataAsV3(data: unknown): unknown {
  if (!isPlainObject(data)) return data;
  switch (data.type) {
    case 'data':
      return data.data;
    case 'url':
      return data.url;
    case 'text':
      return Buffer.from(String(data.text)).toString('base64');
    default:
      throw new PalimpsestError('NOT_SUPPORTED', {
        capability: 'A file that only its provider can find',
        instead: 'Give its bytes or its URL.',
      });
  }
}

function mapOutput(output: unknown, change: (item: Fields) => unknown): unknown {
  if (!isPlainObject(output) || output.type !== 'content' || !Array.isArray(output.value)) return output;
  return { ...output, value: output.value.map((item) => (isPlainObject(item) ? change(item) : item)) };
}

function itemAsV3(item: Fields): unknown {
  if (item.type !== 'file' || !isPlainObject(item.data)) return item;
  const { type: _, data, ...rest } = item;
  switch (data.type) {
    case 'data':
      return { ...rest, type: 'file-data', data: asBase64(data.data) };
    case 'url':
      return { ...rest, type: 'file-url', url: String(data.url) };
    case 'reference':
      return { ...rest, type: 'file-id', fileId: data.reference };
    default:
      return { type: 'text', text: String(data.text) };
  }
}

function itemAsV4(item: Fields): unknown {
  const { type, data, url, fileId, ...rest } = item;
  switch (type) {
    case 'file-data':
    case 'image-data':
      return { ...rest, type: 'file', data: { type: 'data', data } };
    case 'file-url':
    case 'image-url':
      return {
        mediaType: type === 'image-url' ? 'image/*' : 'application/octet-stream',
        ...rest,
        type: 'file',
        data: { type: 'url', url: new URL(String(url)) },
      };
    case 'file-id':
    case 'image-file-id':
      return {
        mediaType: type === 'image-file-id' ? 'image/*' : 'application/octet-stream',
        ...rest,
        type: 'file',
        data: { type: 'reference', reference: fileId },
      };
    default:
      return item;
  }
}

/** A file that the model made; one that it only points to is no part of v3 and not read. */
function contentAsV3(item: unknown): unknown {
  if (!isPlainObject(item) || item.type !== 'file' || !isPlainObject(item.data)) return item;
  const { data } = item;
  return data.type === 'data' ? { ...item, data: data.data } : { ...item, type: 'source' };
}

function asBase64(data: unknown): unknown {
  return data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data;
}
